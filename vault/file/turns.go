package file

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"

	"hush/seal"
)

// turns lets one call at a time write a part. A part that arrives twice at once would
// otherwise leave the bytes of one call under the row of the other.
type turns struct {
	mu   *sync.Mutex
	held map[turnKey]*turn
}

type turnKey struct {
	row   seal.RowKey
	part  uint32
	whole bool // of the upload, not of a part
}

type turn struct {
	held  *semaphore.Weighted // a caller that waits may leave
	calls int                 // that hold it or wait for it
}

// TakeTurn waits until no other call lets the upload of a receipt's row begin anew. The caller
// must give the turn back.
func (f *Files) TakeTurn(ctx context.Context, row seal.RowKey) (give func(), err error) {
	return f.turns.take(ctx, turnKey{row: row, whole: true})
}

func newTurns() turns { return turns{mu: new(sync.Mutex), held: map[turnKey]*turn{}} }

// take waits for the turn of a part.
func (t turns) take(ctx context.Context, key turnKey) (give func(), err error) {
	t.mu.Lock()
	one := t.held[key]
	if one == nil {
		one = &turn{held: semaphore.NewWeighted(1)}
		t.held[key] = one
	}
	one.calls++
	t.mu.Unlock()
	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if one.calls--; one.calls == 0 {
			delete(t.held, key)
		}
	}
	if err := one.held.Acquire(ctx, 1); err != nil {
		leave()
		return nil, err
	}
	return func() { one.held.Release(1); leave() }, nil
}
