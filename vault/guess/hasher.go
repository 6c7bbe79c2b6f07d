package guess

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/fair"
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
	lanes       int // how many passphrases are hashed at a time
	passphrases *fair.Queue[caller.Network]
	passwords   *fair.Queue[struct{}]

	// Done counts hashes, so that tests can check that a refused caller costs
	// none.
	Done atomic.Int64
}

// NewHasher returns a hasher with empty queues.
func NewHasher() *Hasher {
	lanes := 2 * runtime.NumCPU()
	return &Hasher{
		lanes: lanes,
		passphrases: fair.NewQueue[caller.Network](fair.Limits{
			Running: int64(lanes), Waiting: hashQueue, Share: int64(lanes+hashQueue) / networkPart, Wait: hashTimeout,
		}),
		passwords: fair.NewQueue[struct{}](fair.Limits{
			Running: passwordHashes, Waiting: hashQueue, Share: fair.Any, Wait: hashTimeout,
		}),
	}
}

// Enter waits until a network may hash a passphrase and returns a function that
// releases the place. It returns ErrBusy without waiting if the network already
// holds its share, a quarter of the places. All callers of unknown networks
// share one.
func (h *Hasher) Enter(ctx context.Context, n caller.Network) (release func(), err error) {
	return h.passphrases.Enter(ctx, n)
}

// EnterPassword waits for a place to hash a password and returns a function that
// releases it, or ErrBusy.
func (h *Hasher) EnterPassword(ctx context.Context) (release func(), err error) {
	return h.passwords.Enter(ctx, struct{}{})
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
	passphrases.Lanes, passwords.Lanes = h.lanes, passwordHashes
	passphrases.Running, passphrases.Waiting = h.passphrases.Load()
	passwords.Running, passwords.Waiting = h.passwords.Load()
	return passphrases, passwords
}
