package file_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/file"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// watchedBlobs counts how many blobs there are at a time, and refuses to delete some.
type watchedBlobs struct {
	storage.Blobs

	mu      sync.Mutex
	held    map[storage.BlobID]bool
	most    int
	refuses func(storage.BlobID) error
}

func (w *watchedBlobs) wrap(b storage.Blobs) storage.Blobs {
	w.Blobs, w.held = b, map[storage.BlobID]bool{}
	return w
}

func (w *watchedBlobs) Begin(ctx context.Context, id storage.BlobID, size, partSize int64) error {
	err := w.Blobs.Begin(ctx, id, size, partSize)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil {
		w.held[id] = true
	}
	w.most = max(w.most, len(w.held))
	return err
}

func (w *watchedBlobs) Delete(ctx context.Context, id storage.BlobID) error {
	if w.refuses != nil {
		if err := w.refuses(id); err != nil {
			return err
		}
	}
	err := w.Blobs.Delete(ctx, id)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil {
		delete(w.held, id)
	}
	return err
}

// The attack: a sender lets one upload begin anew as often and as often at a time as the
// limits admit. Each beginning makes room on the disk, which counts toward no quota.
func TestRestartsTakeLittleRoom(t *testing.T) {
	t.Parallel()
	blobs := &watchedBlobs{}
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Alone: true, WrapBlobs: blobs.wrap})
	f := k.BeginFile(t, caller.Caller{}, twoParts())
	hash := f.ProofHash()
	var began atomic.Int32
	var calls sync.WaitGroup
	for range 16 {
		calls.Go(func() {
			_, err := k.Vault.Uploads.Restart(t.Context(), f.Key.Expose(), f.Token, caller.Text(hash[:]))
			switch {
			case err == nil:
				began.Add(1)
			case !errors.Is(err, refusal.ErrNotFound):
				t.Errorf("Restart(): got %v, want nil or ErrNotFound", err)
			}
		})
	}
	calls.Wait()
	vaulttest.Want(t, "one of them began", began.Load() > 0, true)
	vaulttest.Want(t, "most blobs at a time", blobs.most <= 2, true)
	vaulttest.Want(t, "blobs in the end", len(blobs.held), 1)
	f.Send(t)
	f.WantContent(t, f.MustOpen(t))
}

// A file that lives for a minute may be fetched for hours: its receipt, which is forgotten
// after two, must not take the file with it.
func TestFileOutlastsItsReceipt(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	f, err := k.TryBeginFile(t, caller.Caller{}, twoParts(), secret.Terms{TTL: new(time.Minute)})
	vaulttest.Want(t, "Begin(file)", err, nil)
	f.Send(t)
	claimed := f.MustOpen(t)
	sweep := func(after time.Duration) {
		t.Helper()
		k.Clock.Advance(after)
		for range 3 {
			k.MustSweep(t)
			k.Clock.Advance(time.Minute) // which confirms a leap
		}
	}
	sweep(time.Minute)
	sweep(90 * time.Minute)
	f.WantContent(t, claimed)
	_, err = k.Vault.Receipts.GetMetadata(t.Context(), caller.Caller{}, f.Receipt.Expose())
	vaulttest.WantErr(t, "GetMetadata(past its time)", err, refusal.ErrNotFound)
	k.MustAcknowledge(t, f.Key, claimed)
	f.WantGone(t, claimed)
	vaulttest.Want(t, "Remove()", k.Vault.Files.Remove(t.Context()), nil)
	vaulttest.Want(t, "blobs", blobs(t, k), 0)
	sweep(time.Hour)
	for _, bucket := range []string{file.BucketFile, file.BucketUpload, file.BucketPart, file.BucketRemoval} {
		vaulttest.Want(t, "rows of "+bucket, len(vaulttest.RowsIn(t, k.Store, bucket)), 0)
	}
	vaulttest.Want(t, "bytes in use", k.Vault.Usage.ProcessBytes(), 0)
}

// A blob that cannot be removed does not hold up the others.
func TestBlobThatCannotBeRemoved(t *testing.T) {
	t.Parallel()
	stuck, blobs := storage.BlobID{}, &watchedBlobs{}
	broken := errors.New("the medium has failed")
	blobs.refuses = func(id storage.BlobID) error {
		if stuck == (storage.BlobID{}) {
			stuck = id
		}
		if id == stuck {
			return broken
		}
		return nil
	}
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Alone: true, WrapBlobs: blobs.wrap})
	for range 3 {
		f := k.BeginFile(t, caller.Caller{}, twoParts())
		vaulttest.Want(t, "Cancel()", k.Vault.Uploads.Cancel(t.Context(), caller.Caller{}, f.Key.Expose(), f.Token), nil)
	}
	vaulttest.WantErr(t, "Remove()", k.Vault.Files.Remove(t.Context()), broken)
	vaulttest.Want(t, "blobs that are left", len(blobs.held), 1)
	blobs.refuses = nil
	vaulttest.Want(t, "Remove() again", k.Vault.Files.Remove(t.Context()), nil)
	vaulttest.Want(t, "blobs in the end", len(blobs.held), 0)
}

// The attack: the record of a file is damaged, and the file is burned. The thief has the
// upload token and the folder from afterwards. The share of the upload is destroyed as well.
func TestDamagedFileEndsItsUpload(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	f := k.BeginFile(t, caller.Caller{}, twoParts())
	vaulttest.Want(t, "PutPart(0)", f.Put(t, 0), nil)
	row := f.Receipt.RowKey(seal.KindMetadata)
	vaulttest.Put(t, k.Store, file.BucketFile, row[:], []byte("damaged"))
	k.MustBurn(t, caller.Caller{}, f.Receipt, "")
	vaulttest.Want(t, "uploads", len(vaulttest.RowsIn(t, k.Store, file.BucketUpload)), 0)
}

// An upload goes on that looked as if it had stopped, if a part came just then, and while its
// sender could not send, because the service was down.
func TestUploadThatGoesOn(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	f := k.BeginFile(t, caller.Caller{}, twoParts())
	end := func() int {
		t.Helper()
		ended, err := k.Vault.Uploads.EndStopped(t.Context())
		vaulttest.Want(t, "EndStopped()", err, nil)
		return ended
	}
	k.Clock.Advance(7 * time.Hour)
	k.Reopen(t)
	vaulttest.Want(t, "uploads that ended at the start", end(), 0)
	k.Clock.Advance(20 * time.Minute)
	vaulttest.Want(t, "uploads that ended soon after it", end(), 0)
	vaulttest.Want(t, "PutPart(0)", f.Put(t, 0), nil)
	k.Clock.Advance(time.Hour)
	vaulttest.Want(t, "uploads that ended whose senders came back", end(), 0)
	k.Clock.Advance(6 * time.Hour)
	vaulttest.Want(t, "uploads that ended in the end", end(), 1)
}
