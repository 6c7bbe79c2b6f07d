package guess

import (
	"time"

	"hush/vault/rows"
)

// PauseAfter returns the pause after a number of wrong tries. The last free try
// starts the first pause; earlier ones start none. Each further one starts a
// longer pause, up to eight hours.
func PauseAfter(wrong, free int) time.Duration {
	pauses := [...]time.Duration{
		time.Minute, 5 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour,
	}
	if wrong < free {
		return 0
	}
	return pauses[min(wrong-free, len(pauses)-1)]
}

// Add counts one attempt, begins the pause that follows it, and returns how many
// are left before the next pause.
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

// TriesVersion is the version of the records that Encode returns.
const TriesVersion = 2

// Tries counts wrong passphrases, wrong passwords, or mails.
//
//	version 2 │ count 4 │ began 8 │ locked until 8
//
// In version 1 the count of wrong passphrases and passwords expired after a
// while; its last count is carried over. The number of version 2 keeps an older
// program from expiring it.
type Tries struct {
	Count  uint32
	Began  time.Time
	Locked time.Time
}

func (r *Tries) fields(c *rows.Codec) {
	c.VersionUpTo(TriesVersion, TriesVersion)
	c.Uint32(&r.Count)
	c.Time(&r.Began)
	c.Time(&r.Locked)
}

// Encode encodes a counter.
func (r Tries) Encode() []byte { return rows.Encode(21, &r, (*Tries).fields) }

// DecodeTries decodes a counter of any version.
func DecodeTries(data []byte) (r Tries, err error) {
	err = rows.Decode(data, &r, (*Tries).fields)
	return r, err
}

// AddLasting is Add for a counter that lasts from its last try, not from its
// first.
func (r *Tries) AddLasting(free int, now time.Time) int {
	left := r.Add(free, now)
	r.Began = now // the last try
	return left
}

// TakeBack removes a try that turned out to be right, with the pause that it
// began. The pause cannot belong to another try: none is accepted during a
// pause.
func (r *Tries) TakeBack() {
	if r.Count > 0 {
		r.Count--
	}
	r.Locked = time.Time{}
}
