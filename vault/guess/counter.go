package guess

import (
	"time"

	"hush/vault/rows"
)

// PauseAfter returns how long no further try is accepted after so many wrong
// ones, of which so many are free: nothing before the last free one, and from
// then on more after each, up to eight hours.
func PauseAfter(wrong, free int) time.Duration {
	pauses := [...]time.Duration{
		time.Minute, 5 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour,
	}
	if wrong < free {
		return 0
	}
	return pauses[min(wrong-free, len(pauses)-1)]
}

// Add adds one attempt, begins the pause that follows it if it is wrong,
// and returns how many are left before the next pause.
func (r *Tries) Add(free int, now time.Time) int {
	if r.Count == 0 {
		r.Began = now
	}
	r.Count++
	r.Locked = time.Time{}
	if pause := PauseAfter(int(r.Count), free); pause > 0 {
		r.Locked = now.Add(pause)
	}
	return max(0, free-int(r.Count))
}

const attemptVersion = 2

// Tries counts wrong passphrases, wrong passwords, or mails.
//
//	version 2 │ count 4 │ began 8 │ locked until 8
//
// In version 1 the count of wrong passphrases and passwords started anew after
// a while; what it had counted last goes on. Version 2 keeps an older program
// from forgetting.
type Tries struct {
	Count  uint32
	Began  time.Time
	Locked time.Time
}

// Encode lays out a counter.
func (r Tries) Encode() []byte {
	w := make(rows.Writer, 0, 21)
	w.Byte(attemptVersion)
	w.Uint32(r.Count)
	w.Time(r.Began)
	w.Time(r.Locked)
	return w
}

// DecodeTries reads what Encode wrote, in any version.
func DecodeTries(data []byte) (Tries, error) {
	in := rows.NewReader(data)
	var r Tries
	in.UpTo(attemptVersion)
	r.Count, r.Began, r.Locked = in.Uint32(), in.Time(), in.Time()
	return r, in.End()
}

// AddLasting adds a try to a counter and begins the pause that follows it. It
// returns how many are left before the next pause.
func (r *Tries) AddLasting(free int, now time.Time) int {
	left := r.Add(free, now)
	r.Began = now // remembered from the last one on
	return left
}

// TakeBack takes back a try that was none, with the pause that it began. There is
// no other: nobody tries in a pause.
func (r *Tries) TakeBack() {
	if r.Count > 0 {
		r.Count--
	}
	r.Locked = time.Time{}
}
