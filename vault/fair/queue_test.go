package fair_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"hush/vault/fair"
	"hush/vault/refusal"
)

// guest is a caller of Enter that does not return before it is told to leave.
type guest struct {
	err     error
	took    time.Duration
	entered bool
	leave   func()
}

// enter lets a guest enter in the background, and returns it once nothing moves.
func enter(ctx context.Context, q *fair.Queue[string], key string) *guest {
	g, began := new(guest), time.Now()
	go func() {
		g.leave, g.err = q.Enter(ctx, key)
		g.entered, g.took = g.err == nil, time.Since(began)
	}()
	synctest.Wait()
	return g
}

func wantLoad(t *testing.T, q *fair.Queue[string], running, waiting int) {
	t.Helper()
	if r, w := q.Load(); r != running || w != waiting {
		t.Errorf("Load: got %d with a turn and %d waiting, want %d and %d", r, w, running, waiting)
	}
}

func wantBusy(t *testing.T, what string, g *guest, took time.Duration) {
	t.Helper()
	if !errors.Is(g.err, refusal.ErrBusy) || g.took != took {
		t.Errorf("Enter(%s): got %v after %s, want %v after %s", what, g.err, g.took, refusal.ErrBusy, took)
	}
}

// Turns go to those who wait in the order in which they came.
func TestTurnsGoInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := fair.NewQueue[string](fair.Limits{Running: 2, Waiting: 3, Share: fair.Any, Wait: time.Second})
		var guests []*guest
		for range 5 {
			guests = append(guests, enter(t.Context(), q, "a"))
		}
		wantLoad(t, q, 2, 3)
		wantBusy(t, "more than may wait", enter(t.Context(), q, "b"), 0)
		for i := range guests {
			var entered []int
			for j, g := range guests {
				if g.entered {
					entered = append(entered, j)
				}
			}
			if want := []int{0, 1, 2, 3, 4}[:min(i+2, 5)]; !slices.Equal(entered, want) {
				t.Errorf("those who entered after %d left: got %v, want %v", i, entered, want)
			}
			guests[i].leave()
			synctest.Wait()
		}
		wantLoad(t, q, 0, 0)
	})
}

// The attack: callers of one network take all turns and fill the queue. The network has
// its share, in which those that wait count, and is refused at once beyond it.
func TestKeyHasItsShareOfPlaces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := fair.NewQueue[string](fair.Limits{Running: 2, Waiting: 8, Share: 4, Wait: time.Second})
		var greedy []*guest
		for range 4 {
			greedy = append(greedy, enter(t.Context(), q, "greedy"))
		}
		wantBusy(t, "beyond the share", enter(t.Context(), q, "greedy"), 0)
		other := enter(t.Context(), q, "other")
		wantLoad(t, q, 2, 3)
		for _, g := range greedy {
			g.leave()
			synctest.Wait()
		}
		if !other.entered {
			t.Errorf("Enter(another key): got %v, want its turn", other.err)
		}
		again := enter(t.Context(), q, "greedy")
		if !again.entered {
			t.Errorf("Enter(after all left): got %v, want a turn", again.err)
		}
		other.leave()
		again.leave()
		wantLoad(t, q, 0, 0)
	})
}

// One that waits too long is refused, and its place is free again.
func TestWaitIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := fair.NewQueue[string](fair.Limits{Running: 1, Waiting: 1, Share: 1, Wait: time.Second})
		first, late := enter(t.Context(), q, "a"), enter(t.Context(), q, "b")
		time.Sleep(time.Second)
		synctest.Wait()
		wantBusy(t, "too long a wait", late, time.Second)
		wantLoad(t, q, 1, 0)
		next := enter(t.Context(), q, "b")
		time.AfterFunc(time.Second-1, first.leave)
		time.Sleep(time.Second)
		synctest.Wait()
		if !next.entered || next.took != time.Second-1 {
			t.Errorf("Enter: got %v after %s, want a turn once there was one", next.err, next.took)
		}
		next.leave()
		wantLoad(t, q, 0, 0)
	})
}

// Callers that leave while they wait lose no turn for those behind them, and return the
// error of their context, not that of the queue.
func TestThoseWhoLeaveLoseNoTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := fair.NewQueue[string](fair.Limits{Running: 1, Waiting: 3, Share: 1, Wait: time.Minute})
		first := enter(t.Context(), q, "first")
		ctx, leave := context.WithCancelCause(t.Context())
		leaves := enter(ctx, q, "leaves")
		ctx, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		ends := enter(ctx, q, "ends")
		last := enter(t.Context(), q, "last")
		wantLoad(t, q, 1, 3)
		leave(errors.New("a cause that only its caller knows"))
		time.Sleep(time.Second)
		synctest.Wait()
		if leaves.err != context.Canceled || ends.err != context.DeadlineExceeded { //nolint:errorlint // nothing around them
			t.Errorf("Enter(context that ends): got %v and %v, want its errors", leaves.err, ends.err)
		}
		wantLoad(t, q, 1, 1)
		first.leave()
		synctest.Wait()
		if !last.entered {
			t.Fatalf("Enter(behind those that left): got %v, want a turn", last.err)
		}
		last.leave()
		wantLoad(t, q, 0, 0)
	})
}

// A caller that has left already gets no turn, and takes none from others.
func TestEndedContextGetsNoTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := fair.NewQueue[string](fair.Limits{Running: 1, Waiting: 1, Share: 1, Wait: time.Minute})
		ctx, leave := context.WithCancel(t.Context())
		leave()
		if _, err := q.Enter(ctx, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("Enter(ended context): got %v, want %v", err, context.Canceled)
		}
		if g := enter(t.Context(), q, "a"); !g.entered {
			t.Errorf("Enter: got %v, want the turn", g.err)
		}
	})
}

func TestAnyMayWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := fair.NewQueue[string](fair.Limits{Running: 3, Waiting: fair.Any, Share: fair.Any, Wait: time.Second})
		for range 1000 {
			go func() {
				if leave, err := q.Enter(t.Context(), "a"); err == nil {
					leave()
				}
			}()
		}
		synctest.Wait()
		wantLoad(t, q, 0, 0)
		var all []*guest
		for range 100 {
			all = append(all, enter(t.Context(), q, "a"))
		}
		wantLoad(t, q, 3, 97)
		time.Sleep(time.Second)
		synctest.Wait()
		for _, g := range all[3:] {
			wantBusy(t, "too long a wait", g, time.Second)
		}
	})
}
