package vault

import (
	"context"

	"hush/seal"
	"hush/storage"
	"time"
)

// CreateInvite makes an invite, good once and for a week. With an address it
// is good for that address alone, which is mailed the link where mail is set
// up. Callers who are no colonels get ErrNotFound.
func (v *Vault) CreateInvite(ctx context.Context, c Caller, address Text) (Invite, error) {
	if !c.Colonel() {
		return Invite{}, ErrNotFound
	}
	if err := v.checkRoom(); err != nil {
		return Invite{}, err
	}
	now := v.clock.now()
	token := seal.NewToken(now)
	t := newTicket(ticketInvite, token, c.with.id, now)
	made := Invite{Key: Text(token.Expose()), Expires: t.record.expires}
	put := func(tx storage.Tx) error {
		if _, err := usableAccount(tx, c.with.id); err != nil {
			return err
		}
		if err := putTicket(tx, t); err != nil {
			return err
		}
		return auditAccount(tx, now, AuditInvite, c.with.id)
	}
	if address == "" {
		return made, v.store.Update(ctx, put)
	}
	to, err := canonicalAddress(address)
	if err != nil {
		return Invite{}, err
	}
	v.sealTicket(t, to)
	return made, v.mailed(ctx, Mail{
		Kind: MailInvite, To: Text(to), Locale: c.Locale(), Key: made.Key, Created: now, Expires: made.Expires,
	}, now, func(tx storage.Tx) (bool, error) { return true, put(tx) })
}

// findInvite returns the row of an invite that is good for an address, or
// ErrTicket.
func (v *Vault) findInvite(ctx context.Context, text Text, address string, now time.Time) (*seal.RowKey, error) {
	token, ok := seal.ParseToken(string(text))
	if !ok {
		return nil, ErrTicket
	}
	var found ticket
	err := v.store.View(ctx, func(tx storage.Tx) (err error) {
		found, err = getTicket(tx, ticketInvite, token.RowKey(seal.KindInvite), now)
		return err
	})
	if err != nil {
		return nil, err
	}
	only, err := v.openTicket(found)
	if err != nil {
		return nil, err
	}
	if only != "" && only != address {
		return nil, ErrTicket
	}
	return &found.row, nil
}

// spendInvite ends an invite in the transaction of the sign-up that it is for.
// A nil row is none that is needed.
func spendInvite(tx storage.Tx, row *seal.RowKey, now time.Time) error {
	if row == nil {
		return nil
	}
	if _, err := getTicket(tx, ticketInvite, *row, now); err != nil {
		return err
	}
	return tx.Delete(bucketTicket, row[:])
}
