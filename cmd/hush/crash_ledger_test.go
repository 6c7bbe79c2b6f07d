package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
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
func (l *ledger) failed(d driver, call string, got answer) bool {
	if l.doubt != nil && (got.outcome == outcomeLost || got.outcome == outcomeUnavailable) {
		l.doubt(call, string(got.outcome))
		return true
	}
	if got.outcome != outcomeOK && got.outcome != outcomeLost {
		l.wrong = append(l.wrong, fmt.Sprintf("%s %s: got %s (%s), want ok or no answer", d.name(), call, got.outcome, got.text))
	}
	return got.outcome != outcomeOK
}

func newLedger(client int) *ledger { return &ledger{client: client, shown: map[string]int{}} }

// work calls until ctx ends or the server is gone.
func (l *ledger) work(ctx context.Context, drivers []driver, random *rand.Rand) {
	l.workUntil(ctx, ctx, drivers, random)
}

// workUntil is work whose calls have a context of their own.
func (l *ledger) workUntil(end, ctx context.Context, drivers []driver, random *rand.Rand) {
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

func (l *ledger) conceal(ctx context.Context, d driver) bool {
	l.number++
	value := fmt.Sprintf("value %d of client %d", l.number, l.client)
	got := d.conceal(ctx, wish{secret: value})
	if l.failed(d, "conceal", got) {
		return false
	}
	l.waiting = append(l.waiting, &entry{key: got.secretKey, metadataKey: got.metadataKey, value: value, acked: time.Now()})
	return true
}

// end reveals or burns a waiting secret. Whatever becomes of it, it does not
// wait any more as far as the client can tell.
func (l *ledger) end(ctx context.Context, d driver, index int, burn bool) bool {
	e := l.waiting[index]
	l.waiting[index] = l.waiting[len(l.waiting)-1]
	l.waiting = l.waiting[:len(l.waiting)-1]
	l.ended = append(l.ended, e)
	e.fate = fateDoubtful
	if burn {
		if l.failed(d, "burn", d.burn(ctx, e.metadataKey, "")) {
			return false
		}
		e.fate = fateBurned
		return true
	}
	got := d.reveal(ctx, e.key, "")
	if l.failed(d, "reveal", got) {
		return false
	}
	if got.value != e.value {
		l.wrong = append(l.wrong, fmt.Sprintf("%s reveal: got %q, want %q", d.name(), got.value, e.value))
	}
	e.fate = fateRevealed
	l.shown[e.key]++
	return true
}

// check compares the ledger with what a server says after crash number cycle.
// It ends all but a few of the secrets that wait, which the next life has to
// know too. Of what ended before an earlier crash it takes a tenth each time,
// and all after the last.
func (l *ledger) check(t *testing.T, d driver, cycle int, last bool) {
	t.Helper()
	for _, wrong := range l.wrong {
		t.Error(wrong)
	}
	for _, e := range l.waiting {
		got := d.metadata(t.Context(), e.metadataKey)
		if got.outcome != outcomeOK || got.state != "new" && got.state != "viewed" || got.secretKey != e.key {
			t.Errorf("%s metadata of an acknowledged secret: got %s %q (%s), want new or viewed", d.name(), got.outcome, got.state, got.text)
		}
	}
	for len(l.waiting) > 20 {
		e := l.waiting[len(l.waiting)-1]
		l.waiting, l.ended = l.waiting[:len(l.waiting)-1], append(l.ended, e)
		d.reveal(t.Context(), e.key, "").wantValue(t, d.name()+" reveal of an acknowledged secret", e.value)
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
func (l *ledger) checkEnded(t *testing.T, d driver, e *entry) {
	t.Helper()
	got := d.reveal(t.Context(), e.key, "")
	if e.fate == fateDoubtful && got.outcome == outcomeOK {
		got.wantValue(t, d.name()+" reveal after a lost answer", e.value)
		e.fate = fateRevealed
		l.shown[e.key]++
	} else {
		got.want(t, fmt.Sprintf("%s reveal of what has ended (fate %d)", d.name(), e.fate), outcomeUnknown)
	}
	state := d.metadata(t.Context(), e.metadataKey).want(t, d.name()+" metadata of what has ended", outcomeOK).state
	switch {
	case e.fate == fateRevealed && state == "received", e.fate == fateBurned && state == "burned",
		e.fate == fateDoubtful && (state == "received" || state == "burned"):
	default:
		t.Errorf("%s metadata: got state %q after fate %d, want them to agree", d.name(), state, e.fate)
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
