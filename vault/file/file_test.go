package file_test

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hush/seal/chunked"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/claim"
	"hush/vault/file"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// twoParts is the size of a file whose second part is short.
func twoParts() int { return int(chunked.SealedSize(file.PartSize + 1000)) }

func newKit(t *testing.T) *vaulttest.Kit {
	t.Helper()
	return vaulttest.New(t, vaulttest.Options{Manual: true, Alone: true})
}

func progress(t *testing.T, k *vaulttest.Kit, f *vaulttest.File) file.Progress {
	t.Helper()
	m, err := k.Vault.Receipts.GetMetadata(t.Context(), caller.Caller{}, f.Receipt.Expose())
	vaulttest.Want(t, "GetMetadata()", err, nil)
	if m.File == nil {
		t.Fatal("GetMetadata(): got no file, want one")
	}
	return *m.File
}

func blobs(t *testing.T, k *vaulttest.Kit) (n int) {
	t.Helper()
	err := k.Blobs.List(t.Context(), func(storage.BlobID, int64) error { n++; return nil })
	vaulttest.Want(t, "List()", err, nil)
	return n
}

// What is sent is what the one reader fetches, and nothing is left of it afterwards.
func TestFileIsSentAndFetched(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	f := k.BeginFile(t, caller.Caller{}, twoParts())
	vaulttest.Want(t, "file that was begun", progress(t, k, f), file.Progress{Size: uint64(twoParts()), Count: 2})
	_, err := f.Open(t, vaulttest.Claim(9))
	vaulttest.WantErr(t, "RevealSecret(file without parts)", err, refusal.ErrArriving)
	vaulttest.WantErr(t, "Finish(file without parts)", f.Finish(t), refusal.ErrArriving)
	vaulttest.Want(t, "PutPart(1)", f.Put(t, 1), nil)
	vaulttest.Want(t, "PutPart(1) again", f.Put(t, 1), nil)
	vaulttest.Want(t, "arrived", progress(t, k, f).Arrived, 1)
	arrived, err := k.Vault.Uploads.Get(t.Context(), f.Key.Expose(), f.Token)
	vaulttest.Want(t, "Get(upload)", err, nil)
	vaulttest.Want(t, "parts that have arrived", arrived.Parts[0], 0b10)
	vaulttest.Want(t, "PutPart(0)", f.Put(t, 0), nil)
	_, err = f.Open(t, vaulttest.Claim(9))
	vaulttest.WantErr(t, "RevealSecret(unfinished file)", err, refusal.ErrArriving)
	vaulttest.Want(t, "Finish()", f.Finish(t), nil)
	vaulttest.Want(t, "Finish() again", f.Finish(t), nil)
	vaulttest.Want(t, "PutPart(0) after the end", f.Put(t, 0), nil)

	claimed := f.MustOpen(t)
	f.WantContent(t, claimed)
	_, err = f.Get(t, vaulttest.Claim(99), 0)
	vaulttest.WantErr(t, "GetPart(another claim)", err, refusal.ErrNotFound)
	_, err = f.Open(t, vaulttest.Claim(99))
	vaulttest.WantErr(t, "RevealSecret(another claim)", err, refusal.ErrNotFound)
	k.MustAcknowledge(t, f.Key, claimed)
	f.WantGone(t, claimed)
	vaulttest.Want(t, "fetched", progress(t, k, f).Fetched, 2)
	vaulttest.Want(t, "Remove()", k.Vault.Files.Remove(t.Context()), nil)
	vaulttest.Want(t, "blobs that are left", blobs(t, k), 0)
	vaulttest.WantState(t, k, f.Receipt, receipt.StateReceived)
	vaulttest.Want(t, "bytes in use", k.Vault.Usage.ProcessBytes(), 0)
}

// A restart changes nothing, in whichever state.
func TestFileSurvivesRestarts(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	f := k.BeginFile(t, caller.Caller{}, twoParts())
	k.Reopen(t)
	vaulttest.Want(t, "PutPart(0)", f.Put(t, 0), nil)
	k.Reopen(t)
	vaulttest.Want(t, "PutPart(1)", f.Put(t, 1), nil)
	k.Reopen(t)
	vaulttest.Want(t, "Finish()", f.Finish(t), nil)
	k.Reopen(t)
	claimed := f.MustOpen(t)
	k.Reopen(t)
	f.WantContent(t, claimed)
	k.Reopen(t)
	f.WantContent(t, claimed)
	k.MustAcknowledge(t, f.Key, claimed)
	k.Reopen(t)
	f.WantGone(t, claimed)
}

