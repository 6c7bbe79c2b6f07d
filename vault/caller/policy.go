package caller

import (
	"slices"
	"strings"
	"unicode/utf8"

	"hush/vault/refusal"
)

// SignUp is who may make an account.
type SignUp byte

// The ways to an account.
const (
	SignUpOpen   SignUp = 1 // anybody
	SignUpInvite SignUp = 2 // whoever has an invite
	SignUpClosed SignUp = 3 // nobody; the operator makes accounts
)

// Policy is what the operator allows. The zero Policy lets everybody conceal,
// asks for no passphrase, and keeps sign-up closed.
type Policy struct {
	// SignUp is who may make an account; zero means SignUpClosed.
	SignUp SignUp
	// SignUpDomains are the domains whose addresses may sign up, in lower case;
	// none means all.
	SignUpDomains []string
	// Colonels are the addresses, canonical, that have the colonel's role.
	Colonels []string
	// NoAnonymousCreate keeps callers without an account from concealing.
	NoAnonymousCreate bool
	// PassphraseRequired asks for a passphrase on every secret, and
	// PassphraseMin is the fewest characters of one.
	PassphraseRequired bool
	PassphraseMin      int
	// Maintenance, unless empty, is what those are told who want to create.
	Maintenance string
	// ChallengeAbove is how many secrets a network may conceal in 20 minutes
	// without an account before each takes a solved challenge; 0 for any number.
	ChallengeAbove int
}

// PolicyError says what the operator does not allow. It is ErrPolicy.
type PolicyError struct {
	// Field is the argument that is refused, if it is one.
	Field string
	Text  string
}

func (e *PolicyError) Error() string        { return e.Text }
func (e *PolicyError) Is(target error) bool { return target == refusal.ErrPolicy }

// MaintenanceError carries the operator's words. It is ErrMaintenance.
type MaintenanceError struct{ Text string }

func (e *MaintenanceError) Error() string        { return e.Text }
func (e *MaintenanceError) Is(target error) bool { return target == refusal.ErrMaintenance }

// AdmitSecret tells whether the caller may conceal a secret with such a
// passphrase.
func (p *Policy) AdmitSecret(c Caller, passphrase Text) error {
	switch {
	case p.Maintenance != "":
		return &MaintenanceError{Text: p.Maintenance}
	case p.NoAnonymousCreate && c.Anonymous():
		return &PolicyError{Text: "An account is required to share secrets here."}
	case p.PassphraseRequired && passphrase == "":
		return &PolicyError{Field: "passphrase", Text: "A passphrase is required for all secrets"}
	case passphrase != "" && utf8.RuneCountInString(string(passphrase)) < p.PassphraseMin:
		return &PolicyError{Field: "passphrase", Text: refusal.Plural("Passphrase must be at least %d character", p.PassphraseMin) + " long"}
	}
	return nil
}

// Colonel tells whether an address is on the operator's list.
func (p *Policy) Colonel(address string) bool { return slices.Contains(p.Colonels, address) }

// AdmitSignUp tells whether somebody with such an invite may sign up at all.
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

// AdmitAddress tells whether an account may have an address.
func (p *Policy) AdmitAddress(field, address string) error {
	domain := address[strings.LastIndexByte(address, '@')+1:]
	if len(p.SignUpDomains) == 0 || slices.Contains(p.SignUpDomains, domain) {
		return nil
	}
	return &PolicyError{Field: field, Text: "Addresses of that domain may not be used here."}
}
