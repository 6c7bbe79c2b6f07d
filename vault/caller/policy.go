package caller

import (
	"slices"
	"strings"
	"unicode/utf8"

	"hush/vault/refusal"
)

// SignUp selects who may create an account.
type SignUp byte

// The values of SignUp.
const (
	SignUpOpen   SignUp = 1 // everyone
	SignUpInvite SignUp = 2 // holders of an invite
	SignUpClosed SignUp = 3 // only the operator creates accounts
)

// Kinds selects the kinds of secrets that may be created. Those of other kinds that
// exist can still be opened.
type Kinds byte

// The values of Kinds.
const (
	KindsAny      Kinds = 0
	KindsEndToEnd Kinds = 1 // only secrets that the sender's device encrypts
	KindsServer   Kinds = 2 // only secrets that the server encrypts
)

// Requests selects who may ask for secrets. Requests that exist go on in any case.
type Requests byte

// The values of Requests.
const (
	RequestsAccounts Requests = 0
	RequestsAnyone   Requests = 1
	RequestsOff      Requests = 2
)

// Policy is what the operator allows. The zero Policy lets everyone conceal
// any kind of secret, requires no passphrase, and keeps sign-up closed.
type Policy struct {
	// SignUp selects who may create an account; zero means SignUpClosed.
	SignUp SignUp
	// SignUpDomains are the domains, in lower case, whose addresses may sign
	// up; empty means all.
	SignUpDomains []string
	// Colonels are the canonical addresses that have the colonel role.
	Colonels []string
	// NoAnonymousCreate keeps anonymous callers from concealing.
	NoAnonymousCreate bool
	// Kinds selects the kinds of secrets that may be created.
	Kinds Kinds
	// Requests selects who may ask for secrets. An answer is end-to-end encrypted, so
	// with KindsServer no one may.
	Requests Requests
	// PassphraseRequired requires a passphrase for every secret, and
	// PassphraseMin is its minimum number of characters.
	PassphraseRequired bool
	PassphraseMin      int
	// Maintenance, unless empty, refuses all creation with this text.
	Maintenance string
	// ChallengeAbove is how many secrets a network may conceal anonymously in
	// 20 minutes before each requires a solved challenge; 0 means any number.
	ChallengeAbove int
}

// PolicyError is a refusal by the operator's policy. It is ErrPolicy.
type PolicyError struct {
	// Field is the refused argument, if there is one.
	Field string
	Text  string
}

func (e *PolicyError) Error() string        { return e.Text }
func (e *PolicyError) Is(target error) bool { return target == refusal.ErrPolicy }

// MaintenanceError carries the operator's text. It is ErrMaintenance.
type MaintenanceError struct{ Text string }

func (e *MaintenanceError) Error() string        { return e.Text }
func (e *MaintenanceError) Is(target error) bool { return target == refusal.ErrMaintenance }

// AdmitSecret returns an error unless the caller may conceal a secret that the
// server encrypts, with the given passphrase.
func (p *Policy) AdmitSecret(c Caller, passphrase Text) error {
	if err := p.admitSecret(c); err != nil {
		return err
	}
	switch {
	case p.Kinds == KindsEndToEnd:
		return &PolicyError{Text: "Only end-to-end encrypted secrets can be shared here: in a browser, or with the hush client."}
	case p.PassphraseRequired && passphrase == "":
		return &PolicyError{Field: "passphrase", Text: "A passphrase is required for all secrets"}
	case passphrase != "" && utf8.RuneCountInString(string(passphrase)) < p.PassphraseMin:
		return &PolicyError{Field: "passphrase", Text: refusal.Plural("Passphrase must be at least %d character", p.PassphraseMin) + " long"}
	}
	return nil
}

// AdmitSealed returns an error unless the caller may conceal an end-to-end
// encrypted secret. The service never sees its passphrase, so a minimum length is
// up to the sender's device.
func (p *Policy) AdmitSealed(c Caller, hasPassphrase bool) error {
	if err := p.admitSecret(c); err != nil {
		return err
	}
	switch {
	case p.Kinds == KindsServer:
		return &PolicyError{Text: "Only secrets that the server encrypts can be shared here."}
	case p.PassphraseRequired && !hasPassphrase:
		return &PolicyError{Field: "sealed.has_passphrase", Text: "A passphrase is required for all secrets"}
	}
	return nil
}

// admitSecret returns an error unless the caller may conceal secrets at all.
func (p *Policy) admitSecret(c Caller) error {
	switch {
	case p.Maintenance != "":
		return &MaintenanceError{Text: p.Maintenance}
	case p.NoAnonymousCreate && c.Anonymous():
		return &PolicyError{Text: "An account is required to share secrets here."}
	}
	return nil
}

// WhoMayRequest returns who may ask for secrets.
func (p *Policy) WhoMayRequest() Requests {
	if p.Kinds == KindsServer {
		return RequestsOff
	}
	return p.Requests
}

// AdmitRequest returns an error unless the caller may ask for secrets.
func (p *Policy) AdmitRequest(c Caller) error {
	switch who := p.WhoMayRequest(); {
	case p.Maintenance != "":
		return &MaintenanceError{Text: p.Maintenance}
	case who == RequestsAnyone, who == RequestsAccounts && !c.Anonymous():
		return nil
	case who == RequestsAccounts:
		return &PolicyError{Text: "An account is required to ask for secrets here."}
	}
	return &PolicyError{Text: "Secrets cannot be asked for here."}
}

// AdmitAnswer returns an error unless answers to requests are taken.
func (p *Policy) AdmitAnswer() error {
	if p.Maintenance != "" {
		return &MaintenanceError{Text: p.Maintenance}
	}
	return nil
}

// Colonel reports whether an address is on the operator's list.
func (p *Policy) Colonel(address string) bool { return slices.Contains(p.Colonels, address) }

// AdmitSignUp returns an error unless sign-up is possible with the given
// invite.
func (p *Policy) AdmitSignUp(invite Text) error {
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

// AdmitAddress returns an error unless an account may have the address.
func (p *Policy) AdmitAddress(field, address string) error {
	domain := address[strings.LastIndexByte(address, '@')+1:]
	if len(p.SignUpDomains) == 0 || slices.Contains(p.SignUpDomains, domain) {
		return nil
	}
	return &PolicyError{Field: field, Text: "Addresses of that domain may not be used here."}
}
