package console

import "context"

// Interruptible runs work that does not end with a context. It gives up waiting for
// it when the context ends, and then returns ErrInterrupted.
func Interruptible[T any](ctx context.Context, work func() (T, error)) (T, error) {
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
