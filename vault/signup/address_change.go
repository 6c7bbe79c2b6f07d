package signup

import (
	"context"
	"time"

	"hush/seal"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/email"
	"hush/vault/outbox"
	"hush/vault/password"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/ticket"
)

// RequestAddressChange mails a link to the new address of the caller's account.
// The response and the work are the same whether or not the address already has
// an account. It returns ErrUnauthenticated, ErrNotConfigured if mail is not
// configured, ErrInvalid, ErrPolicy, ErrCredentials, LockedError or ErrBusy.
func (su *SignUps) RequestAddressChange(ctx context.Context, c caller.Caller, address, password caller.Text) error {
	if c.Anonymous() {
		return refusal.ErrUnauthenticated
	}
	if !su.outbox.Enabled() {
		return refusal.ErrNotConfigured
	}
	next, err := email.CanonicalIn("new_address", address)
	if err != nil {
		return err
	}
	if err := su.policy.AdmitAddress("new_address", next); err != nil {
		return err
	}
	now := su.clock.Now()
	proved, current, err := su.passwords.ProveOwn(ctx, c, password, now)
	if err != nil {
		return err
	}
	if next == current {
		return &refusal.InvalidError{Field: "new_address", Text: "cannot be the same as the current one"}
	}
	return su.mailAddressTicket(ctx, c, proved, next, now)
}

// mailAddressTicket mails the link that confirms a new address. If the address
// is taken, the account gets a ticket, but its link is not mailed. An unconfirmed
// account, which anyone can begin, does not take it.
func (su *SignUps) mailAddressTicket(ctx context.Context, c caller.Caller, proved seal.PasswordHash, next string, now time.Time) error {
	id, nextID, token := c.AccountID(), su.keys.AddressID(next), seal.NewToken(now)
	t := ticket.New(ticket.Address, token, id, now)
	t.Bind(su.keys, next)
	pending := su.accounts.SealPendingAddress(id, next)
	return su.mailed(ctx, outbox.Mail{
		Kind: outbox.MailAddress, To: caller.Text(next), Locale: c.Locale(), Key: caller.Text(token.Expose()),
		Created: now, Expires: t.Expires,
	}, now, func(tx *rows.Tx) (bool, error) {
		r, err := su.accounts.StillProved(tx, id, proved)
		if err != nil {
			return false, err
		}
		goes, err := password.MayMail(tx, nextID, password.MailsAddress, now)
		if err != nil || !goes {
			return false, err
		}
		if err := r.Tickets.Issue(tx, t); err != nil {
			return false, err
		}
		at, _, _, err := account.StateOfAddress(tx, nextID)
		if err != nil {
			return false, err
		}
		r.PendingAddress = pending
		return at == account.AddressFree || at == account.AddressPending, account.PutAccount(tx, id, r)
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
func (su *SignUps) ConfirmAddressChange(ctx context.Context, c caller.Caller, token caller.Text) error {
	if c.Anonymous() {
		return refusal.ErrUnauthenticated
	}
	now := su.clock.Now()
	t, r, err := su.findTicket(ctx, ticket.Address, token, now)
	if err != nil {
		return err
	}
	id := t.Account
	if id != c.AccountID() {
		return refusal.ErrUnauthenticated
	}
	next, err := t.BoundTo(su.keys)
	if err != nil {
		return err
	}
	old, sealed, nextID := su.accounts.AddressOf(id, r), su.accounts.SealAddress(id, next), su.keys.AddressID(next)
	err = su.store.Update(ctx, func(tx *rows.Tx) error {
		_, r, err := account.TicketAccount(tx, ticket.Address, t.Row, now)
		if err != nil {
			return err
		}
		if err := moveAddress(tx, id, r, nextID, sealed, now); err != nil {
			return err
		}
		notice := outbox.Mail{Kind: outbox.MailAddressChanged, To: caller.Text(old), Locale: r.Locale, Created: now}
		return su.outbox.PutNotice(tx, notice, now)
	})
	if err != nil {
		return err
	}
	su.outbox.Wake()
	return nil
}

// moveAddress gives an account another address, unless that was taken meanwhile.
func moveAddress(tx *rows.Tx, id caller.AccountID, r *account.Record, nextID [32]byte, sealed []byte, now time.Time) error {
	at, err := takeAddress(tx, nextID, now)
	if err != nil {
		return err
	}
	if at != account.AddressFree {
		return refusal.ErrTicket
	}
	return account.MoveAddress(tx, id, r, nextID, sealed, now)
}
