package chain

import (
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	hushv1 "hush/gen/hush/v1"
	"hush/vault/budget"
	"hush/vault/caller"
)

// fakeClock moves only when told to.
type fakeClock struct{ at time.Time }

func (c *fakeClock) now() time.Time { return c.at }

func (c *fakeClock) pass(d time.Duration) { c.at = c.at.Add(d) }

func newFakeLimiter() (*limiter, *fakeClock) {
	clock := &fakeClock{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	return newLimiter(clock.now, nil), clock
}

func network(t *testing.T, addr string) caller.Network {
	t.Helper()
	parsed, err := netip.ParseAddr(addr)
	if err != nil {
		t.Fatalf("ParseAddr(%s): got %v, want no error", addr, err)
	}
	return caller.NetworkOf(parsed)
}

func TestLimiterBudgets(t *testing.T) {
	t.Parallel()
	for limit, want := range map[hushv1.Limit]budget.Rate{
		hushv1.Limit_LIMIT_CREATE: {Calls: 1000, In: 20 * time.Minute}, hushv1.Limit_LIMIT_REVEAL: {Calls: 1000, In: 20 * time.Minute},
		hushv1.Limit_LIMIT_BURN: {Calls: 1000, In: 20 * time.Minute}, hushv1.Limit_LIMIT_READ: {Calls: 1000, In: 20 * time.Minute},
		hushv1.Limit_LIMIT_PROBE: {Calls: 12_000, In: 20 * time.Minute}, hushv1.Limit_LIMIT_SIGN_UP: {Calls: 10, In: time.Hour},
		hushv1.Limit_LIMIT_SIGN_IN: {Calls: 30, In: 15 * time.Minute}, hushv1.Limit_LIMIT_RESET: {Calls: 10, In: time.Hour},
		hushv1.Limit_LIMIT_ACCOUNT: {Calls: 1000, In: 20 * time.Minute}, hushv1.Limit_LIMIT_PASSWORD: {Calls: 10, In: 20 * time.Minute},
		hushv1.Limit_LIMIT_TOKEN: {Calls: 10, In: 20 * time.Minute}, hushv1.Limit_LIMIT_DOMAIN: {Calls: 1000, In: 20 * time.Minute},
		hushv1.Limit_LIMIT_DOMAIN_CHANGE: {Calls: 50, In: 20 * time.Minute}, hushv1.Limit_LIMIT_DOMAIN_VERIFY: {Calls: 25, In: 20 * time.Minute},
		hushv1.Limit_LIMIT_UPLOAD: {Calls: 20, In: 20 * time.Minute}, hushv1.Limit_LIMIT_CHALLENGE: {Calls: 240, In: 20 * time.Minute},
		hushv1.Limit_LIMIT_FEEDBACK: {Calls: 10, In: 20 * time.Minute}, hushv1.Limit_LIMIT_EXCEPTION: {Calls: 50, In: 20 * time.Minute},
		hushv1.Limit_LIMIT_RECIPIENT: {Calls: 50, In: 20 * time.Minute},
	} {
		l, clock := newFakeLimiter()
		caller := network(t, "192.0.2.1")
		take := func() time.Duration { return waitOf(t, l, caller, limit, 1) }
		for i := range want.Calls {
			if wait := take(); wait != 0 {
				t.Fatalf("take(%v) number %d: got %s to wait, want none", limit, i+1, wait)
			}
		}
		each := want.In / time.Duration(want.Calls)
		for range 3 { // refusals cost nothing
			if wait := take(); wait <= 0 || wait > each {
				t.Errorf("take(%v) above %d: got %s to wait, want more than zero and at most %s", limit, want.Calls, wait, each)
			}
		}
		clock.pass(each)
		if wait := take(); wait != 0 {
			t.Errorf("take(%v) after %s: got %s to wait, want none", limit, each, wait)
		}
		clock.pass(want.In)
		for range want.Calls {
			if wait := take(); wait != 0 {
				t.Fatalf("take(%v) after the window: got %s to wait, want the whole budget again", limit, wait)
			}
		}
	}
}

// An attacker on one network must not use up the budgets of others, nor escape
// by using other addresses of his own IPv6 network.
func TestLimiterIsolatesNetworks(t *testing.T) {
	t.Parallel()
	l, _ := newFakeLimiter()
	exhaust(t, l, network(t, "192.0.2.1"), hushv1.Limit_LIMIT_REVEAL)
	exhaust(t, l, network(t, "2001:db8:0:1::1"), hushv1.Limit_LIMIT_REVEAL)
	for addr, free := range map[string]bool{
		"192.0.2.1": false, "::ffff:192.0.2.1": false, "192.0.2.2": true,
		"2001:db8:0:1::1": false, "2001:db8:0:1:ffff::9": false, "2001:db8:0:2::1": true,
	} {
		if wait := waitOf(t, l, network(t, addr), hushv1.Limit_LIMIT_REVEAL, 1); (wait == 0) != free {
			t.Errorf("take for %s: got %s to wait, want free %t", addr, wait, free)
		}
	}
	if wait := waitOf(t, l, network(t, "192.0.2.1"), hushv1.Limit_LIMIT_READ, 1); wait != 0 {
		t.Errorf("take of another budget: got %s to wait, want none", wait)
	}
	exhaust(t, l, caller.Network{}, hushv1.Limit_LIMIT_REVEAL) // an unknown network is one network
}

// The attack: create from one /64 after another of a /48, as any home line can.
// Only creation counts for the /48; what a refusal took is returned.
func TestLimiterCountsCreationOfWideNetwork(t *testing.T) {
	t.Parallel()
	l, clock := newFakeLimiter()
	const create = hushv1.Limit_LIMIT_CREATE
	calls := rateOf(create).Calls
	for i := range 4 * calls {
		if wait := waitOf(t, l, network(t, fmt.Sprintf("2001:db8:1:%x::1", i%8)), create, 1); wait != 0 {
			t.Fatalf("takeCaller number %d of a /48: got %s to wait, want none", i+1, wait)
		}
	}
	fresh := network(t, "2001:db8:1:ffff::1")
	for range 2 * calls { // refusals cost neither budget anything
		if wait := waitOf(t, l, fresh, create, 1); wait <= 0 {
			t.Fatalf("takeCaller above the budget of a /48: got %s to wait, want more than zero", wait)
		}
	}
	for addr, limit := range map[string]hushv1.Limit{
		"2001:db8:2::1": create, "192.0.2.1": create, "2001:db8:1:ffff::1": hushv1.Limit_LIMIT_REVEAL,
	} {
		if wait := waitOf(t, l, network(t, addr), limit, 1); wait != 0 {
			t.Errorf("takeCaller(%s, %v): got %s to wait, want none", addr, limit, wait)
		}
	}
	if err := l.giveCaller(t.Context(), network(t, "2001:db8:1:1::1"), create); err != nil {
		t.Errorf("giveCaller: got %v, want nil", err)
	}
	if wait := waitOf(t, l, fresh, create, 1); wait != 0 {
		t.Errorf("takeCaller after a call was given back: got %s to wait, want none", wait)
	}
	clock.pass(20 * time.Minute)
	for i := range calls {
		if wait := waitOf(t, l, fresh, create, 1); wait != 0 {
			t.Fatalf("takeCaller number %d after the window: got %s to wait, want none", i+1, wait)
		}
	}
	if wait := waitOf(t, l, fresh, create, 1); wait <= 0 {
		t.Errorf("takeCaller above the budget of a /64: got %s to wait, want more than zero", wait)
	}
}

func exhaust(t *testing.T, l *limiter, n caller.Network, limit hushv1.Limit) {
	t.Helper()
	for range rateOf(limit).Calls {
		if wait := waitOf(t, l, n, limit, 1); wait != 0 {
			t.Fatalf("take for %s: got %s to wait, want none", n, wait)
		}
	}
	if wait := waitOf(t, l, n, limit, 1); wait <= 0 {
		t.Errorf("take for %s above the budget: got no wait, want one", n)
	}
}

// Twenty-five keys in one call must not be twenty-five guesses at the price of
// one.
func TestCostOfStatusList(t *testing.T) {
	t.Parallel()
	keys := make([]string, 25)
	for message, want := range map[any]int{
		&hushv1.ListSecretStatusRequest{SecretKeys: keys}:       25,
		&hushv1.ListSecretStatusRequest{SecretKeys: keys[:1]}:   1,
		&hushv1.ListSecretStatusRequest{}:                       1,
		&hushv1.BatchGetMetadataRequest{MetadataKeys: keys}:     25,
		&hushv1.BatchGetMetadataRequest{MetadataKeys: keys[:1]}: 1,
		&hushv1.BatchGetMetadataRequest{}:                       1,
		&hushv1.GetSecretStatusRequest{}:                        1,
		&hushv1.RevealSecretRequest{}:                           1,
	} {
		if got := cost(message); got != want {
			t.Errorf("cost(%T): got %d, want %d", message, got, want)
		}
	}
	l, _ := newFakeLimiter()
	caller := network(t, "192.0.2.1")
	for range 1000 / 25 {
		if wait := waitOf(t, l, caller, hushv1.Limit_LIMIT_READ, 25); wait != 0 {
			t.Fatalf("take of 25: got %s to wait, want none", wait)
		}
	}
	if wait := waitOf(t, l, caller, hushv1.Limit_LIMIT_READ, 1); wait == 0 {
		t.Error("take after 40 lists of 25: got no wait, want one")
	}
	if wait := waitOf(t, l, caller, hushv1.Limit_LIMIT_READ, 1001); wait != 20*time.Minute {
		t.Errorf("take of more than there ever is: got %s, want %s", wait, 20*time.Minute)
	}
}

func TestLimitRateFailsClosed(t *testing.T) {
	t.Parallel()
	l, _ := newFakeLimiter()
	g := gate{policies: policies{"/hush.v1.SystemService/GetStatus": {access: hushv1.Access_ACCESS_PUBLIC}}, budgets: l}
	if err := g.pass(t.Context(), nil, nil, "/hush.v1.SystemService/GetStatus"); !errors.Is(err, errNoCaller) {
		t.Errorf("pass without a caller: got %v, want %v", err, errNoCaller)
	}
	var rate *rateError
	if err := g.pass(t.Context(), &record{}, nil, "/hush.v1.SystemService/GetStatus"); !errors.As(err, &rate) {
		t.Errorf("pass to a method without a budget: got %v, want it to be refused", err)
	}
}

// An account must not flood strangers with mail, regardless of the number of
// networks that it calls from.
func TestLimiterOfMails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		recipients []string
		want       int
	}{
		{nil, 0}, {[]string{"a@example.com"}, 1}, {[]string{"a@example.com, b@example.com", "c@example.com"}, 3},
	} {
		if got := mailsOf(&hushv1.ConcealSecretRequest{Recipients: test.recipients}); got != test.want {
			t.Errorf("mailsOf(%q): got %d, want %d", test.recipients, got, test.want)
		}
	}
	if got := mailsOf(&hushv1.GetStatusRequest{}); got != 0 {
		t.Errorf("mailsOf(GetStatusRequest): got %d, want 0", got)
	}
	l, _ := newFakeLimiter()
	for range 5 {
		if err := l.takeMails(t.Context(), "ada", 10); err != nil {
			t.Fatalf("takeMails(10): got %v, want nil", err)
		}
	}
	if wait := waitIn(t, l.takeMails(t.Context(), "ada", 1)); wait == 0 {
		t.Error("takeMails(the 51st): got no wait, want one")
	}
	if err := l.takeMails(t.Context(), "bob", 1); err != nil {
		t.Errorf("takeMails(another account's): got %v, want nil", err)
	}
}

