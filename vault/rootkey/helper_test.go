package rootkey_test

import (
	"context"
	"sync/atomic"
)

// endsAfter is a context that ends once it was asked a number of times.
type endsAfter struct {
	context.Context //nolint:containedctx // it is one

	left  int64
	asked atomic.Int64
}

func (c *endsAfter) Done() <-chan struct{} {
	if c.asked.Add(1) < c.left {
		return c.Context.Done()
	}
	ended := make(chan struct{})
	close(ended)
	return ended
}

func (c *endsAfter) Err() error {
	if c.asked.Load() < c.left {
		return c.Context.Err()
	}
	return context.Canceled
}
