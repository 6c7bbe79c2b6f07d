package shares

import (
	"context"
	"errors"
	"time"

	"hush/seal"
	"hush/storage"
)

const (
	// poolSize is the number of shares kept ready. A killed process loses at
	// most this many slots: until the next start if the store reuses slots, and
	// for good if it does not.
	poolSize = 512
	// poolBatch is the number of shares written per sync.
	poolBatch = 128
	// poolPause is the pause after a failed write.
	poolPause = time.Second
)

// Ready is a share that is durable in its slot and not yet used.
type Ready struct {
	Slot  storage.Slot
	Share [storage.ShareSize]byte

	epoch epochRow // whose key masks the share, if any
}

// sharePool keeps shares ready for new secrets. A share is random and
// independent of its secret, so many can be written ahead with one sync. Then
// concealing a secret does not wait for that sync.
type sharePool struct {
	shares storage.Shares
	ready  chan Ready
	taken  chan struct{}
}

func newSharePool(shares storage.Shares) *sharePool {
	return &sharePool{shares: shares, ready: make(chan Ready, poolSize), taken: make(chan struct{}, 1)}
}

// take returns a durable share: one that is ready, or a new one if there is
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

// forget drops the shares that are ready. Their rows stay without an owner.
func (p *sharePool) forget() {
	p.drain()
	select {
	case p.taken <- struct{}{}:
	default:
	}
}

// drain takes the shares that are ready and returns their slots.
func (p *sharePool) drain() (slots []storage.Slot) {
	for {
		select {
		case r := <-p.ready:
			slots = append(slots, r.Slot)
		default:
			return slots
		}
	}
}

// fill keeps the pool full until ctx ends or the store is closed. It does not
// report write errors: a caller that then has to write its own share reports
// them. A store on a server serves again after an unknown outcome.
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
		if errors.Is(err, storage.ErrClosed) {
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

// writeBatch writes poolBatch shares with one sync and puts them into the pool.
// The pool has room for them: no other goroutine adds to it.
func (p *sharePool) writeBatch(ctx context.Context) error {
	var batch [poolBatch][storage.ShareSize]byte
	defer clear(batch[:])
	for i := range batch {
		batch[i] = seal.NewShare()
	}
	slots, err := p.shares.PutMany(ctx, batch[:])
	for i, slot := range slots {
		if slot != (storage.Slot{}) {
			p.ready <- Ready{Slot: slot, Share: batch[i]}
		}
	}
	return err
}
