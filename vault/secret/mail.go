package secret

import (
	"context"
	"errors"
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/email"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// draftShares drafts the mails that carry a secret's link to its recipients.
func (se *Secrets) draftShares(ctx context.Context, c caller.Caller, d *draft, to []email.Recipient, now time.Time) ([]*outbox.Draft, error) {
	var account *caller.AccountID
	if !c.Anonymous() {
		account = new(c.AccountID())
	}
	drafts := make([]*outbox.Draft, 0, len(to))
	for i, r := range to {
		drafted, err := se.outbox.DraftShare(ctx, outbox.Mail{
			Kind: outbox.MailShare, To: r.Address, Locale: c.Locale(), Key: caller.Text(d.key.Expose()),
			Domain: d.linkDomain, Sender: caller.Text(c.Address()), Created: now,
			Expires: d.secret.expires, HasPassphrase: d.metadata.passphrase,
		}, account, d.metaRow, i, now)
		if err != nil {
			se.outbox.Discard(err, drafts...)
			return nil, err
		}
		drafts = append(drafts, drafted)
	}
	return drafts, nil
}

// MailWanted reports whether a secret's link is still worth mailing: the secret
// is neither received nor burned.
func MailWanted(tx *rows.Tx, row seal.RowKey) (bool, error) {
	metadata, err := getMetadata(tx, row)
	if errors.Is(err, refusal.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return metadata.State.Live() || metadata.State == StateExpired, nil
}
