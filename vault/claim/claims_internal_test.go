package claim

import (
	"testing"
	"time"
)

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
		k := newKnown(now.Add(c.deadline), func() time.Duration { return c.age })
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
	k := newKnown(now.Add(Lifetime), func() time.Duration { return age })
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
	k = newKnown(now.Add(Lifetime), func() time.Duration { return age })
	age = 90 * time.Second
	k.moveTo(now.Add(Lifetime + 60*time.Second))
	age = 90*time.Second + Lifetime
	if got := k.timeLeft(now.Add(-time.Hour)); got != 0 {
		t.Errorf("timeLeft(clock set back): got %v, want 0", got)
	}
}
