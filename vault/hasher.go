package vault

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"hush/seal"
)

const (
	hashQueue = 64 // callers that may wait for their turn
	// networkPart: a network may have this part of the places for passphrases.
	networkPart = 4
	hashTimeout = 2 * time.Second // the longest wait
	// passwordHashes is how many passwords are hashed at a time: each takes
	// 64 MiB.
	passwordHashes = 2
)

// hasher bounds slow hashing. Passphrases, of which each processor takes two at
// a time, stand in one queue, of which no network has more than its share;
// passwords have one of their own, so that a rush of sign-ins keeps nobody from a
// secret.
type hasher struct {
	passphrases hashing
	passwords   hashing

	mu   sync.Mutex
	held map[Network]int // places in the queue of passphrases, running and waiting

	// done counts hashes, for tests that a refused caller costs none.
	done atomic.Int64
}

func newHasher() *hasher {
	return &hasher{
		passphrases: newHashing(2 * runtime.NumCPU()), passwords: newHashing(passwordHashes),
		held: make(map[Network]int),
	}
}

// turn waits until a network may hash a passphrase and returns what gives the
// turn back. It returns ErrBusy without waiting if the network has its share: a
// quarter of the places. Callers of an unknown network share one.
func (h *hasher) turn(ctx context.Context, n Network) (leave func(), err error) {
	if !h.join(n) {
		return nil, ErrBusy
	}
	back, err := h.passphrases.turn(ctx)
	if err != nil {
		h.leave(n)
		return nil, err
	}
	return func() { back(); h.leave(n) }, nil
}

// join gives a network a place, and reports whether it had one left.
func (h *hasher) join(n Network) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.held[n] >= cap(h.passphrases.waiting)/networkPart {
		return false
	}
	h.held[n]++
	return true
}

func (h *hasher) leave(n Network) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.held[n]--; h.held[n] <= 0 {
		delete(h.held, n)
	}
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
func (h *hasher) hash(ctx context.Context, n Network, params seal.PassphraseParams, passphrase Text) ([32]byte, error) {
	leave, err := h.turn(ctx, n)
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
