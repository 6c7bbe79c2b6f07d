package signup

import (
	"context"
	"errors"
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

// errMoved reports that an address changed its state meanwhile. The caller
// retries.
var errMoved = errors.New("the address changed meanwhile")

// signUpRounds is the maximum number of rounds of a sign-up.
const signUpRounds = 4

// signUp is a sign-up that the policy allows.
type signUp struct {
	address   string // canonical
	addressID [32]byte
	locale    string
	invite    *seal.RowKey // to be spent; nil if none is needed
	now       time.Time
}

// CreateAccount signs up. If mail is configured, the response and the work are
// the same whether or not the address has an account. A new account is mailed
// its link. A pending one is mailed another link, at most once in five minutes.
// The owner of any other is notified, at most once an hour. If mail is not
// configured, the account is ready at once.
//
// If mail is configured, a password is ignored: anyone can sign up with any
// address, so only the holder of the mailed link sets the password, with
// VerifyAccount.
//
// It returns ErrInvalid, ErrPolicy, ErrMaintenance, ErrTicket for an invalid
// invite, ErrChallenge, ErrBusy, and ErrAddressTaken if mail is not configured.
func (su *SignUps) CreateAccount(ctx context.Context, c caller.Caller, n NewAccount) (verificationRequired bool, err error) {
	s, err := su.admitSignUp(ctx, &n)
	if err != nil {
		return false, err
	}
	if c.Anonymous() {
		if err := su.challenges.Spend(ctx, n.Challenge, "signup", s.now); err != nil {
			return false, err
		}
	}
	if !su.outbox.Enabled() {
		return false, su.signUpAtOnce(ctx, s, n.Password)
	}
	for range signUpRounds {
		if err = su.signUpByMail(ctx, s); !errors.Is(err, errMoved) {
			return true, err
		}
	}
	return false, refusal.ErrBusy
}

// admitSignUp checks everything that needs no account.
func (su *SignUps) admitSignUp(ctx context.Context, n *NewAccount) (s signUp, err error) {
	s.now = su.clock.Now()
	if err := su.store.CheckDiskSpace(); err != nil {
		return s, err
	}
	if err := su.policy.AdmitSignUp(n.Invite); err != nil {
		return s, err
	}
	if s.address, err = email.Canonical(n.Address); err != nil {
		return s, err
	}
	if err := su.policy.AdmitAddress("address", s.address); err != nil {
		return s, err
	}
	if !su.outbox.Enabled() {
		if err := password.Check("password", n.Password, s.address); err != nil {
			return s, err
		}
	}
	if s.locale, err = account.OptionalLocale(n.Locale); err != nil {
		return s, err
	}
	s.addressID = su.keys.AddressID(s.address)
	if su.policy.SignUp == caller.SignUpInvite {
		s.invite, err = su.findInvite(ctx, n.Invite, s.address, s.now)
	}
	return s, err
}

// signUpAtOnce creates an account that needs no confirmation.
func (su *SignUps) signUpAtOnce(ctx context.Context, s signUp, password caller.Text) error {
	secret, err := su.passwords.NewSecret(ctx, "password", password, s.address)
	if err != nil {
		return err
	}
	err = su.store.View(ctx, func(tx *rows.Tx) error { return refuseTaken(tx, s.addressID) })
	if err != nil {
		return err
	}
	id, r := su.accounts.NewRecord(s.address, s.locale, s.now)
	return su.store.Update(ctx, func(tx *rows.Tx) error {
		if err := refuseTaken(tx, s.addressID); err != nil {
			return err
		}
		if err := spendInvite(tx, s.invite, s.now); err != nil {
			return err
		}
		return su.accounts.Add(tx, id, r, secret, s.now)
	})
}

// refuseTaken returns ErrAddressTaken unless an address is free.
func refuseTaken(tx *rows.Tx, addressID [32]byte) error {
	at, _, _, err := account.StateOfAddress(tx, addressID)
	if err == nil && at != account.AddressFree {
		err = refusal.ErrAddressTaken
	}
	return err
}

// signUpByMail creates a pending account, or writes to the owner of the
// existing one. It returns errMoved if the address changed its state meanwhile.
func (su *SignUps) signUpByMail(ctx context.Context, s signUp) error {
	var found account.AddressState
	err := su.store.View(ctx, func(tx *rows.Tx) (err error) {
		found, _, _, err = account.StateOfAddress(tx, s.addressID)
		return err
	})
	if err != nil {
		return err
	}
	token := seal.NewToken(s.now)
	m := outbox.Mail{Kind: outbox.MailVerify, To: caller.Text(s.address), Locale: s.locale, Created: s.now}
	if found == account.AddressFree || found == account.AddressPending {
		m.Key, m.Expires = caller.Text(token.Expose()), s.now.Add(ticket.Verify.Lifetime())
	} else {
		m.Kind = outbox.MailTaken
	}
	newID, fresh := su.accounts.NewRecord(s.address, s.locale, s.now)
	fresh.Pending = true
	return su.mailed(ctx, m, s.now, func(tx *rows.Tx) (bool, error) {
		at, id, r, err := account.StateOfAddress(tx, s.addressID)
		if err != nil {
			return false, err
		}
		if at != found {
			return false, errMoved
		}
		if err := spendInvite(tx, s.invite, s.now); err != nil {
			return false, err
		}
		switch at {
		case account.AddressFree:
			r := *fresh
			return su.signUpFresh(tx, s, newID, &r, token)
		case account.AddressPending:
			return su.signUpAgain(tx, s, id, r, token)
		case account.AddressUsed, account.AddressBuried:
		}
		goes, err := password.MayMail(tx, s.addressID, password.MailsTaken, s.now)
		return goes && at == account.AddressUsed, err
	})
}

// signUpFresh adds the account and its ticket. The account has no password.
func (su *SignUps) signUpFresh(tx *rows.Tx, s signUp, id caller.AccountID, r *account.Record, token seal.Token) (bool, error) {
	// The first link is mailed even if one was requested before there was an
	// account.
	if _, err := password.MayMail(tx, s.addressID, password.MailsVerify, s.now); err != nil {
		return false, err
	}
	if err := r.Tickets.Issue(tx, ticket.New(ticket.Verify, token, id, s.now)); err != nil {
		return false, err
	}
	return true, su.accounts.Add(tx, id, r, nil, s.now)
}

// signUpAgain gives a pending account another ticket. It deletes a password
// that an older version stored with the sign-up.
func (su *SignUps) signUpAgain(tx *rows.Tx, s signUp, id caller.AccountID, r *account.Record, token seal.Token) (bool, error) {
	goes, err := password.MayMail(tx, s.addressID, password.MailsVerify, s.now)
	if err != nil || !goes {
		return false, err
	}
	if err := r.Tickets.Issue(tx, ticket.New(ticket.Verify, token, id, s.now)); err != nil {
		return false, err
	}
	r.Password, r.Locale, r.Updated = nil, s.locale, s.now
	return true, account.PutAccount(tx, id, r)
}
