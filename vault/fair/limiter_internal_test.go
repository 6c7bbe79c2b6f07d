package fair

import (
	"strconv"
	"sync"
	"testing"
)

// The attack: one caller takes all that there is, in one piece or in many. It gets its
// share, and others get theirs, until all is taken.
func TestTake(t *testing.T) {
	t.Parallel()
	l := NewLimiter[string](100, 40)
	for _, step := range []struct {
		what, key string
		n         int64
		room      bool
	}{
		{"more than a share", "greedy", 41, false},
		{"a share in parts", "greedy", 39, true},
		{"more than its rest", "greedy", 2, false},
		{"its rest", "greedy", 1, true},
		{"above the share", "greedy", 1, false},
		{"another's share", "b", 40, true},
		{"more than the rest of all", "c", 21, false},
		{"the rest of all", "c", 20, true},
		{"above the capacity", "d", 1, false},
		{"nothing", "d", 0, true},
	} {
		if got := l.Take(step.key, step.n); got != step.room {
			t.Errorf("Take(%s): got %t, want %t", step.what, got, step.room)
		}
	}
	if got := l.Held(); got != 100 {
		t.Errorf("Held: got %d, want 100", got)
	}
	l.Give("greedy", 10)
	if l.Take("greedy", 11) || !l.Take("d", 10) || l.Held() != 100 {
		t.Errorf("Take(after some was given back): got %d held, want 100, of which no key has more than it gave back", l.Held())
	}
}

// The attack: callers of ever new networks come by, one after the other or all at once.
// What is kept of them is what they hold.
func TestKeysAreForgotten(t *testing.T) {
	t.Parallel()
	l := NewLimiter[int](10, 2)
	for key := range 1000 {
		if l.Take(key, 2) != (key < 5) {
			t.Errorf("Take(%d): got %t, want the opposite", key, key >= 5)
		}
	}
	if len(l.held) != 5 {
		t.Errorf("keys: got %d, want those that hold something", len(l.held))
	}
	for key := range 5 {
		l.Give(key, 1)
		l.Give(key, 1)
	}
	l.Take(5, 0)
	if len(l.held) != 0 || l.Held() != 0 {
		t.Errorf("keys after all was given back: got %d and %d held, want none", len(l.held), l.Held())
	}
}

func TestAny(t *testing.T) {
	t.Parallel()
	shares, whole := NewLimiter[string](Any, 1), NewLimiter[string](5, Any)
	for i := range 1000 {
		if !shares.Take(strconv.Itoa(i), 1) {
			t.Fatalf("Take: got no room for key %d, want it without a capacity", i)
		}
	}
	if shares.Take("0", 1) {
		t.Error("Take(above the share): got room, want none")
	}
	if !whole.Take("a", 5) || whole.Take("b", 1) {
		t.Errorf("Take without shares: got %d held, want 5", whole.Held())
	}
	if shares.IsCrowded("another") {
		t.Error("IsCrowded: got true without a capacity, want false")
	}
}

func TestIsCrowded(t *testing.T) {
	t.Parallel()
	l := NewLimiter[string](100, 40)
	want := func(what, key string, want bool) {
		t.Helper()
		if got := l.IsCrowded(key); got != want {
			t.Errorf("IsCrowded(%s): got %t, want %t", what, got, want)
		}
	}
	l.Take("a", 20)
	want("half of a share", "a", false)
	l.Take("a", 1)
	want("more than half of a share", "a", true)
	want("another", "b", false)
	l.Take("c", 29)
	want("half of all", "b", false)
	l.Take("d", 1)
	want("more than half of all", "b", true)
	l.Give("a", 21)
	want("after some was given back", "b", false)
}

// However many take and give at a time, no bound is passed and nothing is lost.
func TestTakeAtOnce(t *testing.T) {
	t.Parallel()
	l := NewLimiter[int](20, 6)
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for n := range int64(500) {
				if !l.Take(i%4, 1+n%3) {
					continue
				}
				if held := l.Held(); held > 20 {
					t.Errorf("Held: got %d, want at most 20", held)
				}
				l.Give(i%4, 1+n%3)
			}
		})
	}
	all.Wait()
	if len(l.held) != 0 || l.Held() != 0 {
		t.Errorf("after all was given back: got %d keys and %d held, want none", len(l.held), l.Held())
	}
}
