package main

import (
	"context"
	"net/http"
	"testing"
	"time"

	hushv1 "hush/gen/hush/v1"
)

// outcome is the result of a call, in one form for every protocol.
type outcome string

const (
	outcomeOK           outcome = "ok"
	outcomeUnknown      outcome = "unknown"      // the key opens nothing
	outcomePassphrase   outcome = "passphrase"   // missing or wrong
	outcomeLimited      outcome = "limited"      // locked or rate limited, told apart by reason
	outcomeInvalid      outcome = "invalid"      // a value that cannot be taken
	outcomeTooLarge     outcome = "too large"    // a value that is too long
	outcomeUnauthorized outcome = "unauthorized" // a credential that is missing or not good
	outcomeNone         outcome = "none"         // the protocol has no such operation
	outcomeLost         outcome = "lost"         // no answer came
	outcomeUnavailable  outcome = "unavailable"  // the store cannot be reached
	outcomeOther        outcome = "other"
)

// answer is what a call brought back.
type answer struct {
	outcome outcome
	// The keys and the facts, as far as the protocol tells them.
	secretKey   string
	metadataKey string
	value       string
	state       string
	ttl         time.Duration
	passphrase  bool
	// retryAfter is when to come back, of a limited call.
	retryAfter time.Duration
	// refusal is the detail that RPCs carry; nil in the legacy protocols.
	refusal *hushv1.Refusal
	// text is the raw answer or error, for failures.
	text string
}

// wish is a secret to conceal. Its ttl is a duration for RPCs, which legacy
// drivers write in seconds.
type wish struct {
	secret      string
	ttl         *time.Duration
	passphrase  string
	shareDomain string
	recipients  []string
}

// driver speaks one protocol.
type driver interface {
	// name is the protocol's, as in "grpc-web", with "/h2" over HTTP/2 where
	// HTTP/1.1 is usual.
	name() string
	// legacy tells v1 and v2 from RPCs: they have lenient lifetimes, and their
	// answers say less about why.
	legacy() bool
	// wrongPassphrase is what a reveal with a wrong passphrase answers.
	wrongPassphrase() outcome

	conceal(ctx context.Context, w wish) answer
	get(ctx context.Context, secretKey string) answer
	reveal(ctx context.Context, secretKey, passphrase string) answer
	burn(ctx context.Context, metadataKey, passphrase string) answer
	metadata(ctx context.Context, metadataKey string) answer
	status(ctx context.Context, secretKey string) answer
}

// newDrivers makes a driver for each of the six protocols, over the version of
// HTTP that it is usually spoken over. header goes with every request.
func newDrivers(t testing.TB, s *testServer, header http.Header) []driver {
	t.Helper()
	return driversOf(newHTTPClient(t, false, header), newHTTPClient(t, true, header), s.url)
}

// driversOf is newDrivers with clients for HTTP/1.1 and HTTP/2.
func driversOf(one, two *http.Client, url string) []driver {
	return []driver{
		&v1Driver{legacyClient{"v1", url + "/api/v1", one}},
		&v2Driver{legacyClient{"v2", url + "/api/v2", one}},
		newRPCDriver("connect-json", one, url, connectJSON()...),
		newRPCDriver("connect-proto", one, url, connectProto()...),
		newRPCDriver("grpc", two, url, grpcProto()...),
		newRPCDriver("grpc-web", one, url, grpcWeb()...),
	}
}

// allDrivers adds those that can also be spoken over HTTP/2.
func allDrivers(t testing.TB, s *testServer, header http.Header) []driver {
	t.Helper()
	two := newHTTPClient(t, true, header)
	return append(newDrivers(t, s, header),
		&v1Driver{legacyClient{"v1/h2", s.url + "/api/v1", two}},
		&v2Driver{legacyClient{"v2/h2", s.url + "/api/v2", two}},
		newRPCDriver("connect-json/h2", two, s.url, connectJSON()...),
		newRPCDriver("connect-proto/h2", two, s.url, connectProto()...),
		newRPCDriver("grpc-web/h2", two, s.url, grpcWeb()...),
	)
}

// mustConceal conceals text and returns both keys.
func mustConceal(t testing.TB, d driver, w wish) answer {
	t.Helper()
	got := d.conceal(t.Context(), w)
	if got.outcome != outcomeOK || len(got.secretKey) != 31 || len(got.metadataKey) != 31 {
		t.Fatalf("%s conceal: got %s %q %q (%s), want ok and two keys", d.name(), got.outcome, got.secretKey, got.metadataKey, got.text)
	}
	return got
}

// want fails the test unless a call had the outcome.
func (a answer) want(t testing.TB, call string, want outcome) answer {
	t.Helper()
	if a.outcome != want {
		t.Errorf("%s: got %s (%s), want %s", call, a.outcome, a.text, want)
	}
	return a
}

// wantValue fails the test unless a reveal answered the value.
func (a answer) wantValue(t testing.TB, call, want string) {
	t.Helper()
	a.want(t, call, outcomeOK)
	if a.value != want {
		t.Errorf("%s: got value %q, want %q", call, a.value, want)
	}
}
