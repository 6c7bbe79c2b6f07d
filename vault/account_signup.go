package vault

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"hush/seal"
	"hush/storage"
)

// errMoved: what was found at an address is there no longer. The caller looks
// again.
var errMoved = errors.New("the address moved on")

// signUpRounds is how often a sign-up looks again.
const signUpRounds = 4

// signUp is a sign-up that the policy admits.
type signUp struct {
	address   string // canonical
	addressID [32]byte
	locale    string
	invite    *seal.RowKey // to be spent; nil where none is needed
	now       time.Time
}

// CreateAccount signs up. Where mail is set up it answers the same and does
// the same work whether or not the address has an account: a new account waits
// for the link that is mailed, one that waits already is mailed another link
// at most once in five minutes, and the owner of any other is told at most
// once an hour. Where no mail is set up the account is ready at once.
//
// Where mail is set up a password is ignored: anyone can sign up with any
// address, so only the holder of the mailed link chooses the password, with
// VerifyAccount.
//
// It returns ErrInvalid, ErrPolicy, ErrMaintenance, ErrTicket for an invite
// that is not good, ErrChallenge, ErrBusy, and ErrAddressTaken where no mail
// is set up.
func (v *Vault) CreateAccount(ctx context.Context, c Caller, n NewAccount) (verificationRequired bool, err error) {
	s, err := v.admitSignUp(ctx, &n)
	if err != nil {
		return false, err
	}
	if c.Anonymous() {
		if err := v.spendChallenge(ctx, n.Challenge, "signup", s.now); err != nil {
			return false, err
		}
	}
	if v.send == nil {
		return false, v.signUpAtOnce(ctx, s, n.Password)
	}
	for range signUpRounds {
		if err = v.signUpByMail(ctx, s); !errors.Is(err, errMoved) {
			return true, err
		}
	}
	return false, ErrBusy
}

// admitSignUp checks whatever can be checked without looking for an account.
func (v *Vault) admitSignUp(ctx context.Context, n *NewAccount) (s signUp, err error) {
	s.now = v.clock.now()
	if err := v.checkRoom(); err != nil {
		return s, err
	}
	if err := v.policy.admitSignUp(n.Invite); err != nil {
		return s, err
	}
	if s.address, err = canonicalAddress(n.Address); err != nil {
		return s, err
	}
	if err := v.policy.admitAddress("address", s.address); err != nil {
		return s, err
	}
	if v.send == nil {
		if err := checkPasswordOf("password", n.Password, s.address); err != nil {
			return s, err
		}
	}
	if s.locale, err = optionalLocale(n.Locale); err != nil {
		return s, err
	}
	s.addressID = v.keys.AddressID(s.address)
	if v.policy.SignUp == SignUpInvite {
		s.invite, err = v.findInvite(ctx, n.Invite, s.address, s.now)
	}
	return s, err
}

// admitSignUp tells whether somebody with such an invite may sign up at all.
func (p *Policy) admitSignUp(invite Text) error {
	switch {
	case p.Maintenance != "":
		return &MaintenanceError{Text: p.Maintenance}
	case p.SignUp == SignUpInvite && invite == "":
		return &PolicyError{Field: "invite", Text: "Signing up takes an invite here."}
	case p.SignUp == SignUpOpen, p.SignUp == SignUpInvite:
		return nil
	}
	return &PolicyError{Text: "Signing up is closed here."}
}

// admitAddress tells whether an account may have an address.
func (p *Policy) admitAddress(field, address string) error {
	domain := address[strings.LastIndexByte(address, '@')+1:]
	if len(p.SignUpDomains) == 0 || slices.Contains(p.SignUpDomains, domain) {
		return nil
	}
	return &PolicyError{Field: field, Text: "Addresses of that domain may not be used here."}
}

// signUpAtOnce makes an account that nobody confirms.
func (v *Vault) signUpAtOnce(ctx context.Context, s signUp, password Text) error {
	secret, err := v.newSecret(ctx, "password", password, s.address)
	if err != nil {
		return err
	}
	err = v.store.View(ctx, func(tx storage.Tx) error { return refuseTaken(tx, s.addressID) })
	if err != nil {
		return err
	}
	id, r := v.newAccount(s.address, s.locale, s.now)
	return v.store.Update(ctx, func(tx storage.Tx) error {
		if err := refuseTaken(tx, s.addressID); err != nil {
			return err
		}
		if err := spendInvite(tx, s.invite, s.now); err != nil {
			return err
		}
		return v.addAccount(tx, id, r, secret, s.now)
	})
}

// refuseTaken returns ErrAddressTaken unless an address is free.
func refuseTaken(tx storage.Tx, addressID [32]byte) error {
	at, _, _, err := standingOf(tx, addressID)
	if err == nil && at != addressFree {
		err = ErrAddressTaken
	}
	return err
}

// signUpByMail makes an account that waits for its link, or writes to the
// owner of the one that there is. It returns errMoved if somebody else signed
// up meanwhile.
func (v *Vault) signUpByMail(ctx context.Context, s signUp) error {
	var found standing
	err := v.store.View(ctx, func(tx storage.Tx) (err error) {
		found, _, _, err = standingOf(tx, s.addressID)
		return err
	})
	if err != nil {
		return err
	}
	token := seal.NewToken(s.now)
	m := Mail{Kind: MailVerify, To: Text(s.address), Locale: s.locale, Created: s.now}
	if found == addressFree || found == addressPending {
		m.Key, m.Expires = Text(token.Expose()), s.now.Add(verifyLifetime)
	} else {
		m.Kind = MailTaken
	}
	newID, fresh := v.newAccount(s.address, s.locale, s.now)
	fresh.pending = true
	return v.mailed(ctx, m, s.now, func(tx storage.Tx) (bool, error) {
		at, id, r, err := standingOf(tx, s.addressID)
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
		case addressFree:
			r := *fresh
			return v.signUpFresh(tx, s, newID, &r, token)
		case addressPending:
			return v.signUpAgain(tx, s, id, r, token)
		case addressUsed, addressBuried:
		}
		goes, err := mayMail(tx, s.addressID, mailsTaken, s.now)
		return goes && at == addressUsed, err
	})
}

// signUpFresh adds the account and its ticket. The account has no password.
func (v *Vault) signUpFresh(tx storage.Tx, s signUp, id AccountID, r *accountRecord, token seal.Token) (bool, error) {
	// The first link goes even if somebody asked for another one before there
	// was an account.
	if _, err := mayMail(tx, s.addressID, mailsVerify, s.now); err != nil {
		return false, err
	}
	if err := issue(tx, r, newTicket(ticketVerify, token, id, s.now)); err != nil {
		return false, err
	}
	return true, v.addAccount(tx, id, r, nil, s.now)
}

// signUpAgain gives an account that waits another ticket. A password that an
// older version stored with the sign-up goes.
func (v *Vault) signUpAgain(tx storage.Tx, s signUp, id AccountID, r *accountRecord, token seal.Token) (bool, error) {
	goes, err := mayMail(tx, s.addressID, mailsVerify, s.now)
	if err != nil || !goes {
		return false, err
	}
	if err := issue(tx, r, newTicket(ticketVerify, token, id, s.now)); err != nil {
		return false, err
	}
	r.password, r.locale, r.updated = nil, s.locale, s.now
	return true, putAccount(tx, id, r)
}