// Only who has the upload token sends, and only what the file has.
func TestPartsThatAreRefused(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	f := k.BeginFile(t, caller.Caller{}, twoParts())
	up, key := k.Vault.Uploads, f.Key.Expose()
	other := f.Token
	other[0] ^= 1
	vaulttest.WantErr(t, "PutPart(another token)", up.PutPart(t.Context(), key, other, 0, f.Part(0)), refusal.ErrUploadToken)
	vaulttest.WantErr(t, "Finish(another token)", up.Finish(t.Context(), key, other), refusal.ErrUploadToken)
	vaulttest.WantErr(t, "Cancel(another token)", up.Cancel(t.Context(), caller.Caller{}, key, other), refusal.ErrUploadToken)
	_, err := up.Get(t.Context(), key, other)
	vaulttest.WantErr(t, "Get(another token)", err, refusal.ErrUploadToken)
	_, err = up.Restart(t.Context(), key, other, caller.Text(make([]byte, 32)))
	vaulttest.WantErr(t, "Restart(another token)", err, refusal.ErrUploadToken)
	vaulttest.WantInvalid(t, "PutPart(2)", up.PutPart(t.Context(), key, f.Token, 2, []byte("x")), "number")
	vaulttest.WantInvalid(t, "PutPart(short)", up.PutPart(t.Context(), key, f.Token, 0, f.Part(0)[1:]), "content")
	vaulttest.Want(t, "PutPart(0)", f.Put(t, 0), nil)
	changed := slices.Clone(f.Part(0))
	changed[5] ^= 1
	vaulttest.WantErr(t, "PutPart(other bytes)", up.PutPart(t.Context(), key, f.Token, 0, changed), refusal.ErrPartDiffers)
	text := k.MustConceal(t, caller.Caller{}, "a text", secret.Terms{})
	vaulttest.WantErr(t, "PutPart(text)", up.PutPart(t.Context(), text.Secret.Key.Expose(), f.Token, 0, f.Part(0)), refusal.ErrNotFound)
}

// Who cannot open a file consumes nothing.
func TestOpeningsThatAreRefused(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	f := k.BeginFile(t, caller.Caller{}, twoParts()).Send(t)
	open := func(o secret.Opening) error {
		_, err := k.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, f.Key.Expose(), o)
		return err
	}
	link, proof := caller.Text(f.Proofs[0][:]), caller.Text(f.Proofs[1][:])
	vaulttest.WantErr(t, "RevealSecret(an older client)", open(secret.Opening{LinkProof: link, Proof: proof, Claim: vaulttest.Claim(9)}), refusal.ErrVersion)
	vaulttest.WantErr(t, "RevealSecret(without a claim)", open(secret.Opening{LinkProof: link, Proof: proof, Accepts: 2}), refusal.ErrVersion)
	vaulttest.WantErr(t, "RevealSecret(a wrong link)", open(secret.Opening{LinkProof: proof, Proof: proof, Claim: vaulttest.Claim(9), Accepts: 2}), refusal.ErrLink)
	vaulttest.WantErr(t, "RevealSecret(a wrong proof)", open(secret.Opening{LinkProof: link, Proof: link, Claim: vaulttest.Claim(9), Accepts: 2}), refusal.ErrLink)
	f.WantContent(t, f.MustOpen(t))
}

