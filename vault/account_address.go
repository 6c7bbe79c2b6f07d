package vault

import (
	"context"
	"time"

	"hush/seal"
	"hush/storage"
)

// RequestAddressChange mails a link to the address that the caller's account
// is to have. The answer and the work are the same whether or not the address
// has an account already. It returns ErrUnauthenticated, ErrNotConfigured where
// no mail is set up, ErrInvalid, ErrPolicy, ErrCredentials, LockedError or
// ErrBusy.
func (v *Vault) RequestAddressChange(ctx context.Context, c Caller, address, password Text) error {
	if c.with == nil {
		return ErrUnauthenticated
	}
	if v.send == nil {
		return ErrNotConfigured
	}
	next, err := canonicalAddressIn("new_address", address)
	if err != nil {
		return err
	}
	if err := v.policy.admitAddress("new_address", next); err != nil {
		return err
	}
	now := v.clock.now()
	proved, current, err := v.proveOwn(ctx, c, password, now)
	if err != nil {
		return err
	}
	if next == current {
		return &InvalidError{Field: "new_address", Text: "cannot be the same as the current one"}
	}
	return v.mailAddressTicket(ctx, c, proved, next, now)
}

// mailAddressTicket mails the link that confirms a next address, unless the
// address is taken: then the account waits for a link that nobody has.
func (v *Vault) mailAddressTicket(ctx context.Context, c Caller, proved seal.PasswordHash, next string, now time.Time) error {
	id, nextID, token := c.with.id, v.keys.AddressID(next), seal.NewToken(now)
	t := newTicket(ticketAddress, token, id, now)
	v.sealTicket(t, next)
	pending := v.keys.SealField(fieldPendingAddress, id[:], []byte(next))
	return v.mailed(ctx, Mail{
		Kind: MailAddress, To: Text(next), Locale: c.Locale(), Key: Text(token.Expose()),
		Created: now, Expires: t.record.expires,
	}, now, func(tx storage.Tx) (bool, error) {
		r, err := v.stillProved(tx, id, proved)
		if err != nil {
			return false, err
		}
		goes, err := mayMail(tx, nextID, mailsAddress, now)
		if err != nil || !goes {
			return false, err
		}
		if err := issue(tx, r, t); err != nil {
			return false, err
		}
		at, _, _, err := standingOf(tx, nextID)
		if err != nil {
			return false, err
		}
		r.pendingAddress = pending
		return at == addressFree, putAccount(tx, id, r)
	})
}

// ConfirmAddressChange gives the caller's account its next address with the
// token of the link that was mailed there, and tells the old one. Sessions and
// API tokens stay.
//
// The token alone is not enough: any account can ask for any address, and the
// owner of the address may follow the link without having asked. For callers
// other than the account that asked it returns ErrUnauthenticated, and the
// token stays good. It also returns ErrTicket, for an address that was taken
// meanwhile too.
func (v *Vault) ConfirmAddressChange(ctx context.Context, c Caller, token Text) error {
	if c.with == nil {
		return ErrUnauthenticated
	}
	now := v.clock.now()
	t, r, err := v.seekTicket(ctx, ticketAddress, token, now)
	if err != nil {
		return err
	}
	id := t.record.account
	if id != c.with.id {
		return ErrUnauthenticated
	}
	next, err := v.openTicket(t)
	if err != nil {
		return err
	}
	old, sealed, nextID := v.addressOf(id, r), v.sealAddress(id, next), v.keys.AddressID(next)
	err = v.store.Update(ctx, func(tx storage.Tx) error {
		_, r, err := ticketAccount(tx, ticketAddress, t.row, now)
		if err != nil {
			return err
		}
		if err := moveAddress(tx, id, r, nextID, sealed, now); err != nil {
			return err
		}
		notice := Mail{Kind: MailAddressChanged, To: Text(old), Locale: r.locale, Created: now}
		return v.putNotice(tx, notice, now)
	})
	if err != nil {
		return err
	}
	v.posted()
	return nil
}

// moveAddress gives an account another address and ends what was mailed to the
// old one.
func moveAddress(tx storage.Tx, id AccountID, r *accountRecord, nextID [32]byte, sealed []byte, now time.Time) error {
	at, _, _, err := standingOf(tx, nextID)
	if err != nil {
		return err
	}
	if at != addressFree {
		return ErrTicket
	}
	if err := tx.Delete(bucketAddress, r.addressID[:]); err != nil {
		return err
	}
	if err := tx.Put(bucketAddress, nextID[:], id[:]); err != nil {
		return err
	}
	r.addressID, r.address, r.pendingAddress = nextID, sealed, nil
	if err := dropTickets(tx, r, ticketReset, ticketAddress); err != nil {
		return err
	}
	if err := prove(tx, r, proofMail, now); err != nil {
		return err
	}
	return amend(tx, id, r, AuditAddress, now)
}
