package routes

import (
	"fmt"
	"time"
)

// class is why a request is refused, as far as the legacy answers tell reasons
// apart. Each version's table says what a class looks like on its wire.
type class int

const (
	// classInternal is everything that nobody expected. Its cause is never
	// answered.
	classInternal class = iota
	// classRoute is a path that no route has.
	classRoute
	// classMethod is a path whose routes have other methods.
	classMethod
	// classMalformed is a body that is not what its Content-Type says.
	classMalformed
	// classEncoding is a body with a Content-Encoding.
	classEncoding
	// classTooLarge is a value or a body above its limit in bytes.
	classTooLarge
	// classInvalid is any other value that cannot be taken.
	classInvalid
	// classDuplicate is a name that is taken by what the caller has.
	classDuplicate
	// classUnknown is a key that opens nothing, for whatever reason.
	classUnknown
	// classDomain is a domain that the caller does not have.
	classDomain
	// classUnauthorized is a missing or wrong credential.
	classUnauthorized
	// classPassphrase is a missing or wrong passphrase.
	classPassphrase
	// classLimited is a caller who has to wait.
	classLimited
	// classFull is a service without room for more.
	classFull
	// classForbidden is what the caller may not do, with the credential it has
	// or here at all.
	classForbidden
	// classCredentials is a wrong address or password.
	classCredentials
	// classTicket is a mailed link or an invite that opens nothing.
	classTicket
	// classForgery is a session's request without the session's token.
	classForgery
	// classMissing is something other than a key that the caller does not have.
	classMissing
	// classMaintenance is a service where nothing may be created just now.
	classMaintenance
	// classUnavailable is a service that cannot answer just now.
	classUnavailable
	// classes counts them.
	classes
)

// refusal tells a caller why a request is not served. Its text is for the caller and never holds what the
// caller sent, except for names that routes and services know.
type refusal struct {
	class class
	text  string        // empty where the class says all
	retry time.Duration // how long to wait, zero if nobody knows
	// forGood reports that waiting does not help.
	forGood bool
}

func (refused *refusal) Error() string {
	return refused.text
}

func invalid(format string, args ...any) error {
	return &refusal{class: classInvalid, text: fmt.Sprintf(format, args...)}
}

func malformed(text string) error {
	return &refusal{class: classMalformed, text: text}
}
