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

// VerifyAccount confirms the address of a new account with the token of the
// mailed link, and sets the account's password. It never uses what was sent
// with the sign-up, which may not come from the owner of the address. It
// returns ErrTicket, ErrInvalid or ErrBusy.
func (su *SignUps) VerifyAccount(ctx context.Context, _ caller.Caller, token, password caller.Text) error {
	now := su.clock.Now()
	t, r, err := su.tickets.seekTicket(ctx, ticketVerify, token, now)
	if err != nil {
		return err
	}
	secret, err := su.passwords.newSecret(ctx, "password", password, su.accounts.AddressOf(t.record.account, r))
	if err != nil {
		return err
	}
	return su.store.Update(ctx, func(tx *rows.Tx) error {
		t, r, err := ticketAccount(tx, ticketVerify, t.row, now)
		if err != nil {
			return err
		}
		return su.firstPassword(tx, t.record.account, r, secret, now)
	})
}

// firstPassword confirms a pending account and gives it its password and key
// pair. It deletes a password and a pair that an older version stored at
// sign-up. It stores r, and returns ErrTicket for an account that is not
// pending.
func (su *SignUps) firstPassword(tx *rows.Tx, id caller.AccountID, r *Record, secret *accountSecret, now time.Time) error {
	if !r.Pending {
		return refusal.ErrTicket
	}
	if err := confirmAddress(tx, r, proofMail, now); err != nil {
		return err
	}
	if err := su.credentials.ReplaceMainPair(tx, id, secret.key, secret.password.WrappingSecret, now); err != nil {
		return err
	}
	if err := clearTries(tx, r.AddressID); err != nil {
		return err
	}
	if err := setPassword(tx, r, &secret.password.Record); err != nil {
		return err
	}
	return amend(tx, id, r, audit.Verify, now)
}

// ResendVerification mails the link that confirms a new account again, at most
// once in five minutes. The response and the work are the same for every
// address. It returns ErrInvalid, and ErrNotConfigured if mail is not
// configured.
func (su *SignUps) ResendVerification(ctx context.Context, _ caller.Caller, address caller.Text) error {
	return su.mailTicket(ctx, address, linkMail{outbox.MailVerify, ticketVerify, mailsVerify, func(at addressState) bool {
		return at == addressPending
	}})
}

// RequestPasswordReset mails a link that sets a new password, at most three an
// hour. The response and the work are the same for every address. It returns
// ErrInvalid, and ErrNotConfigured if mail is not configured.
func (su *SignUps) RequestPasswordReset(ctx context.Context, _ caller.Caller, address caller.Text) error {
	return su.mailTicket(ctx, address, linkMail{outbox.MailReset, ticketReset, mailsReset, func(at addressState) bool {
		return at == addressPending || at == addressUsed
	}})
}

// linkMail is a mail with a ticket for the owner of an account.
type linkMail struct {
	mail   outbox.MailKind
	ticket ticketKind
	count  byte
	// serves reports whether an address in that state gets the mail. Disabled
	// accounts never do.
	serves func(addressState) bool
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
		Created: now, Expires: now.Add(l.ticket.lifetime()),
	}, now, func(tx *rows.Tx) (bool, error) {
		goes, err := mayMail(tx, addressID, l.count, now)
		if err != nil || !goes {
			return false, err
		}
		at, id, r, err := addressStateOf(tx, addressID)
		if err != nil {
			return false, err
		}
		t := newTicket(l.ticket, token, id, now)
		if !l.serves(at) || r.Disabled {
			return false, nil
		}
		if err := issue(tx, r, t); err != nil {
			return false, err
		}
		return true, PutAccount(tx, id, r)
	})
}

// localeAt returns the language of the account at an address, or "".
func (su *SignUps) localeAt(ctx context.Context, addressID [32]byte) (locale string, err error) {
	err = su.store.View(ctx, func(tx *rows.Tx) error {
		_, _, r, err := addressStateOf(tx, addressID)
		locale = ""
		if r != nil {
			locale = r.Locale
		}
		return err
	})
	return locale, err
}
