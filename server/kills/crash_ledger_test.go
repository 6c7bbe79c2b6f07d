package kills_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"hush/routes/apitest"
)

// fate is what a client knows of a secret that was acknowledged.
type fate int

const (
	fateWaits    fate = iota // acknowledged, and nothing that ends it was sent
	fateRevealed             // its value was answered
	fateBurned               // its burn was answered
	fateDoubtful             // a reveal or a burn was sent and its answer never came
)

// entry is a secret in the ledger.
type entry struct {
	key, metadataKey string
	value            string
	fate             fate
	acked            time.Time // when its conceal was answered
}

// ledger is what one client did over several lives of the server.
type ledger struct {
	waiting []*entry
	ended   []*entry
	number  int
	client  int
	settled int            // so many of the ended were compared after an earlier crash
	shown   map[string]int // how often the value behind a key was answered
	wrong   []string       // answers that a living server must not give
	// doubt hears of calls without an answer that says what came of them. If it
	// is nil, the server may not be unavailable.
	doubt func(call, why string)
}

// failed reports whether a call did not succeed. That is expected if its
// response was lost.
func (l *ledger) failed(d apitest.Driver, call string, got apitest.Answer) bool {
	if l.doubt != nil && (got.Outcome == apitest.OutcomeLost || got.Outcome == apitest.OutcomeUnavailable) {
		l.doubt(call, string(got.Outcome))
		return true
	}
	if got.Outcome != apitest.OutcomeOK && got.Outcome != apitest.OutcomeLost {
		l.wrong = append(l.wrong, fmt.Sprintf("%s %s: got %s (%s), want ok or no answer", d.Name(), call, got.Outcome, got.Text))
	}
	return got.Outcome != apitest.OutcomeOK
}

func newLedger(client int) *ledger { return &ledger{client: client, shown: map[string]int{}} }

// work calls until ctx ends or the server is gone.
func (l *ledger) work(ctx context.Context, drivers []apitest.Driver, random *rand.Rand) {
	l.workUntil(ctx, ctx, drivers, random)
}

// workUntil is work whose calls have a context of their own.
func (l *ledger) workUntil(end, ctx context.Context, drivers []apitest.Driver, random *rand.Rand) {
	for end.Err() == nil {
		d := drivers[random.IntN(len(drivers))]
		if draw := random.IntN(10); draw < 5 || len(l.waiting) == 0 {
			if !l.conceal(ctx, d) {
				return
			}
		} else if !l.end(ctx, d, random.IntN(len(l.waiting)), draw == 9) {
			return
		}
	}
}

func (l *ledger) conceal(ctx context.Context, d apitest.Driver) bool {
	l.number++
	value := fmt.Sprintf("value %d of client %d", l.number, l.client)
	got := d.Conceal(ctx, apitest.Terms{Secret: value})
	if l.failed(d, "conceal", got) {
		return false
	}
	l.waiting = append(l.waiting, &entry{key: got.SecretKey, metadataKey: got.MetadataKey, value: value, acked: time.Now()})
	return true
}

// end reveals or burns a waiting secret. Whatever becomes of it, it does not
// wait any more as far as the client can tell.
func (l *ledger) end(ctx context.Context, d apitest.Driver, index int, burn bool) bool {
	e := l.waiting[index]
	l.waiting[index] = l.waiting[len(l.waiting)-1]
	l.waiting = l.waiting[:len(l.waiting)-1]
	l.ended = append(l.ended, e)
	e.fate = fateDoubtful
	if burn {
		if l.failed(d, "burn", d.Burn(ctx, e.metadataKey, "")) {
			return false
		}
		e.fate = fateBurned
		return true
	}
	got := d.Reveal(ctx, e.key, "")
	if l.failed(d, "reveal", got) {
		return false
	}
	if got.Value != e.value {
		l.wrong = append(l.wrong, fmt.Sprintf("%s reveal: got %q, want %q", d.Name(), got.Value, e.value))
	}
	e.fate = fateRevealed
	l.shown[e.key]++
	return true
}

// check compares the ledger with what a server says after crash number cycle.
// It ends all but a few of the secrets that wait, which the next life has to
// know too. Of what ended before an earlier crash it takes a tenth each time,
// and all after the last.
func (l *ledger) check(t *testing.T, d apitest.Driver, cycle int, last bool) {
	t.Helper()
	for _, wrong := range l.wrong {
		t.Error(wrong)
	}
	for _, e := range l.waiting {
		got := d.Metadata(t.Context(), e.metadataKey)
		if got.Outcome != apitest.OutcomeOK || got.State != "new" && got.State != "viewed" || got.SecretKey != e.key {
			t.Errorf("%s metadata of an acknowledged secret: got %s %q (%s), want new or viewed", d.Name(), got.Outcome, got.State, got.Text)
		}
	}
	for len(l.waiting) > 20 {
		e := l.waiting[len(l.waiting)-1]
		l.waiting, l.ended = l.waiting[:len(l.waiting)-1], append(l.ended, e)
		d.Reveal(t.Context(), e.key, "").WantValue(t, d.Name()+" reveal of an acknowledged secret", e.value)
		e.fate = fateRevealed
		l.shown[e.key]++
	}
	for i, e := range l.ended {
		if i >= l.settled || i%10 == cycle%10 || last {
			l.checkEnded(t, d, e)
		}
	}
	l.settled = len(l.ended)
}

// checkEnded tries to reveal what has ended, or may have.
func (l *ledger) checkEnded(t *testing.T, d apitest.Driver, e *entry) {
	t.Helper()
	got := d.Reveal(t.Context(), e.key, "")
	if e.fate == fateDoubtful && got.Outcome == apitest.OutcomeOK {
		got.WantValue(t, d.Name()+" reveal after a lost answer", e.value)
		e.fate = fateRevealed
		l.shown[e.key]++
	} else {
		got.Want(t, fmt.Sprintf("%s reveal of what has ended (fate %d)", d.Name(), e.fate), apitest.OutcomeUnknown)
	}
	state := d.Metadata(t.Context(), e.metadataKey).Want(t, d.Name()+" metadata of what has ended", apitest.OutcomeOK).State
	switch {
	case e.fate == fateRevealed && state == "received", e.fate == fateBurned && state == "burned",
		e.fate == fateDoubtful && (state == "received" || state == "burned"):
	default:
		t.Errorf("%s metadata: got state %q after fate %d, want them to agree", d.Name(), state, e.fate)
	}
	if e.fate == fateDoubtful && state == "burned" {
		e.fate = fateBurned
	}
	if e.fate == fateDoubtful && state == "received" {
		e.fate = fateRevealed
	}
	if l.shown[e.key] > 1 {
		t.Errorf("value of %s: got it %d times, want once at most", e.value, l.shown[e.key])
	}
}

// each runs do for every ledger at the same time.
func each(ledgers []*ledger, do func(l *ledger)) {
	var wait sync.WaitGroup
	for _, l := range ledgers {
		wait.Go(func() { do(l) })
	}
	wait.Wait()
}
