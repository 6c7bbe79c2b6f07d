package account

import (
	"context"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/email"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// CreateInvite creates an invite, valid once and for a week. With an address it
// is valid for that address only and is mailed there, if mail is configured. A
// caller who is not a colonel gets ErrNotFound.
func (su *SignUps) CreateInvite(ctx context.Context, c caller.Caller, address caller.Text) (Invite, error) {
	if !c.Colonel() {
		return Invite{}, refusal.ErrNotFound
	}
	if err := su.store.CheckDiskSpace(); err != nil {
		return Invite{}, err
	}
	now := su.clock.Now()
	token := seal.NewToken(now)
	t := newTicket(ticketInvite, token, c.AccountID(), now)
	made := Invite{Key: caller.Text(token.Expose()), Expires: t.record.expires}
	put := func(tx storage.Tx) error {
		if _, err := UsableAccount(tx, c.AccountID()); err != nil {
			return err
		}
		if err := putTicket(tx, t); err != nil {
			return err
		}
		return rows.WriteAccountAudit(tx, now, rows.AuditInvite, c.AccountID())
	}
	if address == "" {
		return made, su.store.Update(ctx, put)
	}
	to, err := email.Canonical(address)
	if err != nil {
		return Invite{}, err
	}
	su.tickets.sealTicket(t, to)
	return made, su.mailed(ctx, outbox.Mail{
		Kind: outbox.MailInvite, To: caller.Text(to), Locale: c.Locale(), Key: made.Key, Created: now, Expires: made.Expires,
	}, now, func(tx storage.Tx) (bool, error) { return true, put(tx) })
}

// findInvite returns the row of an invite that is valid for an address, or
// ErrTicket.
func (su *SignUps) findInvite(ctx context.Context, text caller.Text, address string, now time.Time) (*seal.RowKey, error) {
	token, ok := seal.ParseToken(string(text))
	if !ok {
		return nil, refusal.ErrTicket
	}
	var found ticket
	err := su.store.View(ctx, func(tx storage.Tx) (err error) {
		found, err = getTicket(tx, ticketInvite, token.RowKey(seal.KindInvite), now)
		return err
	})
	if err != nil {
		return nil, err
	}
	only, err := su.tickets.openTicket(found)
	if err != nil {
		return nil, err
	}
	if only != "" && only != address {
		return nil, refusal.ErrTicket
	}
	return &found.row, nil
}

// spendInvite ends an invite in the transaction of its sign-up. A nil row means
// that no invite is needed.
func spendInvite(tx storage.Tx, row *seal.RowKey, now time.Time) error {
	if row == nil {
		return nil
	}
	if _, err := getTicket(tx, ticketInvite, *row, now); err != nil {
		return err
	}
	return tx.Delete(BucketTicket, row[:])
}
