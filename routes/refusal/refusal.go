// Package refusal represents why a route does not serve a request. It maps the
// errors of RPCs to the few classes that legacy responses distinguish, and
// classes to statuses and texts.
//
// It promises that a refusal never contains what the caller sent, except for
// names that routes and services know or almost know, and never the cause of an
// unexpected error. Every package below routes may use it; only Read interprets the errors
// of RPCs.
package refusal

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"hush/handlers/chain"
)

// Class is the reason of a refusal, as far as legacy responses distinguish
// reasons. Each version's table maps a class to its wire form.
type Class int

// The classes. Any other value counts as ClassInternal.
const (
	// ClassInternal is every unexpected error. No response shows its cause.
	ClassInternal Class = iota
	// ClassRoute is a path that no route has.
	ClassRoute
	// ClassMethod is a path whose routes have other methods.
	ClassMethod
	// ClassMalformed is a body that does not match its Content-Type.
	ClassMalformed
	// ClassEncoding is a body with a Content-Encoding or an unknown Content-Type.
	ClassEncoding
	// ClassTooLarge is a value or a body above its limit in bytes.
	ClassTooLarge
	// ClassInvalid is any other unacceptable value.
	ClassInvalid
	// ClassDuplicate is a name that the caller already uses.
	ClassDuplicate
	// ClassUnknown is a key that opens nothing, for any reason.
	ClassUnknown
	// ClassDomain is a domain that the caller does not have.
	ClassDomain
	// ClassUnauthorized is a missing or wrong credential.
	ClassUnauthorized
	// ClassPassphrase is a missing or wrong passphrase.
	ClassPassphrase
	// ClassEndToEnd is an end-to-end encrypted secret, which these routes cannot
	// open.
	ClassEndToEnd
	// ClassLimited is a caller who must wait.
	ClassLimited
	// ClassFull is a service without room for more.
	ClassFull
	// ClassForbidden is an action that is not allowed, either with this
	// credential or on this service at all.
	ClassForbidden
	// ClassCredentials is a wrong address or password.
	ClassCredentials
	// ClassTicket is a mailed link or an invite that opens nothing.
	ClassTicket
	// ClassForgery is a session's request without the session's token.
	ClassForgery
	// ClassMissing is a missing thing other than a key.
	ClassMissing
	// ClassMaintenance is a service in maintenance, which creates nothing.
	ClassMaintenance
	// ClassUnavailable is a service that is temporarily unavailable.
	ClassUnavailable
	// Classes is the number of classes.
	Classes
)

// Error refuses a request.
type Error struct {
	Class Class
	// Text is for the caller; empty if the class says everything.
	Text string
	// Sent is the quoted name of an unknown parameter, and Meant that of the known
	// one; see NearMiss. Empty for all other refusals.
	Sent, Meant string
	// Retry is how long to wait before another try; zero if unknown.
	Retry time.Duration
	// ForGood reports that waiting does not help.
	ForGood bool
}

func (e *Error) Error() string { return e.Text }

// Invalid refuses a value; the text is for the caller.
func Invalid(format string, args ...any) error {
	return &Error{Class: ClassInvalid, Text: fmt.Sprintf(format, args...)}
}

// NearMiss refuses a parameter that no route has, and names the one that was
// probably meant. The name that was sent must not be a secret.
func NearMiss(sent, meant string) error {
	quoted := strconv.Quote(sent)
	return &Error{Class: ClassInvalid, Text: fmt.Sprintf(textNearMiss, quoted, meant), Sent: quoted, Meant: meant}
}

// Malformed refuses a body that cannot be parsed.
func Malformed(text string) error {
	return &Error{Class: ClassMalformed, Text: text}
}

// SetRetryAfter sets the header Retry-After, if waiting helps.
func (e *Error) SetRetryAfter(h http.Header) {
	wait := e.Retry
	if wait <= 0 && e.Class == ClassLimited && !e.ForGood {
		wait = time.Minute // a limit without a delay: a minute is a guess
	}
	if wait > 0 {
		h.Set("Retry-After", chain.RetryAfter(wait))
	}
}
