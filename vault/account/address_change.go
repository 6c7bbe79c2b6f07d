package account

import (
	"context"
	"time"

	"hush/seal"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/email"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// RequestAddressChange mails a link to the new address of the caller's account.
// The response and the work are the same whether or not the address already has
// an account. It returns ErrUnauthenticated, ErrNotConfigured if mail is not
// configured, ErrInvalid, ErrPolicy, ErrCredentials, LockedError or ErrBusy.
func (ac *Accounts) RequestAddressChange(ctx context.Context, c caller.Caller, address, password caller.Text) error {
	if c.Anonymous() {
		return refusal.ErrUnauthenticated
	}
	if !ac.outbox.Enabled() {
		return refusal.ErrNotConfigured
	}
	next, err := email.CanonicalIn("new_address", address)
	if err != nil {
		return err
	}
	if err := ac.policy.AdmitAddress("new_address", next); err != nil {
		return err
	}
	now := ac.clock.Now()
	proved, current, err := ac.passwords.proveOwn(ctx, c, password, now)
	if err != nil {
		return err
	}
	if next == current {
		return &refusal.InvalidError{Field: "new_address", Text: "cannot be the same as the current one"}
	}
	return ac.mailAddressTicket(ctx, c, proved, next, now)
}

// mailAddressTicket mails the link that confirms a new address. If the address
// is taken, the account gets a ticket, but its link is not mailed. An unconfirmed
// account, which anyone can begin, does not take it.
func (ac *Accounts) mailAddressTicket(ctx context.Context, c caller.Caller, proved seal.PasswordHash, next string, now time.Time) error {
	id, nextID, token := c.AccountID(), ac.keys.AddressID(next), seal.NewToken(now)
	t := newTicket(ticketAddress, token, id, now)
	ac.tickets.sealTicket(t, next)
	pending := ac.keys.SealField(fieldPendingAddress, id[:], []byte(next))
	return ac.signUps.mailed(ctx, outbox.Mail{
		Kind: outbox.MailAddress, To: caller.Text(next), Locale: c.Locale(), Key: caller.Text(token.Expose()),
		Created: now, Expires: t.record.expires,
	}, now, func(tx *rows.Tx) (bool, error) {
		r, err := ac.passwords.stillProved(tx, id, proved)
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
		at, _, _, err := addressStateOf(tx, nextID)
		if err != nil {
			return false, err
		}
		r.pendingAddress = pending
		return at == addressFree || at == addressPending, PutAccount(tx, id, r)
	})
}

// ConfirmAddressChange gives the caller's account its new address and notifies
// the old one. It takes the token of the link that was mailed to the new
// address. Sessions and API tokens stay.
//
// The token alone is not enough: any account can request any address, and the
// owner of that address may follow the link without having asked. A caller from
// another account gets ErrUnauthenticated, and the token stays valid. ErrTicket
// also means that the address was taken meanwhile.
func (ac *Accounts) ConfirmAddressChange(ctx context.Context, c caller.Caller, token caller.Text) error {
	if c.Anonymous() {
		return refusal.ErrUnauthenticated
	}
	now := ac.clock.Now()
	t, r, err := ac.tickets.seekTicket(ctx, ticketAddress, token, now)
	if err != nil {
		return err
	}
	id := t.record.account
	if id != c.AccountID() {
		return refusal.ErrUnauthenticated
	}
	next, err := ac.tickets.openTicket(t)
	if err != nil {
		return err
	}
	old, sealed, nextID := ac.AddressOf(id, r), ac.sealAddress(id, next), ac.keys.AddressID(next)
	err = ac.store.Update(ctx, func(tx *rows.Tx) error {
		_, r, err := ticketAccount(tx, ticketAddress, t.row, now)
		if err != nil {
			return err
		}
		if err := ac.moveAddress(tx, id, r, nextID, sealed, now); err != nil {
			return err
		}
		notice := outbox.Mail{Kind: outbox.MailAddressChanged, To: caller.Text(old), Locale: r.Locale, Created: now}
		return ac.outbox.PutNotice(tx, notice, now)
	})
	if err != nil {
		return err
	}
	ac.outbox.Wake()
	return nil
}

// moveAddress gives an account another address and ends what was mailed to the
// old one.
func (ac *Accounts) moveAddress(tx *rows.Tx, id caller.AccountID, r *Record, nextID [32]byte, sealed []byte, now time.Time) error {
	at, err := ac.takeAddress(tx, nextID, now)
	if err != nil {
		return err
	}
	if at != addressFree {
		return refusal.ErrTicket
	}
	if err := tx.Delete(BucketAddress, r.AddressID[:]); err != nil {
		return err
	}
	if err := tx.Put(BucketAddress, nextID[:], id[:]); err != nil {
		return err
	}
	r.AddressID, r.address, r.pendingAddress = nextID, sealed, nil
	if err := dropTickets(tx, r, ticketReset, ticketAddress); err != nil {
		return err
	}
	if err := confirmAddress(tx, r, proofMail, now); err != nil {
		return err
	}
	return amend(tx, id, r, audit.Address, now)
}
