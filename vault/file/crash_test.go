package file_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hush/seal/chunked"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/doctor"
	"hush/vault/file"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// crasher ends a process at a step: a change of the store, of the shares or of the blobs.
// What follows fails, until the next start.
type crasher struct {
	steps   atomic.Int64 // until the crash; none at zero
	after   bool         // the last step still takes effect
	crashed atomic.Bool

	mu     sync.Mutex
	nonces map[string]bool // of all parts that were ever written
	again  bool            // one was written twice
}

var errCrashed = fmt.Errorf("crashed: %w", storage.ErrUnknownOutcome)

// run runs a step, or crashes.
func (c *crasher) run(step func() error) error {
	if c.crashed.Load() {
		return errCrashed
	}
	if c.steps.Load() == 0 || c.steps.Add(-1) > 0 {
		return step()
	}
	c.crashed.Store(true)
	if c.after {
		_ = step()
	}
	return errCrashed
}

type crashStore struct {
	storage.Store
	c *crasher
}

func (s crashStore) View(ctx context.Context, fn func(storage.Tx) error) error {
	if s.c.crashed.Load() {
		return errCrashed
	}
	return s.Store.View(ctx, fn)
}

func (s crashStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	return s.c.run(func() error { return s.Store.Update(ctx, fn) })
}

func (s crashStore) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.c.run(func() error { return s.Store.UpdateReserved(ctx, fn) })
}

type crashShares struct {
	storage.Shares
	c *crasher
}

func (s crashShares) PutMany(ctx context.Context, shares [][storage.ShareSize]byte) (slots []storage.Slot, err error) {
	err = s.c.run(func() error { slots, err = s.Shares.PutMany(ctx, shares); return err })
	return slots, err
}

func (s crashShares) Put(ctx context.Context, share [storage.ShareSize]byte) (slot storage.Slot, err error) {
	err = s.c.run(func() error { slot, err = s.Shares.Put(ctx, share); return err })
	return slot, err
}

func (s crashShares) Destroy(ctx context.Context, slots ...storage.Slot) error {
	return s.c.run(func() error { return s.Shares.Destroy(ctx, slots...) })
}

type crashBlobs struct {
	storage.Blobs
	c *crasher
}

func (b crashBlobs) Begin(ctx context.Context, id storage.BlobID, size, partSize int64) error {
	return b.c.run(func() error { return b.Blobs.Begin(ctx, id, size, partSize) })
}

func (b crashBlobs) Put(ctx context.Context, id storage.BlobID, part int64, data []byte) error {
	b.c.mu.Lock()
	nonce := string(data[:12])
	b.c.again = b.c.again || b.c.nonces[nonce]
	b.c.nonces[nonce] = true
	b.c.mu.Unlock()
	return b.c.run(func() error { return b.Blobs.Put(ctx, id, part, data) })
}

func (b crashBlobs) Get(ctx context.Context, id storage.BlobID, part int64, length int) ([]byte, error) {
	if b.c.crashed.Load() {
		return nil, errCrashed
	}
	return b.Blobs.Get(ctx, id, part, length)
}

func (b crashBlobs) Delete(ctx context.Context, id storage.BlobID) error {
	return b.c.run(func() error { return b.Blobs.Delete(ctx, id) })
}

// crashKit is a vault that crashes, with a file.
type crashKit struct {
	*vaulttest.Kit
	*crasher
	f *vaulttest.File // nil before it is begun
}

func newCrashKit(t *testing.T) *crashKit {
	t.Helper()
	c := &crasher{nonces: map[string]bool{}}
	return &crashKit{Kit: vaulttest.New(t, vaulttest.Options{
		Manual: true, Alone: true,
		WrapStore: func(s storage.Store) storage.Store {
			c.steps.Store(0)
			c.crashed.Store(false)
			return crashStore{s, c}
		},
		WrapShares: func(s storage.Shares) storage.Shares { return crashShares{s, c} },
		WrapBlobs:  func(b storage.Blobs) storage.Blobs { return crashBlobs{b, c} },
	}), crasher: c}
}

// reader is the claim of the one reader.
func reader() caller.Text { return vaulttest.Claim(1) }

// begin begins a file of one part.
func (k *crashKit) begin(t *testing.T) {
	t.Helper()
	k.f = k.BeginFile(t, caller.Caller{}, int(chunked.SealedSize(1000)))
}

func (k *crashKit) restart(t *testing.T) error {
	t.Helper()
	hash := k.f.ProofHash()
	_, err := k.Vault.Uploads.Restart(t.Context(), k.f.Key.Expose(), k.f.Token, caller.Text(hash[:]))
	return err
}

