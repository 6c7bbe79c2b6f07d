package certificates

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// The attack: keep the database busy by handshakes for names of one's choice. A
// name is looked up once in a while, names that no domain can have never, and not
// many at a time; a store that does not respond holds no more than those.
func TestLookupsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var lookups, running, most atomic.Int64
		fault := errors.New("no store")
		a := newAdmissions(ACMEOptions{Now: time.Now, Admits: func(_ context.Context, name string) (bool, error) {
			lookups.Add(1)
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			time.Sleep(time.Second)
			if name == "broken.example.org" {
				return true, fault
			}
			return name == "verified.example.org", nil
		}})
		want := func(name string, admitted bool, err error, n int64) {
			t.Helper()
			before := lookups.Load()
			got, gotErr := a.recent(t.Context(), name)
			if got != admitted || !errors.Is(gotErr, err) || lookups.Load()-before != n {
				t.Errorf("recent(%q): got %t, %v and %d lookups, want %t, %v and %d", name, got, gotErr, lookups.Load()-before, admitted, err, n)
			}
		}
		for _, name := range []string{"localhost", "192.0.2.1", "::1", "*.example.org", "a b.example.org", "host"} {
			want(name, false, nil, 0)
		}
		want("verified.example.org", true, nil, 1)
		want("verified.example.org", true, nil, 0)
		want("other.example.org", false, nil, 1)
		want("other.example.org", false, nil, 0)
		want("broken.example.org", false, fault, 1)
		want("broken.example.org", false, fault, 1)
		time.Sleep(admissionTime)
		want("verified.example.org", true, nil, 1)

		lookups.Store(0)
		for range 100 {
			go func() { _, _ = a.recent(context.Background(), "same.example.org") }()
		}
		time.Sleep(time.Minute)
		if got := lookups.Load(); got > maxLookups {
			t.Errorf("lookups of one name: got %d, want at most %d", got, maxLookups)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		for i := range 2 * maxAdmissions {
			go func() { _, _ = a.recent(ctx, fmt.Sprintf("n%d.example.org", i)) }()
		}
		time.Sleep(time.Minute)
		if got := most.Load(); got != maxLookups {
			t.Errorf("lookups at a time: got %d, want %d", got, maxLookups)
		}
		for i := range maxAdmissions {
			a.keep(fmt.Sprintf("k%d.example.org", i), false)
		}
		if got := len(a.known); got > maxAdmissions {
			t.Errorf("answers: got %d, want at most %d", got, maxAdmissions)
		}
	})
}
