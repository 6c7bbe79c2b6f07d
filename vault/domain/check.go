package domain

import "time"

// CheckKind is the kind of a DNS check. The numbers are stored.
type CheckKind byte

// The kinds of checks.
const (
	CheckTXT     CheckKind = 1 // whether the TXT record has the value
	CheckAddress CheckKind = 2 // whether the name resolves to this service
)

// Check is one DNS check with its result.
type Check struct {
	Kind   CheckKind
	Passed bool
	// Name is the queried name.
	Name string
	// Expected is empty if it is unknown. Found has at most 10 values of up to
	// 512 bytes.
	Expected, Found []string
	// Problem describes what went wrong; empty if nothing did.
	Problem string
	Time    time.Time
}

// isUnanswered reports whether DNS did not answer in time, so that the check
// neither passed nor failed.
func (c Check) isUnanswered() bool { return c.Problem == problemNoAnswer }

// The texts for the results of a check.
const (
	problemNoTXT     = "No TXT record was found."
	problemOtherTXT  = "There are TXT records, but none has the expected value."
	problemAlias     = "The name is an alias of one outside the domain, where the expected value was not found."
	problemNotFound  = "The expected value was not found." // by a check of an earlier version
	problemTaken     = "Another account has verified this name."
	problemNoAddress = "The name has no address."
	problemElsewhere = "The name does not lead to this service alone."
	problemOutside   = "The name is an alias of one outside the domain, which does not lead to this service alone."
	problemNoHost    = "The addresses of this service are not known."
	problemNoAnswer  = "DNS did not answer in time."
	problemNoDNS     = "DNS could not answer."
)
