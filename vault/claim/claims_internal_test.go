package claim

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"hush/seal"
)

// The calls about a secret take turns in the order in which they came. One that leaves
// takes no turn from those behind it, and a turn that is over is forgotten.
func TestTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cl := &Claims{turns: map[seal.RowKey]*turn{}}
		var order []string
		gives := map[string]func(){}
		come := func(ctx context.Context, name string, row byte, wantWaited bool, wantErr error) {
			go func() {
				give, waited, err := cl.take(ctx, seal.RowKey{row})
				if waited != wantWaited || !errors.Is(err, wantErr) {
					t.Errorf("take(%s): got waited %t and %v, want %t and %v", name, waited, err, wantWaited, wantErr)
				}
				if err == nil {
					order, gives[name] = append(order, name), give
				}
			}()
			synctest.Wait()
		}
		leaving, leave := context.WithCancel(t.Context())
		come(t.Context(), "first", 1, false, nil)
		come(leaving, "leaves", 1, true, context.Canceled)
		come(t.Context(), "last", 1, true, nil)
		come(t.Context(), "of another secret", 2, false, nil)
		leave()
		synctest.Wait()
		for _, name := range []string{"first", "last", "of another secret"} {
			give := gives[name]
			if give == nil {
				t.Fatalf("take(%s): got no turn, want one", name)
			}
			give()
			give() // once is enough
			synctest.Wait()
		}
		if want := []string{"first", "of another secret", "last"}; !slices.Equal(order, want) {
			t.Errorf("turns: got %q, want %q", order, want)
		}
		if len(cl.turns) != 0 {
			t.Errorf("turns after all: got %d, want none", len(cl.turns))
		}
	})
}

// A claim is due at its deadline, or when this process has known it for its
// lifetime, even if the clock was set back and stands still meanwhile.
func TestTimeLeft(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct{ deadline, age, want time.Duration }{
		{Lifetime, 0, Lifetime},
		{Lifetime, 50 * time.Second, 70 * time.Second},
		{30 * time.Second, 50 * time.Second, 30 * time.Second},
		{Lifetime, Lifetime - time.Millisecond, time.Millisecond},
		{Lifetime, Lifetime, 0},
		{Lifetime, time.Hour, 0},
		{0, 0, 0},
		{-time.Hour, 0, 0},
		{Lifetime, -time.Hour, Lifetime},
		{1500 * time.Microsecond, 0, time.Millisecond},
	} {
		k := newKnown(now.Add(c.deadline), textLease(), func() time.Duration { return c.age })
		if got := k.timeLeft(now); got != c.want {
			t.Errorf("timeLeft(deadline in %v, known for %v): got %v, want %v", c.deadline, c.age, got, c.want)
		}
	}
}

// A later deadline gives a claim its lifetime anew, but no more than Longest since this
// process first saw it. An earlier one changes nothing.
func TestMoveTo(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC)
	age := time.Duration(0)
	k := newKnown(now.Add(Lifetime), textLease(), func() time.Duration { return age })
	for _, c := range []struct{ age, deadline, want time.Duration }{
		{100 * time.Second, Lifetime, 20 * time.Second},
		{100 * time.Second, 100*time.Second + Lifetime, Lifetime},
		{150 * time.Second, Lifetime, 70 * time.Second},
		{Longest - time.Minute, Longest + time.Hour, time.Minute},
		{Longest, Longest + 2*time.Hour, 0},
	} {
		age = c.age
		k.moveTo(now.Add(c.deadline))
		if got := k.timeLeft(now.Add(c.age)); got != c.want {
			t.Errorf("timeLeft(seen with %v at %v): got %v, want %v", c.deadline, c.age, got, c.want)
		}
	}
	// The clock was set back: only what passed in this process counts.
	age = 0
	k = newKnown(now.Add(Lifetime), textLease(), func() time.Duration { return age })
	age = 90 * time.Second
	k.moveTo(now.Add(Lifetime + 60*time.Second))
	age = 90*time.Second + Lifetime
	if got := k.timeLeft(now.Add(-time.Hour)); got != 0 {
		t.Errorf("timeLeft(clock set back): got %v, want 0", got)
	}
}
