package onetime

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"hush/client/attempt"
)

// deadline ends a call that takes too long for its bytes: one whose answer never ends
// would hold a script for ever. A line that is slower than attempt.SlowestLine counts as dead.
type deadline struct {
	timer  *time.Timer
	late   atomic.Bool
	begun  time.Time
	within time.Duration
	bytes  int
}

// startDeadline calls cancel when a call that sends so many bytes is late.
func startDeadline(cancel context.CancelFunc, within time.Duration, bytes int) *deadline {
	d := &deadline{begun: time.Now(), within: within, bytes: bytes}
	d.timer = time.AfterFunc(d.left(), func() {
		d.late.Store(true)
		cancel()
	})
	return d
}

// left returns how long the call may still take.
func (d *deadline) left() time.Duration {
	return d.within + time.Duration(d.bytes/attempt.SlowestLine)*time.Second - time.Since(d.begun)
}

// reader returns a reader of the answer, each byte of which gets the call some time.
func (d *deadline) reader(from io.Reader) io.Reader {
	return readerFunc(func(into []byte) (int, error) {
		n, err := from.Read(into)
		d.bytes += n
		if d.timer.Stop() {
			d.timer.Reset(d.left())
		}
		return n, err
	})
}

// cause returns what an error of the call is, if it is late.
func (d *deadline) cause(err error) error {
	if d.late.Load() {
		return context.DeadlineExceeded
	}
	return err
}

type readerFunc func([]byte) (int, error)

// Read implements io.Reader.
func (f readerFunc) Read(into []byte) (int, error) { return f(into) }
