package chain

import (
	"cmp"
	"context"
	"net/http"
	"time"
)

// Pace is how slow a request and its response may be. The server gives both a fixed
// time. Where one of them makes progress, its deadline moves, so that a large content
// arrives over a slow line. A peer that sends or takes nothing, or a few bytes now and
// then, is cut.
type Pace struct {
	// Read and Write are the fixed times, as the server has them: for a request from
	// its beginning, and for its response. Zero means 15 and 30 seconds.
	Read, Write time.Duration
	// Silence is how long one that takes longer may make no progress. Zero means 20
	// seconds.
	Silence time.Duration
	// Rate is how many bytes a second it makes at least, on the average after the
	// fixed time. Zero means 4 KiB.
	Rate int
	// Drain is how long the rest of a refused body is read. Zero means 2 seconds.
	Drain time.Duration
}

const (
	// readStep and writeStep are the bytes that count as progress. Fewer move no
	// deadline.
	readStep  = 16 << 10
	writeStep = 32 << 10
)

func (p Pace) withDefaults() Pace {
	return Pace{
		Read: cmp.Or(p.Read, 15*time.Second), Write: cmp.Or(p.Write, 30*time.Second),
		Silence: cmp.Or(p.Silence, 20*time.Second), Rate: cmp.Or(p.Rate, 4<<10),
		Drain: cmp.Or(p.Drain, 2*time.Second),
	}
}

// partRate is how many bytes a second a part of a file makes at least while parts hold so
// much that slow ones keep others out: three at a time arrive over a line of 1 Mbit/s.
const partRate = 32 << 10

// of returns the pace of a request or a response. Parts are so large that two of them crowd
// what a network may hold, and lines so slow that they take minutes: they get more than the
// fixed time also then, if they are fast enough.
func (p *Pace) of(r *record) *Pace {
	if !r.part || !r.body.crowded() {
		return p
	}
	fast := *p
	fast.Rate = max(p.Rate, partRate)
	return &fast
}

// deadline returns until when the next step must be made: soon, and in time for all
// bytes since began.
func (p *Pace) deadline(began, now time.Time, fixed time.Duration, bytes int64) time.Time {
	soon := now.Add(p.Silence)
	least := began.Add(fixed + time.Duration(bytes)*time.Second/time.Duration(p.Rate))
	if least.Before(soon) {
		return least
	}
	return soon
}

// arrival is how a body makes progress.
type arrival struct {
	pace  *Pace               // nil for a body without deadlines
	to    http.ResponseWriter // has the deadlines
	began time.Time
	next  int64 // bytes at which the deadlines move
	moved bool
	ended bool
}

// advance moves the deadlines of a request whose body makes progress, unless it would
// keep others out. The response gets its time after the body.
func (b *body) advance() {
	switch {
	case b.ended && b.moved:
		b.moved = false
		// If the deadline passed later, net/http would end the request.
		_ = http.NewResponseController(b.to).SetReadDeadline(time.Time{})
	case b.pace == nil || b.ended || b.taken < b.next || b.crowded() && !b.record.part:
	default:
		b.moved, b.next = true, b.taken+readStep
		control := http.NewResponseController(b.to)
		at := b.pace.of(b.record).deadline(b.began, time.Now(), b.pace.Read, b.taken)
		_ = control.SetReadDeadline(at)
		_ = control.SetWriteDeadline(at.Add(b.pace.Write))
	}
}

// sending is how a response makes progress.
type sending struct {
	pace  *Pace
	next  int       // bytes at which the deadline moves; 0 before the first one
	began time.Time // when it moved first
	told  time.Time // when the call was last told
}

// advance moves the deadline of a response before more than so many bytes are sent.
func (s *sending) advance(w http.ResponseWriter, r *record, bytes int) {
	if s.next = max(s.next, writeStep); bytes < s.next {
		return
	}
	s.next = bytes + writeStep
	now, control := time.Now(), http.NewResponseController(w)
	if s.began.IsZero() {
		s.began, s.told = now, now
		if r.body == nil || r.body.ended {
			// If the deadline passed, net/http would end all that the connection serves.
			_ = control.SetReadDeadline(time.Time{})
		}
	}
	if r.tell != nil && now.Sub(s.told) >= r.every {
		s.told = now
		r.tell()
		now = time.Now()
	}
	_ = control.SetWriteDeadline(s.pace.of(r).deadline(s.began, now, s.pace.Write, int64(bytes)))
}

// WhileSending makes the response of a call tell that its reader still takes it: before
// more bytes are sent, at most once in every. A response that is taken at once tells
// nothing, and so does one that stands still. tell holds up the response.
func WhileSending(ctx context.Context, every time.Duration, tell func()) {
	if r := recordFrom(ctx); r != nil {
		r.every, r.tell = every, tell
	}
}
