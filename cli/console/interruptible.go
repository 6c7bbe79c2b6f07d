package console

import (
	"context"
	"io"
	"os"
)

// Interruptible runs work that does not end with a context. It gives up waiting for
// it when the context ends, and then returns ErrInterrupted. What was given up goes on,
// and may still take what comes from a pipe; after the context nothing is begun.
func Interruptible[T any](ctx context.Context, work func() (T, error)) (T, error) {
	if ctx.Err() != nil {
		var none T
		return none, ErrInterrupted
	}
	type result struct {
		value T
		err   error
	}
	results := make(chan result, 1)
	go func() {
		value, err := work()
		results <- result{value, err}
	}()
	select {
	case got := <-results:
		return got.value, got.err
	case <-ctx.Done():
		var none T
		return none, ErrInterrupted
	}
}

// ReadFile is os.ReadFile, but gives up waiting for a pipe as Interruptible does.
func ReadFile(ctx context.Context, path string) ([]byte, error) {
	return Interruptible(ctx, func() ([]byte, error) { return os.ReadFile(path) })
}

// interruptibleReader reads as Interruptible does. Its bytes arrive in memory of its own: a
// read that was given up may still write there.
type interruptibleReader struct {
	ctx   context.Context //nolint:containedctx // one call's, which reads through this
	from  io.Reader
	bytes []byte
}

// longestRead is the maximum bytes of one read.
const longestRead = 64 << 10

// Read implements io.Reader.
func (r *interruptibleReader) Read(into []byte) (int, error) {
	if room := min(len(into), longestRead); len(r.bytes) < room {
		r.bytes = make([]byte, room)
	}
	bytes := r.bytes[:min(len(into), longestRead)]
	n, err := Interruptible(r.ctx, func() (int, error) { return r.from.Read(bytes) })
	return copy(into, bytes[:n]), err
}
