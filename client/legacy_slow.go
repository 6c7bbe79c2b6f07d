package client

import (
	"context"
	"io"
	"sync/atomic"
	"time"
)

// slow ends a call that takes too long for its bytes: one whose answer never ends
// would hold a script for ever. A line that is slower than slowLine counts as dead.
type slow struct {
	timer  *time.Timer
	late   atomic.Bool
	begun  time.Time
	within time.Duration
	bytes  int
}

// watch calls cancel when a call that sends so many bytes is late.
func watch(cancel context.CancelFunc, within time.Duration, bytes int) *slow {
	s := &slow{begun: time.Now(), within: within, bytes: bytes}
	s.timer = time.AfterFunc(s.left(), func() {
		s.late.Store(true)
		cancel()
	})
	return s
}

// left returns how long the call may still take.
func (s *slow) left() time.Duration {
	return s.within + time.Duration(s.bytes/slowLine)*time.Second - time.Since(s.begun)
}

// reader returns a reader of the answer, each byte of which gets the call some time.
func (s *slow) reader(from io.Reader) io.Reader {
	return readerFunc(func(into []byte) (int, error) {
		n, err := from.Read(into)
		s.bytes += n
		if s.timer.Stop() {
			s.timer.Reset(s.left())
		}
		return n, err
	})
}

// cause returns what an error of the call is, if it is late.
func (s *slow) cause(err error) error {
	if s.late.Load() {
		return context.DeadlineExceeded
	}
	return err
}

type readerFunc func([]byte) (int, error)

// Read implements io.Reader.
func (f readerFunc) Read(into []byte) (int, error) { return f(into) }