// The link's proof shows the file, and nothing else does.
func TestFileIsShownToItsLink(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	f := k.BeginFile(t, caller.Caller{}, twoParts())
	_, shown, err := k.Vault.Secrets.GetFile(t.Context(), caller.Caller{}, f.Key.Expose(), "")
	vaulttest.Want(t, "GetFile(no proof)", err, nil)
	vaulttest.Want(t, "file without a proof", shown == nil, true)
	_, _, err = k.Vault.Secrets.GetFile(t.Context(), caller.Caller{}, f.Key.Expose(), caller.Text(f.Proofs[1][:]))
	vaulttest.WantErr(t, "GetFile(wrong proof)", err, refusal.ErrLink)
	_, shown, err = k.Vault.Secrets.GetFile(t.Context(), caller.Caller{}, f.Key.Expose(), caller.Text(f.Proofs[0][:]))
	vaulttest.Want(t, "GetFile()", err, nil)
	vaulttest.Want(t, "file", shown.Progress, file.Progress{Size: uint64(twoParts()), Count: 2})
	vaulttest.Want(t, "preview", string(shown.Preview), string(f.Preview))
	hash := f.ProofHash()
	_, err = k.Vault.Uploads.Restart(t.Context(), f.Key.Expose(), f.Token, caller.Text(hash[:]))
	vaulttest.Want(t, "Restart()", err, nil)
	k.Reopen(t)
	_, shown, err = k.Vault.Secrets.GetFile(t.Context(), caller.Caller{}, f.Key.Expose(), caller.Text(f.Proofs[0][:]))
	vaulttest.Want(t, "GetFile() of an upload that began anew", err, nil)
	vaulttest.Want(t, "its preview", string(shown.Preview), string(f.Preview))
}

// Of many readers one gets the file.
func TestOneOfManyReaders(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	f := k.BeginFile(t, caller.Caller{}, twoParts()).Send(t)
	var got atomic.Int32
	var readers sync.WaitGroup
	for n := range 64 {
		readers.Go(func() {
			_, err := f.Open(t, vaulttest.Claim(byte(100+n)))
			switch {
			case err == nil:
				got.Add(1)
			case !errors.Is(err, refusal.ErrNotFound):
				t.Errorf("RevealSecret(): got %v, want nil or ErrNotFound", err)
			}
		})
	}
	readers.Wait()
	vaulttest.Want(t, "readers that got the file", got.Load(), 1)
}

// An upload that begins anew has nothing of the one before: not its parts, nor its key.
func TestRestartedUpload(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	f := k.BeginFile(t, caller.Caller{}, twoParts())
	vaulttest.Want(t, "PutPart(0)", f.Put(t, 0), nil)
	hash := f.ProofHash()
	restarted, err := k.Vault.Uploads.Restart(t.Context(), f.Key.Expose(), f.Token, caller.Text(hash[:]))
	vaulttest.Want(t, "Restart()", err, nil)
	vaulttest.Want(t, "arrived", restarted.Arrived, 0)
	for i := range f.Content {
		f.Content[i] ^= 0x55
	}
	f.Send(t)
	f.WantContent(t, f.MustOpen(t))
	vaulttest.Want(t, "Remove()", k.Vault.Files.Remove(t.Context()), nil)
	vaulttest.Want(t, "blobs", blobs(t, k), 1)
	hash2 := f.ProofHash()
	_, err = k.Vault.Uploads.Restart(t.Context(), f.Key.Expose(), f.Token, caller.Text(hash2[:]))
	vaulttest.WantErr(t, "Restart(opened file)", err, refusal.ErrNotFound)
}

// A lease ends after silence, not while parts are fetched, and in any case in the end.
func TestLease(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Alone: true, Leases: claim.Leases{Silence: time.Hour, Longest: 3 * time.Hour}})
	f := k.BeginFile(t, caller.Caller{}, twoParts()).Send(t)
	claimed := f.MustOpen(t)
	for range 3 {
		k.Clock.Advance(50 * time.Minute)
		vaulttest.Want(t, "claims that lapsed", k.MustLapse(t), 0)
		f.WantContent(t, claimed)
		k.Reopen(t)
	}
	k.Clock.Advance(31 * time.Minute)
	vaulttest.Want(t, "claims that lapsed in the end", k.MustLapse(t), 1)
	f.WantGone(t, claimed)
	vaulttest.Want(t, "Remove()", k.Vault.Files.Remove(t.Context()), nil)
	vaulttest.Want(t, "blobs", blobs(t, k), 0)
}

