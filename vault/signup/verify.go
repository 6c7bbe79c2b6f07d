package signup

import (
	"context"
	"time"

	"hush/seal"
	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/email"
	"hush/vault/outbox"
	"hush/vault/password"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/ticket"
)

// VerifyAccount confirms the address of a new account with the token of the
// mailed link, and sets the account's password. It never uses what was sent
// with the sign-up, which may not come from the owner of the address. It
// returns ErrTicket, ErrInvalid or ErrBusy.
func (su *SignUps) VerifyAccount(ctx context.Context, _ caller.Caller, token, password caller.Text) error {
	now := su.clock.Now()
	t, r, err := su.findTicket(ctx, ticket.Verify, token, now)
	if err != nil {
		return err
	}
	secret, err := su.passwords.NewSecret(ctx, "password", password, su.accounts.AddressOf(t.Account, r))
	if err != nil {
		return err
	}
	return su.store.Update(ctx, func(tx *rows.Tx) error {
		t, r, err := account.TicketAccount(tx, ticket.Verify, t.Row, now)
		if err != nil {
			return err
		}
		return su.firstPassword(tx, t.Account, r, secret, now)
	})
}

// firstPassword confirms a pending account and gives it its password and key
// pair. It deletes a password and a pair that an older version stored at
// sign-up. It stores r, and returns ErrTicket for an account that is not
// pending.
func (su *SignUps) firstPassword(tx *rows.Tx, id caller.AccountID, r *account.Record, secret *account.NewSecret, now time.Time) error {
	if !r.Pending {
		return refusal.ErrTicket
	}
	if err := account.ConfirmAddress(tx, r, account.ProofMail, now); err != nil {
		return err
	}
	if err := su.credentials.ReplaceMainPair(tx, id, secret.Key, secret.Password.WrappingSecret, now); err != nil {
		return err
	}
	if err := password.ClearTries(tx, r.AddressID); err != nil {
		return err
	}
	if err := account.SetPassword(tx, r, &secret.Password.Record); err != nil {
		return err
	}
	return account.Amend(tx, id, r, audit.Verify, now)
}

// ResendVerification mails the link that confirms a new account again, at most
// once in five minutes. The response and the work are the same for every
// address. It returns ErrInvalid, and ErrNotConfigured if mail is not
// configured.
func (su *SignUps) ResendVerification(ctx context.Context, _ caller.Caller, address caller.Text) error {
	return su.mailTicket(ctx, address, linkMail{outbox.MailVerify, ticket.Verify, password.MailsVerify, func(at account.AddressState) bool {
		return at == account.AddressPending
	}})
}

// RequestPasswordReset mails a link that sets a new password, at most three an
// hour. The response and the work are the same for every address. It returns
// ErrInvalid, and ErrNotConfigured if mail is not configured.
func (su *SignUps) RequestPasswordReset(ctx context.Context, _ caller.Caller, address caller.Text) error {
	return su.mailTicket(ctx, address, linkMail{outbox.MailReset, ticket.Reset, password.MailsReset, func(at account.AddressState) bool {
		return at == account.AddressPending || at == account.AddressUsed
	}})
}

// linkMail is a mail with a ticket for the owner of an account.
type linkMail struct {
	mail   outbox.MailKind
	ticket ticket.Kind
	count  byte
	// serves reports whether an address in that state gets the mail. Disabled
	// accounts never do.
	serves func(account.AddressState) bool
}

// mailTicket mails a ticket to an address if its account gets one.
func (su *SignUps) mailTicket(ctx context.Context, text caller.Text, l linkMail) error {
	if !su.outbox.Enabled() {
		return refusal.ErrNotConfigured
	}
	address, err := email.Canonical(text)
	if err != nil {
		return err
	}
	now, addressID := su.clock.Now(), su.keys.AddressID(address)
	locale, err := su.localeAt(ctx, addressID)
	if err != nil {
		return err
	}
	token := seal.NewToken(now)
	return su.mailed(ctx, outbox.Mail{
		Kind: l.mail, To: caller.Text(address), Locale: locale, Key: caller.Text(token.Expose()),
		Created: now, Expires: now.Add(l.ticket.Lifetime()),
	}, now, func(tx *rows.Tx) (bool, error) {
		goes, err := password.MayMail(tx, addressID, l.count, now)
		if err != nil || !goes {
			return false, err
		}
		at, id, r, err := account.StateOfAddress(tx, addressID)
		if err != nil {
			return false, err
		}
		t := ticket.New(l.ticket, token, id, now)
		if !l.serves(at) || r.Disabled {
			return false, nil
		}
		if err := r.Tickets.Issue(tx, t); err != nil {
			return false, err
		}
		return true, account.PutAccount(tx, id, r)
	})
}

// localeAt returns the language of the account at an address, or "".
func (su *SignUps) localeAt(ctx context.Context, addressID [32]byte) (locale string, err error) {
	err = su.store.View(ctx, func(tx *rows.Tx) error {
		_, _, r, err := account.StateOfAddress(tx, addressID)
		locale = ""
		if r != nil {
			locale = r.Locale
		}
		return err
	})
	return locale, err
}

// findTicket finds the ticket that a token opens, and its account, in a read
// transaction. It returns ErrTicket.
func (su *SignUps) findTicket(ctx context.Context, kind ticket.Kind, text caller.Text, now time.Time) (found ticket.Ticket, r *account.Record, err error) {
	token, ok := seal.ParseToken(string(text))
	if !ok {
		return ticket.Ticket{}, nil, refusal.ErrTicket
	}
	err = su.store.View(ctx, func(tx *rows.Tx) error {
		found, r, err = account.TicketAccount(tx, kind, token.RowKey(kind.Tokens()), now)
		return err
	})
	return found, r, err
}

// FindReset checks a mailed link to set a password, and returns the account's address.
// It returns ErrTicket.
func (su *SignUps) FindReset(ctx context.Context, token caller.Text, now time.Time) (address string, err error) {
	t, r, err := su.findTicket(ctx, ticket.Reset, token, now)
	if err != nil {
		return "", err
	}
	return su.accounts.AddressOf(t.Account, r), nil
}

// TakeReset returns the account of a mailed link to set a password, in the transaction
// that sets it. The link confirms the address. The caller stores the record. It returns
// ErrTicket.
func TakeReset(tx *rows.Tx, token caller.Text, now time.Time) (caller.AccountID, *account.Record, error) {
	parsed, ok := seal.ParseToken(string(token))
	if !ok {
		return caller.AccountID{}, nil, refusal.ErrTicket
	}
	t, r, err := account.TicketAccount(tx, ticket.Reset, parsed.RowKey(seal.KindReset), now)
	if err != nil {
		return caller.AccountID{}, nil, err
	}
	return t.Account, r, account.ConfirmAddress(tx, r, account.ProofMail, now)
}
