package apitest

import (
	"context"
	"net/http"
	"testing"
	"time"

	hushv1 "hush/gen/hush/v1"
)

// Outcome is the result of a call, in one form for every protocol.
type Outcome string

// The outcomes.
const (
	OutcomeOK           Outcome = "ok"
	OutcomeUnknown      Outcome = "unknown"      // the key opens nothing
	OutcomePassphrase   Outcome = "passphrase"   // missing or wrong
	OutcomeLimited      Outcome = "limited"      // locked or rate limited, told apart by reason
	OutcomeInvalid      Outcome = "invalid"      // a value that cannot be taken
	OutcomeTooLarge     Outcome = "too large"    // a value that is too long
	OutcomeUnauthorized Outcome = "unauthorized" // a credential that is missing or not good
	OutcomeNone         Outcome = "none"         // the protocol has no such operation
	OutcomeLost         Outcome = "lost"         // no answer came
	OutcomeUnavailable  Outcome = "unavailable"  // the store cannot be reached
	OutcomeOther        Outcome = "other"
)

// Answer is what a call brought back.
type Answer struct {
	Outcome Outcome
	// The keys and the facts, as far as the protocol tells them.
	SecretKey   string
	MetadataKey string
	Value       string
	State       string
	TTL         time.Duration
	Passphrase  bool
	// RetryAfter is when to come back, of a limited call.
	RetryAfter time.Duration
	// Refusal is the detail that RPCs carry; nil in the legacy protocols.
	Refusal *hushv1.Refusal
	// Text is the raw answer or error, for failures.
	Text string
}

// Terms is a secret to conceal. Its ttl is a duration for RPCs, which legacy
// drivers write in seconds.
type Terms struct {
	Secret      string
	TTL         *time.Duration
	Passphrase  string
	ShareDomain string
	Recipients  []string
}

// Driver speaks one protocol.
type Driver interface {
	// Name is the protocol's, as in "grpc-web", with "/h2" over HTTP/2 where
	// HTTP/1.1 is usual.
	Name() string
	// Legacy tells v1 and v2 from RPCs: they have lenient lifetimes, and their
	// answers say less about why.
	Legacy() bool
	// WrongPassphrase is what a reveal with a wrong passphrase answers.
	WrongPassphrase() Outcome

	Conceal(ctx context.Context, w Terms) Answer
	Get(ctx context.Context, secretKey string) Answer
	Reveal(ctx context.Context, secretKey, passphrase string) Answer
	Burn(ctx context.Context, metadataKey, passphrase string) Answer
	Metadata(ctx context.Context, metadataKey string) Answer
	Status(ctx context.Context, secretKey string) Answer
}

// Drivers makes a driver for each of the six protocols, over the version of HTTP that it
// is usually spoken over. one is for HTTP/1.1, and two for HTTP/2.
func Drivers(one, two *http.Client, url string) []Driver {
	return []Driver{
		NewV1Driver("v1", one, url), NewV2Driver("v2", one, url),
		NewRPCDriver("connect-json", one, url, ConnectJSON()...),
		NewRPCDriver("connect-proto", one, url, ConnectProto()...),
		NewRPCDriver("grpc", two, url, GRPCProto()...),
		NewRPCDriver("grpc-web", one, url, GRPCWeb()...),
	}
}

// AllDrivers adds those that can also be spoken over HTTP/2.
func AllDrivers(one, two *http.Client, url string) []Driver {
	return append(Drivers(one, two, url),
		NewV1Driver("v1/h2", two, url), NewV2Driver("v2/h2", two, url),
		NewRPCDriver("connect-json/h2", two, url, ConnectJSON()...),
		NewRPCDriver("connect-proto/h2", two, url, ConnectProto()...),
		NewRPCDriver("grpc-web/h2", two, url, GRPCWeb()...),
	)
}

// MustConceal conceals text and returns both keys.
func MustConceal(t testing.TB, d Driver, w Terms) Answer {
	t.Helper()
	got := d.Conceal(t.Context(), w)
	if got.Outcome != OutcomeOK || len(got.SecretKey) != 31 || len(got.MetadataKey) != 31 {
		t.Fatalf("%s conceal: got %s %q %q (%s), want ok and two keys", d.Name(), got.Outcome, got.SecretKey, got.MetadataKey, got.Text)
	}
	return got
}

// Want fails the test unless a call had the outcome.
func (a Answer) Want(t testing.TB, call string, want Outcome) Answer {
	t.Helper()
	if a.Outcome != want {
		t.Errorf("%s: got %s (%s), want %s", call, a.Outcome, a.Text, want)
	}
	return a
}

// WantValue fails the test unless a reveal answered the value.
func (a Answer) WantValue(t testing.TB, call, want string) {
	t.Helper()
	a.Want(t, call, OutcomeOK)
	if a.Value != want {
		t.Errorf("%s: got value %q, want %q", call, a.Value, want)
	}
}

// WantIfOffered is want for calls that a protocol may lack.
func (a Answer) WantIfOffered(t testing.TB, call string, want Outcome) {
	t.Helper()
	if a.Outcome != OutcomeNone {
		a.Want(t, call, want)
	}
}