// What ends a file before it was opened removes it: its sender, its time, or silence.
func TestEndsOfFiles(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(t *testing.T, k *vaulttest.Kit, f *vaulttest.File){
		"cancelled": func(t *testing.T, k *vaulttest.Kit, f *vaulttest.File) {
			t.Helper()
			vaulttest.Want(t, "Cancel()", k.Vault.Uploads.Cancel(t.Context(), caller.Caller{}, f.Key.Expose(), f.Token), nil)
		},
		"burned": func(t *testing.T, k *vaulttest.Kit, f *vaulttest.File) {
			t.Helper()
			vaulttest.Want(t, "Finish()", f.Finish(t), nil)
			_, err := k.Vault.Burns.BurnSecret(t.Context(), caller.Caller{}, f.Receipt.Expose())
			vaulttest.Want(t, "BurnSecret()", err, nil)
		},
		"expired": func(t *testing.T, k *vaulttest.Kit, _ *vaulttest.File) {
			t.Helper()
			k.Clock.Advance(8 * 24 * time.Hour)
			for range 3 {
				_, err := k.Vault.Sweep(t.Context())
				vaulttest.Want(t, "Sweep()", err, nil)
				k.Clock.Advance(time.Minute)
			}
		},
		"idle": func(t *testing.T, k *vaulttest.Kit, _ *vaulttest.File) {
			t.Helper()
			k.Clock.Advance(5 * time.Hour)
			burned, err := k.Vault.Burns.BurnIdle(t.Context())
			vaulttest.Want(t, "BurnIdle()", err, nil)
			vaulttest.Want(t, "uploads that ended after five hours", burned, 0)
			k.Clock.Advance(2 * time.Hour)
			burned, err = k.Vault.Burns.BurnIdle(t.Context())
			vaulttest.Want(t, "BurnIdle()", err, nil)
			vaulttest.Want(t, "uploads that ended after seven hours", burned, 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t)
			f := k.BeginFile(t, caller.Caller{}, twoParts())
			vaulttest.Want(t, "PutPart(0)", f.Put(t, 0), nil)
			vaulttest.Want(t, "PutPart(1)", f.Put(t, 1), nil)
			end(t, k, f)
			f.WantGone(t, vaulttest.Claim(9))
			vaulttest.WantErr(t, "PutPart(after the end)", f.Put(t, 0), refusal.ErrNotFound)
			vaulttest.Want(t, "Remove()", k.Vault.Files.Remove(t.Context()), nil)
			vaulttest.Want(t, "blobs that are left", blobs(t, k), 0)
			vaulttest.Want(t, "bytes in use", k.Vault.Usage.ProcessBytes(), 0)
			k.Reopen(t)
			_, err := k.Vault.Sweeper.Reclaim(t.Context())
			vaulttest.Want(t, "Reclaim()", err, nil)
			vaulttest.Want(t, "bytes in use after a start", k.Vault.Usage.ProcessBytes(), 0)
		})
	}
}

// A blob that a crash has left is removed by the next start, and no other one.
func TestStrayBlobs(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	f := k.BeginFile(t, caller.Caller{}, twoParts()).Send(t)
	vaulttest.Want(t, "Begin(blob)", k.Blobs.Begin(t.Context(), storage.NewBlobID(), 1000, 100), nil)
	k.Reopen(t)
	vaulttest.Want(t, "RemoveStray()", k.Vault.Files.RemoveStray(t.Context()), nil)
	vaulttest.Want(t, "blobs", blobs(t, k), 1)
	f.WantContent(t, f.MustOpen(t))
}

// A file counts as long as it is stored, and what does not fit is refused before it is sent.
func TestFilesCount(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Alone: true, Limits: caller.Limits{NetworkBytes: int64(twoParts()) + 4096, AnonymousFile: 20 << 20}})
	f := k.BeginFile(t, caller.Caller{}, twoParts())
	_, err := k.TryBeginFile(t, caller.Caller{}, twoParts(), secret.Terms{})
	vaulttest.WantErr(t, "Begin(a second file)", err, refusal.ErrQuota)
	vaulttest.Want(t, "blobs", blobs(t, k), 1)
	claimed := f.Send(t).MustOpen(t)
	_, err = k.TryBeginFile(t, caller.Caller{}, twoParts(), secret.Terms{})
	vaulttest.WantErr(t, "Begin(beside a claim)", err, refusal.ErrQuota)
	k.MustAcknowledge(t, f.Key, claimed)
	k.BeginFile(t, caller.Caller{}, twoParts())
	_, err = k.TryBeginFile(t, caller.Caller{}, int(chunked.SealedSize(21<<20)), secret.Terms{})
	vaulttest.WantErr(t, "Begin(too large)", err, refusal.ErrTooLarge)
}
