package restoration_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"hush/storage/blobfile"
	"hush/vault/caller"
	"hush/vault/file"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/restoration"
	"hush/vault/vaulttest"
)

// A backup has no contents of files. After a restore, a file waits whose blob was copied into
// the folder; every other one is burned, as its receipt says, and so is one that had not
// arrived. A claim on a file lapses. Nothing of those is left behind but the receipt.
func TestSettleFiles(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Folder: true, Manual: true})
	const size = 400
	begin := func() *vaulttest.File { return k.BeginFile(t, caller.Caller{}, size) }
	blobs := filepath.Join(k.Dir, "files")
	lost := begin().Send(t)
	vaulttest.Want(t, "RemoveAll()", errors.Join(os.RemoveAll(blobs), os.Mkdir(blobs, 0o700)), nil)
	cut := begin().Send(t)
	for path := range namesIn(t, blobs) {
		vaulttest.Want(t, "Truncate()", os.Truncate(path, 4200), nil)
	}
	kept, fetched, arriving, arrived := begin().Send(t), begin().Send(t), begin(), begin()
	claimed := fetched.MustOpen(t)
	vaulttest.Want(t, "PutPart()", arrived.Put(t, 0), nil)
	k.Close(t)
	k = vaulttest.New(t, vaulttest.Options{After: k, Manual: true})

	r := restoration.New(restoration.Options{Keys: k.Keys, Now: k.Clock.Now, Log: slog.New(slog.DiscardHandler), Blobs: blobfile.Lens(blobs)})
	report, err := r.Settle(t.Context(), k.Store, k.Shares)
	vaulttest.Want(t, "Settle()", err, nil)
	vaulttest.Want(t, "Dropped", report.Dropped, restoration.Dropped{Claims: 1, Uploads: 2})
	vaulttest.Want(t, "files that were burned", report.Files, 4)
	vaulttest.Want(t, "secrets that wait", report.Waiting, 1)
	vaulttest.Want(t, "rows of uploads", len(vaulttest.RowsIn(t, k.Store, file.BucketUpload)), 0)
	k.Reopen(t)
	for _, f := range []*vaulttest.File{lost, cut, arriving, arrived} {
		vaulttest.WantState(t, k, f.Receipt, receipt.StateBurned)
	}
	vaulttest.Want(t, "Outcome", k.MustMetadata(t, caller.Caller{}, fetched.Receipt).Outcome, receipt.OutcomeLapsed)
	_, err = k.Vault.Secrets.GetPart(t.Context(), fetched.Key.Expose(), claimed, 0)
	vaulttest.WantErr(t, "GetPart(restored claim)", err, refusal.ErrNotFound)
	vaulttest.Want(t, "Remove()", k.Vault.Files.Remove(t.Context()), nil)
	vaulttest.Want(t, "rows of parts", len(vaulttest.RowsIn(t, k.Store, file.BucketPart)), 1)
	vaulttest.Want(t, "rows of removals", len(vaulttest.RowsIn(t, k.Store, file.BucketRemoval)), 0)
	vaulttest.Want(t, "blobs", len(namesIn(t, blobs)), 1)
	kept = kept.In(k)
	kept.WantContent(t, kept.MustOpen(t))
}

func namesIn(t *testing.T, dir string) map[string]bool {
	t.Helper()
	entries, err := os.ReadDir(dir)
	vaulttest.Want(t, "ReadDir()", err, nil)
	names := map[string]bool{}
	for _, e := range entries {
		names[filepath.Join(dir, e.Name())] = true
	}
	return names
}
