package vault

import (
	"context"
	"runtime"
	"time"

	"hush/seal"
)

const (
	hashQueue   = 64              // callers that may wait for their turn
	hashTimeout = 2 * time.Second // the longest wait
)

// hasher bounds the slow hashing of passphrases: at most two a processor at a
// time, and a short queue.
type hasher struct {
	running chan struct{}
	waiting chan struct{}
}

func newHasher() *hasher {
	running := 2 * runtime.NumCPU()
	return &hasher{make(chan struct{}, running), make(chan struct{}, running+hashQueue)}
}

// turn waits for leave to hash and returns what gives it back, or ErrBusy.
func (h *hasher) turn(ctx context.Context) (leave func(), err error) {
	select {
	case h.waiting <- struct{}{}:
	default:
		return nil, ErrBusy
	}
	timeout := time.NewTimer(hashTimeout)
	defer timeout.Stop()
	select {
	case h.running <- struct{}{}:
		return func() { <-h.running; <-h.waiting }, nil
	case <-timeout.C:
		err = ErrBusy
	case <-ctx.Done():
		err = ctx.Err()
	}
	<-h.waiting
	return nil, err
}

// hash waits for its turn and hashes.
func (h *hasher) hash(ctx context.Context, params seal.PassphraseParams, passphrase Text) ([32]byte, error) {
	leave, err := h.turn(ctx)
	if err != nil {
		return [32]byte{}, err
	}
	defer leave()
	return params.Hash(string(passphrase)), nil
}