// deliver lets the sender and the one reader finish, from wherever they are.
func (k *crashKit) deliver(t *testing.T) {
	t.Helper()
	vaulttest.Want(t, "PutPart(again)", k.f.Put(t, 0), nil)
	vaulttest.Want(t, "Finish(again)", k.f.Finish(t), nil)
	k.fetch(t)
}

// fetch lets the one reader fetch the file, and acknowledge it.
func (k *crashKit) fetch(t *testing.T) {
	t.Helper()
	_, err := k.f.Open(t, reader())
	vaulttest.Want(t, "RevealSecret(again)", err, nil)
	_, err = k.f.Open(t, vaulttest.Claim(2))
	vaulttest.WantErr(t, "RevealSecret(another reader)", err, refusal.ErrNotFound)
	_, err = k.f.Get(t, vaulttest.Claim(2), 0)
	vaulttest.WantErr(t, "GetPart(another reader)", err, refusal.ErrNotFound)
	k.f.WantContent(t, reader())
	k.MustAcknowledge(t, k.f.Key, reader())
}

// wantNothing fails the test if something is left of the file.
func (k *crashKit) wantNothing(t *testing.T) {
	t.Helper()
	if k.f != nil {
		k.f.WantGone(t, reader())
	}
	vaulttest.Want(t, "RemoveStray()", k.Vault.Files.RemoveStray(t.Context()), nil)
	vaulttest.Want(t, "Remove()", k.Vault.Files.Remove(t.Context()), nil)
	vaulttest.Want(t, "blobs", blobs(t, k.Kit), 0)
	k.MustReclaim(t)
	vaulttest.Want(t, "bytes in use", k.Vault.Usage.ProcessBytes(), 0)
	for _, bucket := range []string{file.BucketUpload, file.BucketPart, file.BucketRemoval} {
		vaulttest.Want(t, "rows of "+bucket, len(vaulttest.RowsIn(t, k.Store, bucket)), 0)
	}
	vaulttest.Want(t, "a nonce was used twice", k.again, false)
	vaulttest.AwaitShred(t, k.Kit)
	k.wantSound(t)
}

// wantSound fails the test if an examination finds more than what is ordinary.
func (k *crashKit) wantSound(t *testing.T) {
	t.Helper()
	found := doctor.NewFindings()
	vaulttest.Want(t, "Examine()", doctor.Examine(t.Context(), doctor.Options{
		Store: k.Store, Served: true, Keys: k.Keys, Now: k.Clock.Now(), Findings: found,
	}), nil)
	for _, g := range found.Groups() {
		if g.Level > doctor.LevelInfo {
			t.Errorf("Examine(): got %s, want nothing", g.Code)
		}
	}
}

// crashing is a call at each of whose steps the process is killed.
type crashing struct {
	prepare func(t *testing.T, k *crashKit)
	do      func(t *testing.T, k *crashKit) error
	// after goes on after the next start, until the file has ended. done is what the call
	// returned.
	after func(t *testing.T, k *crashKit, done error)
}

func (c crashing) run(t *testing.T) {
	t.Helper()
	for _, after := range []bool{false, true} {
		for step := int64(1); ; step++ {
			over := false
			t.Run(fmt.Sprintf("step %d, done %v", step, after), func(t *testing.T) {
				k := newCrashKit(t)
				c.prepare(t, k)
				k.after = after
				k.steps.Store(step)
				err := c.do(t, k)
				if !k.crashed.Load() {
					over = true
					vaulttest.Want(t, "without a crash", err, nil)
				}
				k.Reopen(t)
				k.wantSound(t)
				c.after(t, k, err)
				k.wantNothing(t)
			})
			if over {
				vaulttest.Want(t, "steps are more than one", step > 1, true)
				break
			}
		}
	}
}

// sent prepares a file that can be opened, and fetched one that was opened.
func sent(t *testing.T, k *crashKit) {
	t.Helper()
	k.begin(t)
	k.f.Send(t)
}

func opened(t *testing.T, k *crashKit) {
	t.Helper()
	sent(t, k)
	_, err := k.f.Open(t, reader())
	vaulttest.Want(t, "RevealSecret()", err, nil)
	k.Clock.Advance(time.Minute) // so that a part extends the claim
}

func arrived(t *testing.T, k *crashKit) {
	t.Helper()
	k.begin(t)
	vaulttest.Want(t, "PutPart()", k.f.Put(t, 0), nil)
}