// waitOf takes from the budget of a network and returns how long to wait.
func waitOf(t *testing.T, l *limiter, n caller.Network, limit hushv1.Limit, calls int) time.Duration {
	t.Helper()
	return waitIn(t, l.takeCaller(t.Context(), n, limit, calls))
}

// waitIn returns how long to wait after a call, zero if it was admitted.
func waitIn(t *testing.T, err error) time.Duration {
	t.Helper()
	if refused, ok := errors.AsType[*rateError](err); ok {
		return refused.retryAfter
	}
	if err != nil {
		t.Fatalf("take: got %v, want nil or a wait", err)
	}
	return 0
}

// leftOf returns how many calls the unknown network has left.
func leftOf(t *testing.T, l *limiter, limit hushv1.Limit) int {
	t.Helper()
	key, rate := budget.Key{Kind: byte(limit)}, rateOf(limit)
	for calls := rate.Calls; calls > 0; calls-- {
		wait, err := l.of(limit).Take(t.Context(), key, rate, calls)
		if err != nil {
			t.Fatalf("Take(%d): got %v, want nil", calls, err)
		}
		if wait > 0 {
			continue
		}
		if err := l.of(limit).Give(t.Context(), key, rate, calls); err != nil {
			t.Fatalf("Give(%d): got %v, want nil", calls, err)
		}
		return calls
	}
	return 0
}
