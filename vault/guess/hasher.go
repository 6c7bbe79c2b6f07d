package guess

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/refusal"
)

const (
	hashQueue = 64 // callers that may wait
	// networkPart is the fraction of the places for passphrases that a network
	// may hold: one in networkPart.
	networkPart = 4
	hashTimeout = 2 * time.Second // the maximum wait
	// passwordHashes is the number of passwords hashed at a time: each takes 64
	// MiB.
	passwordHashes = 2
)

// Hasher bounds slow hashing. Passphrases share one queue, in which every
// network has a limited share; each processor hashes two at a time. Passwords
// have their own queue, so that a rush of sign-ins does not delay secrets.
type Hasher struct {
	passphrases Queue
	Passwords   Queue

	mu   sync.Mutex
	held map[caller.Network]int // places in the passphrase queue, running and waiting

	// Done counts hashes, so that tests can check that a refused caller costs
	// none.
	Done atomic.Int64
}

// NewHasher returns a hasher with empty queues.
func NewHasher() *Hasher {
	return &Hasher{
		passphrases: newHashing(2 * runtime.NumCPU()), Passwords: newHashing(passwordHashes),
		held: make(map[caller.Network]int),
	}
}

// Enter waits until a network may hash a passphrase and returns a function that
// releases the place. It returns ErrBusy without waiting if the network already
// holds its share, a quarter of the places. All callers of unknown networks
// share one.
func (h *Hasher) Enter(ctx context.Context, n caller.Network) (release func(), err error) {
	if !h.join(n) {
		return nil, refusal.ErrBusy
	}
	done, err := h.passphrases.Enter(ctx)
	if err != nil {
		h.release(n)
		return nil, err
	}
	return func() { done(); h.release(n) }, nil
}

// join gives a network a place, and reports whether it had one left.
func (h *Hasher) join(n caller.Network) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.held[n] >= cap(h.passphrases.waiting)/networkPart {
		return false
	}
	h.held[n]++
	return true
}

func (h *Hasher) release(n caller.Network) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.held[n]--; h.held[n] <= 0 {
		delete(h.held, n)
	}
}

// Passphrase hashes a passphrase. The caller must hold a place.
func (h *Hasher) Passphrase(params seal.PassphraseParams, passphrase caller.Text) [32]byte {
	h.Done.Add(1)
	return params.Hash(string(passphrase))
}

// Password hashes a password. The caller must hold a place.
func (h *Hasher) Password(params seal.PasswordParams, password caller.Text) seal.PasswordHash {
	h.Done.Add(1)
	return params.Hash(string(password))
}

// Hash waits for a place and hashes a passphrase.
func (h *Hasher) Hash(ctx context.Context, n caller.Network, params seal.PassphraseParams, passphrase caller.Text) ([32]byte, error) {
	release, err := h.Enter(ctx, n)
	if err != nil {
		return [32]byte{}, err
	}
	defer release()
	return h.Passphrase(params, passphrase), nil
}

// Load is how busy a queue is: how many may hash at a time, how many do, and how
// many wait.
type Load struct{ Lanes, Running, Waiting int }

// Load returns how busy the queues of passphrases and of passwords are.
func (h *Hasher) Load() (passphrases, passwords Load) {
	return h.passphrases.load(), h.Passwords.load()
}

func (h Queue) load() Load {
	running := len(h.running)
	return Load{Lanes: cap(h.running), Running: running, Waiting: max(0, len(h.waiting)-running)}
}

// Queue lets a few callers hash at a time and holds a short queue of others.
type Queue struct {
	running chan struct{}
	waiting chan struct{}
}

func newHashing(running int) Queue {
	return Queue{make(chan struct{}, running), make(chan struct{}, running+hashQueue)}
}

// Enter waits for a place and returns a function that releases it, or ErrBusy.
func (h Queue) Enter(ctx context.Context) (release func(), err error) {
	select {
	case h.waiting <- struct{}{}:
	default:
		return nil, refusal.ErrBusy
	}
	timeout := time.NewTimer(hashTimeout)
	defer timeout.Stop()
	select {
	case h.running <- struct{}{}:
		return func() { <-h.running; <-h.waiting }, nil
	case <-timeout.C:
		err = refusal.ErrBusy
	case <-ctx.Done():
		err = ctx.Err()
	}
	<-h.waiting
	return nil, err
}