// The process is killed between any two steps of a call. Whatever was acknowledged is there
// afterwards, at most one reader gets the file, and nothing is left of it in the end: no
// blob, no share, no byte that counts.
func TestCrashes(t *testing.T) {
	t.Parallel()
	deliver := func(t *testing.T, k *crashKit, _ error) {
		t.Helper()
		k.deliver(t)
	}
	end := func(t *testing.T, k *crashKit, _ error) {
		t.Helper()
		if k.f == nil { // its sender never got the link
			k.Clock.Advance(7 * time.Hour)
			_, err := k.Vault.Burns.BurnIdle(t.Context())
			vaulttest.Want(t, "BurnIdle()", err, nil)
			return
		}
		if err := k.Vault.Uploads.Cancel(t.Context(), caller.Caller{}, k.f.Key.Expose(), k.f.Token); err != nil {
			vaulttest.WantErr(t, "Cancel(again)", err, refusal.ErrNotFound)
		}
	}
	for name, c := range map[string]crashing{
		"begin": {
			prepare: func(*testing.T, *crashKit) {},
			do: func(t *testing.T, k *crashKit) (err error) {
				t.Helper()
				k.f, err = k.TryBeginFile(t, caller.Caller{}, int(chunked.SealedSize(1000)), secret.Terms{})
				return err
			},
			after: end,
		},
		"put": {
			prepare: func(t *testing.T, k *crashKit) { t.Helper(); k.begin(t) },
			do:      func(t *testing.T, k *crashKit) error { t.Helper(); return k.f.Put(t, 0) },
			after: func(t *testing.T, k *crashKit, done error) {
				t.Helper()
				if done == nil {
					vaulttest.Want(t, "parts that have arrived", progress(t, k.Kit, k.f).Arrived, 1)
				}
				k.deliver(t)
			},
		},
		"put, and other bytes": {
			prepare: func(t *testing.T, k *crashKit) { t.Helper(); k.begin(t) },
			do:      func(t *testing.T, k *crashKit) error { t.Helper(); return k.f.Put(t, 0) },
			after: func(t *testing.T, k *crashKit, done error) {
				t.Helper()
				k.f.Content[7] ^= 1
				err := k.f.Put(t, 0)
				if done == nil || err != nil {
					vaulttest.WantErr(t, "PutPart(other bytes)", err, refusal.ErrPartDiffers)
					k.f.Content[7] ^= 1
				}
				k.deliver(t)
			},
		},
		"finish": {prepare: arrived, do: func(t *testing.T, k *crashKit) error { t.Helper(); return k.f.Finish(t) }, after: deliver},
		"restart": {
			prepare: arrived,
			do:      func(t *testing.T, k *crashKit) error { t.Helper(); return k.restart(t) },
			after: func(t *testing.T, k *crashKit, done error) {
				t.Helper()
				if done == nil {
					vaulttest.Want(t, "parts that have arrived", progress(t, k.Kit, k.f).Arrived, 0)
				} else {
					vaulttest.Want(t, "Restart(again)", k.restart(t), nil)
				}
				k.f.Content[7] ^= 1
				k.deliver(t)
			},
		},
		"cancel": {
			prepare: arrived,
			do: func(t *testing.T, k *crashKit) error {
				t.Helper()
				return k.Vault.Uploads.Cancel(t.Context(), caller.Caller{}, k.f.Key.Expose(), k.f.Token)
			},
			after: end,
		},
		"reveal, before the first part": {
			prepare: sent,
			do:      func(t *testing.T, k *crashKit) error { t.Helper(); _, err := k.f.Open(t, reader()); return err },
			after:   func(t *testing.T, k *crashKit, _ error) { t.Helper(); k.fetch(t) },
		},
		"get": {
			prepare: opened,
			do:      func(t *testing.T, k *crashKit) error { t.Helper(); _, err := k.f.Get(t, reader(), 0); return err },
			after:   func(t *testing.T, k *crashKit, _ error) { t.Helper(); k.fetch(t) },
		},
		"acknowledge": {
			prepare: opened,
			do: func(t *testing.T, k *crashKit) error {
				t.Helper()
				return k.Vault.Secrets.AcknowledgeReveal(t.Context(), k.f.Key.Expose(), reader())
			},
			after: func(t *testing.T, k *crashKit, _ error) { t.Helper(); k.MustAcknowledge(t, k.f.Key, reader()) },
		},
		"lapse": {
			prepare: func(t *testing.T, k *crashKit) { t.Helper(); opened(t, k); k.Clock.Advance(3 * time.Hour) },
			do: func(t *testing.T, k *crashKit) error {
				t.Helper()
				_, err := k.Vault.Claims.Lapse(t.Context())
				return err
			},
			after: func(t *testing.T, k *crashKit, _ error) { t.Helper(); k.MustLapse(t) },
		},
		"remove": {
			prepare: func(t *testing.T, k *crashKit) { t.Helper(); arrived(t, k); end(t, k, nil) },
			do:      func(t *testing.T, k *crashKit) error { t.Helper(); return k.Vault.Files.Remove(t.Context()) },
			after:   end,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.run(t)
		})
	}
}
