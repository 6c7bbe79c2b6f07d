package secret

import (
	"context"

	"hush/vault/caller"
	"hush/vault/outbox"
)

// draftShares drafts the mails that carry a secret's link to its recipients. Only an account
// has any.
func (se *Secrets) draftShares(ctx context.Context, c caller.Caller, d *draft) ([]*outbox.Draft, error) {
	account := c.AccountID()
	now := d.secret.created
	drafts := make([]*outbox.Draft, 0, len(d.recipients))
	for i, r := range d.recipients {
		drafted, err := se.outbox.DraftShare(ctx, outbox.Mail{
			Kind: outbox.MailShare, To: r.Address, Locale: c.Locale(), Key: caller.Text(d.key.Expose()),
			Domain: d.linkDomain, Sender: caller.Text(c.Address()), Created: now,
			Expires: d.secret.expires, HasPassphrase: d.secret.guarded(),
		}, &account, d.receipt.Row(), i, now)
		if err != nil {
			se.outbox.Discard(err, drafts...)
			return nil, err
		}
		drafts = append(drafts, drafted)
	}
	return drafts, nil
}
