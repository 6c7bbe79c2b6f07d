package vault

import (
	"context"
	"time"

	"hush/seal"
	"hush/storage"
)

// VerifyAccount confirms the address of a new account with the token of the
// link that was mailed to it, and sets the account's password. Whatever was
// sent with the sign-up is never used: whoever signed up need not be the owner
// of the address. It returns ErrTicket, ErrInvalid or ErrBusy.
func (v *Vault) VerifyAccount(ctx context.Context, _ Caller, token, password Text) error {
	now := v.clock.now()
	t, r, err := v.seekTicket(ctx, ticketVerify, token, now)
	if err != nil {
		return err
	}
	secret, err := v.newSecret(ctx, "password", password, v.addressOf(t.record.account, r))
	if err != nil {
		return err
	}
	return v.store.Update(ctx, func(tx storage.Tx) error {
		t, r, err := ticketAccount(tx, ticketVerify, t.row, now)
		if err != nil {
			return err
		}
		return v.firstPassword(tx, t.record.account, r, secret, now)
	})
}

// firstPassword confirms an account that waits and gives it its password and
// key pair. A password and a pair that an older version made at sign-up go.
// It stores r, and returns ErrTicket for an account that does not wait.
func (v *Vault) firstPassword(tx storage.Tx, id AccountID, r *accountRecord, secret *accountSecret, now time.Time) error {
	if !r.pending {
		return ErrTicket
	}
	if err := prove(tx, r, proofMail, now); err != nil {
		return err
	}
	if err := v.replaceMainPair(tx, id, secret.key, secret.password.holder, now); err != nil {
		return err
	}
	if err := clearTries(tx, r.addressID); err != nil {
		return err
	}
	if err := setPassword(tx, r, &secret.password.record); err != nil {
		return err
	}
	return amend(tx, id, r, AuditVerify, now)
}

// prove notes that an account's address is its owner's. The caller stores r.
func prove(tx storage.Tx, r *accountRecord, by proof, now time.Time) error {
	if r.proof == proofNone {
		r.verified = now
	}
	r.proof, r.pending = by, false
	return dropTickets(tx, r, ticketVerify)
}

// ResendVerification mails the link that confirms a new account again, at most
// once in five minutes. The answer and the work are the same whatever the
// address. It returns ErrInvalid, and ErrNotConfigured where no mail is set up.
func (v *Vault) ResendVerification(ctx context.Context, _ Caller, address Text) error {
	return v.mailTicket(ctx, address, linkMail{MailVerify, ticketVerify, mailsVerify, func(at standing) bool {
		return at == addressPending
	}})
}

// RequestPasswordReset mails a link that sets a new password, at most three an
// hour. The answer and the work are the same whatever the address. It returns
// ErrInvalid, and ErrNotConfigured where no mail is set up.
func (v *Vault) RequestPasswordReset(ctx context.Context, _ Caller, address Text) error {
	return v.mailTicket(ctx, address, linkMail{MailReset, ticketReset, mailsReset, func(at standing) bool {
		return at == addressPending || at == addressUsed
	}})
}

// linkMail is a mail with a ticket for whoever has an account.
type linkMail struct {
	mail   MailKind
	ticket ticketKind
	count  byte
	// serves tells who gets one, besides that nobody does who is disabled.
	serves func(standing) bool
}

// mailTicket mails a ticket to an address if it has an account that gets one.
func (v *Vault) mailTicket(ctx context.Context, text Text, l linkMail) error {
	if v.send == nil {
		return ErrNotConfigured
	}
	address, err := canonicalAddress(text)
	if err != nil {
		return err
	}
	now, addressID := v.clock.now(), v.keys.AddressID(address)
	locale, err := v.localeAt(ctx, addressID)
	if err != nil {
		return err
	}
	token := seal.NewToken(now)
	return v.mailed(ctx, Mail{
		Kind: l.mail, To: Text(address), Locale: locale, Key: Text(token.Expose()),
		Created: now, Expires: now.Add(l.ticket.lifetime()),
	}, now, func(tx storage.Tx) (bool, error) {
		goes, err := mayMail(tx, addressID, l.count, now)
		if err != nil || !goes {
			return false, err
		}
		at, id, r, err := standingOf(tx, addressID)
		if err != nil {
			return false, err
		}
		t := newTicket(l.ticket, token, id, now)
		if !l.serves(at) || r.disabled {
			return false, nil
		}
		if err := issue(tx, r, t); err != nil {
			return false, err
		}
		return true, putAccount(tx, id, r)
	})
}

// localeAt is the language of the account at an address, or "".
func (v *Vault) localeAt(ctx context.Context, addressID [32]byte) (locale string, err error) {
	err = v.store.View(ctx, func(tx storage.Tx) error {
		_, _, r, err := standingOf(tx, addressID)
		locale = ""
		if r != nil {
			locale = r.locale
		}
		return err
	})
	return locale, err
}
