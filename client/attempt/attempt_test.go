package attempt_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"hush/client"
	"hush/client/attempt"
)

type failure = attempt.Failure[int]

func failed(kind client.Kind, change func(*failure)) *failure {
	f := &failure{Err: &client.Error{Kind: kind}, Outcome: attempt.OutcomeUnknown, Repeatable: true}
	if change != nil {
		change(f)
	}
	return f
}

// Each call fails as the table says, and one more succeeds.
func TestDo(t *testing.T) {
	t.Parallel()
	passing := failed(client.KindNetwork, nil)
	final := failed(client.KindGone, func(f *failure) { f.Repeatable = false })
	slow := failed(client.KindLimited, func(f *failure) { f.Err.RetryAfter = time.Hour })
	further := failed(client.KindNetwork, func(f *failure) { f.Progressed = true })
	few := attempt.Repeats{Pace: attempt.Pace{First: time.Second, Longest: 5 * time.Second}, Calls: 4, WaitMax: time.Minute}
	again := few
	again.Made = 2
	for name, c := range map[string]struct {
		repeats  attempt.Repeats
		failures []*failure
		numbers  []int
		pauses   []time.Duration // at least
		want     *failure
	}{
		"at once":             {few, nil, []int{0}, nil, nil},
		"passing":             {few, []*failure{passing, passing}, []int{0, 1, 2}, []time.Duration{time.Second, 2 * time.Second}, nil},
		"final":               {few, []*failure{passing, final}, []int{0, 1}, []time.Duration{time.Second}, final},
		"as often as allowed": {few, []*failure{passing, passing, passing, passing}, []int{0, 1, 2, 3}, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}, passing},
		"calls before":        {again, []*failure{passing, passing}, []int{2, 3}, []time.Duration{4 * time.Second}, passing},
		"progress":            {few, []*failure{passing, passing, passing, further, passing}, []int{0, 1, 2, 3, 1, 2}, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, time.Second, 2 * time.Second}, nil},
		"asked to wait":       {few, []*failure{slow}, []int{0, 1}, []time.Duration{time.Minute}, nil},
		"asked, endless":      {few.Endless(), []*failure{slow, passing, passing, passing, passing}, []int{0, 1, 2, 3, 4, 5}, []time.Duration{time.Hour, 2 * time.Second, 4 * time.Second, 5 * time.Second, 5 * time.Second}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var numbers []int
				var told []time.Duration
				c.repeats.Notice = func(_ error, wait time.Duration) { told = append(told, wait) }
				began, rest := time.Now(), c.failures
				answer, got := attempt.Do(t.Context(), c.repeats, func(number int) (string, *failure) {
					numbers = append(numbers, number)
					if len(rest) == 0 {
						return "yes", nil
					}
					next := rest[0]
					rest = rest[1:]
					return "no", next
				})
				if got != c.want || (answer == "yes") != (got == nil) || got != nil && answer != "" {
					t.Errorf("Do: got %q and %v, want %v", answer, got, c.want)
				}
				if !slices.Equal(numbers, c.numbers) || len(told) != len(c.pauses) {
					t.Fatalf("Do: got the calls %v and the pauses %v, want %v and at least %v", numbers, told, c.numbers, c.pauses)
				}
				var sum time.Duration
				for i, pause := range told {
					sum += pause
					if least, most := c.pauses[i]*3/4, c.pauses[i]*5/4; pause < least || pause > most {
						t.Errorf("Do: got the pause %v, want %v to %v", pause, least, most)
					}
				}
				if took := time.Since(began); took != sum {
					t.Errorf("Do: got %v, want the pauses it told, %v", took, sum)
				}
			})
		})
	}
}

// No pause ends after the time until which the call may be repeated.
func TestDoUntil(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		repeats := attempt.Repeats{Pace: attempt.Pace{First: time.Second, Longest: time.Second}}.Endless()
		until := time.Now().Add(10 * time.Second)
		calls := 0
		_, got := attempt.Do(t.Context(), repeats, func(int) (struct{}, *failure) {
			calls++
			return struct{}{}, failed(client.KindNetwork, func(f *failure) { f.Until = until })
		})
		if got == nil || !got.Repeatable || time.Now().After(until) || calls < 8 {
			t.Errorf("Do: got %+v after %d calls, want the last failure as it was, in time", got, calls)
		}
	})
}

// Who leaves during a pause learns that, and what became of the last call.
func TestDoEnded(t *testing.T) {
	t.Parallel()
	ctx, leave := context.WithCancel(t.Context())
	repeats := attempt.DefaultRepeats(func(error, time.Duration) { leave() })
	_, got := attempt.Do(ctx, repeats, func(int) (struct{}, *failure) {
		return struct{}{}, failed(client.KindNetwork, func(f *failure) { f.Outcome = attempt.OutcomeUnsent })
	})
	if got == nil || !errors.Is(got.Err, context.Canceled) || got.Outcome != attempt.OutcomeUnsent || got.Repeatable {
		t.Errorf("Do: got %+v, want that it was ended before anything was sent", got)
	}
}
