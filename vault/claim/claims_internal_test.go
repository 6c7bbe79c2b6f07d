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
		k := known{deadline: now.Add(c.deadline), age: func() time.Duration { return c.age }}
		if got := k.timeLeft(now); got != c.want {
			t.Errorf("timeLeft(deadline in %v, known for %v): got %v, want %v", c.deadline, c.age, got, c.want)
		}
	}
}
