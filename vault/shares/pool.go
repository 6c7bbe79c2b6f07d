package shares

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"hush/crash"
	"hush/seal"
	"hush/storage"
)

const (
	// poolSize is how many shares lie ready, and at most so many slots are lost
	// until the next start when the process is killed.
	poolSize = 512
	// poolBatch is how many are written for one sync.
	poolBatch = 128
	// poolPause is how long to wait after shares could not be written.
	poolPause = time.Second
)

// Ready is a share that is durably in its slot and belongs to nobody.
type Ready struct {
	Slot  storage.Slot
	Share [storage.ShareSize]byte
}

// sharePool keeps shares ready for the secrets to come. A share is random and
// knows nothing of its secret, so it can be written and synced before there is
// one, many with one sync; then nobody who conceals has to wait for it.
type sharePool struct {
	shares storage.Shares
	log    *slog.Logger
	ready  chan Ready
	taken  chan struct{}
}

func newSharePool(shares storage.Shares, log *slog.Logger) *sharePool {
	return &sharePool{shares: shares, log: log, ready: make(chan Ready, poolSize), taken: make(chan struct{}, 1)}
}

// take returns a durable share: one that lies ready, or a new one if there is
// none.
func (p *sharePool) take(ctx context.Context) (Ready, error) {
	select {
	case r := <-p.ready:
		select {
		case p.taken <- struct{}{}:
		default:
		}
		return r, nil
	default:
		return p.write(ctx)
	}
}

func (p *sharePool) write(ctx context.Context) (Ready, error) {
	r := Ready{Share: seal.NewShare()}
	var err error
	r.Slot, err = p.shares.Put(ctx, r.Share)
	return r, err
}

// fill keeps the pool full until ctx ends or the store has stopped. That a
// share cannot be written is for those to report who then have to write their
// own.
func (p *sharePool) fill(ctx context.Context) {
	for ctx.Err() == nil {
		if cap(p.ready)-len(p.ready) < poolBatch {
			select {
			case <-ctx.Done():
			case <-p.taken:
			}
			continue
		}
		err := p.writeBatch(ctx)
		if errors.Is(err, storage.ErrUnknownOutcome) || errors.Is(err, storage.ErrClosed) {
			return
		}
		if err != nil {
			select {
			case <-ctx.Done():
			case <-time.After(poolPause):
			}
		}
	}
}

// writeBatch writes poolBatch shares, which share a sync, and puts them into
// the pool. There is room: nobody else adds to it.
func (p *sharePool) writeBatch(ctx context.Context) error {
	var all sync.WaitGroup
	errs := make([]error, poolBatch)
	for i := range errs {
		crash.Go(&all, p.log, func() {
			r, err := p.write(ctx)
			if err != nil {
				errs[i] = err
				return
			}
			p.ready <- r
		})
	}
	all.Wait()
	return errors.Join(errs...)
}
