package certificates

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/mholt/acmez/v3/acme"
)

// After a failure a name waits, longer each time, and longest where the ACME
// server has refused.
func TestTriesWait(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	tries := newTries(ACMEOptions{Now: func() time.Time { return now }, Wait: waitAfter})
	fail := func(err error) time.Duration {
		t.Helper()
		if _, first, err := tries.begin("a"); !first || err != nil {
			t.Fatalf("begin(): got %t and %v, want the first", first, err)
		}
		if _, first, err := tries.begin("a"); first || err != nil {
			t.Fatalf("begin() again: got %t and %v, want the same attempt", first, err)
		}
		wait := tries.end("a", err)
		if _, _, err := tries.begin("a"); !errors.Is(err, errLater) {
			t.Fatalf("begin() too soon: got %v, want %v", err, errLater)
		}
		now = now.Add(wait)
		return wait
	}
	away, refused := errors.New("away"), fmt.Errorf("order: %w", acme.Problem{})
	for i, want := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute} {
		if got := fail(away); got != want {
			t.Errorf("wait after failure %d: got %s, want %s", i+1, got, want)
		}
	}
	if got, want := fail(refused), 160*time.Minute; got != want {
		t.Errorf("wait after a refusal: got %s, want %s", got, want)
	}
	for range 20 {
		fail(away)
	}
	if got, want := fail(away), time.Hour; got != want {
		t.Errorf("longest wait: got %s, want %s", got, want)
	}
	if _, _, err := tries.begin("a"); err != nil {
		t.Fatal(err)
	}
	tries.end("a", nil)
	if got := fail(errBusy); got != refill {
		t.Errorf("wait while too many are wanted: got %s, want %s", got, refill)
	}
	if got := fail(away); got != time.Minute {
		t.Errorf("wait after a success: got %s, want it from the beginning", got)
	}
}

// A name fails from a failed attempt until it has a certificate, or for a day. One
// that has only had to wait has not failed.
func TestFailingNamesAreCounted(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	tries := newTries(ACMEOptions{Now: func() time.Time { return now }, Wait: waitAfter})
	for i, step := range []struct {
		pass time.Duration
		name string
		err  error
		want int
	}{
		{0, "a", errBusy, 0},
		{time.Hour, "a", errors.New("away"), 1},
		{time.Hour, "a", errBusy, 1},
		{0, "b", acme.Problem{}, 2},
		{time.Hour, "a", nil, 1},
		{22 * time.Hour, "c", nil, 1},
		{time.Hour, "c", nil, 0},
		{0, "b", acme.Problem{}, 1},
	} {
		now = now.Add(step.pass)
		if _, _, err := tries.begin(step.name); err != nil {
			t.Fatalf("begin(%s) of step %d: got %v, want no error", step.name, i, err)
		}
		tries.end(step.name, step.err)
		if got := tries.failing(); got != step.want {
			t.Errorf("failing() after step %d: got %d, want %d", i, got, step.want)
		}
	}
}

// A renewal that CertMagic begins waits as other attempts do.
func TestRenewalsWait(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	a := &ACME{host: "a.example", tries: newTries(ACMEOptions{Now: func() time.Time { return now }, Wait: waitAfter})}
	leave, err := a.enter(t.Context(), a.host)
	if err != nil {
		t.Fatalf("enter(): got %v, want no error", err)
	}
	if _, err := a.enter(t.Context(), a.host); !errors.Is(err, errLater) {
		t.Errorf("enter() twice: got %v, want %v", err, errLater)
	}
	leave(acme.Problem{})
	now = now.Add(19 * time.Minute)
	if _, err := a.enter(t.Context(), a.host); !errors.Is(err, errLater) {
		t.Errorf("enter() after a refusal: got %v, want %v", err, errLater)
	}
	attempt := context.WithValue(t.Context(), attemptKey{}, true)
	if _, err := a.enter(attempt, a.host); err != nil {
		t.Errorf("enter() of an attempt, which has waited itself: got %v, want no error", err)
	}
	now = now.Add(time.Minute)
	if _, err := a.enter(t.Context(), a.host); err != nil {
		t.Errorf("enter() after the wait: got %v, want no error", err)
	}
}

// New certificates of domains are bounded, however many domains there are.
func TestNewCertificatesAreBounded(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	tries := newTries(ACMEOptions{Now: func() time.Time { return now }, Wait: waitAfter})
	taken := func() (n int) {
		for tries.take() {
			n++
		}
		return n
	}
	for _, step := range []struct {
		pass time.Duration
		want int
	}{{0, burst}, {0, 0}, {refill / 2, 0}, {refill / 2, 1}, {3 * refill, 3}, {100 * time.Hour, burst}} {
		now = now.Add(step.pass)
		if got := taken(); got != step.want {
			t.Errorf("after %s: got %d, want %d", step.pass, got, step.want)
		}
	}
}
