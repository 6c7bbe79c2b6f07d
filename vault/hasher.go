package vault

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"hush/seal"
)

const (
	hashQueue   = 64              // callers that may wait for their turn
	hashTimeout = 2 * time.Second // the longest wait
	// passwordHashes is how many passwords are hashed at a time: each takes
	// 64 MiB.
	passwordHashes = 2
)

// hasher bounds slow hashing. Passphrases, of which each processor takes two at
// a time, stand in the queue that it embeds; passwords have one of their own,
// so that a rush of sign-ins keeps nobody from a secret.
type hasher struct {
	hashing
	passwords hashing
	// done counts hashes, for tests that a refused caller costs none.
	done atomic.Int64
}

func newHasher() *hasher {
	return &hasher{hashing: newHashing(2 * runtime.NumCPU()), passwords: newHashing(passwordHashes)}
}

// passphrase hashes, for a caller whose turn it is.
func (h *hasher) passphrase(params seal.PassphraseParams, passphrase Text) [32]byte {
	h.done.Add(1)
	return params.Hash(string(passphrase))
}

// password hashes, for a caller whose turn it is.
func (h *hasher) password(params seal.PasswordParams, password Text) seal.PasswordHash {
	h.done.Add(1)
	return params.Hash(string(password))
}

// hash waits for its turn and hashes.
func (h *hasher) hash(ctx context.Context, params seal.PassphraseParams, passphrase Text) ([32]byte, error) {
	leave, err := h.turn(ctx)
	if err != nil {
		return [32]byte{}, err
	}
	defer leave()
	return h.passphrase(params, passphrase), nil
}

// hashing lets a few at a time hash, and keeps a short queue.
type hashing struct {
	running chan struct{}
	waiting chan struct{}
}

func newHashing(running int) hashing {
	return hashing{make(chan struct{}, running), make(chan struct{}, running+hashQueue)}
}

// turn waits for leave to hash and returns what gives it back, or ErrBusy.
func (h hashing) turn(ctx context.Context) (leave func(), err error) {
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
