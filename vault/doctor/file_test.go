package doctor_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hush/storage"
	"hush/storage/bolt"
	"hush/vault/claim"
	"hush/vault/doctor"
	"hush/vault/exam"
	"hush/vault/file"
	"hush/vault/receipt"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// fileIn returns the row of the first file in a state.
func fileIn(t *testing.T, f *folder, state file.State) row {
	t.Helper()
	for _, r := range f.rows(t, file.BucketFile) {
		if file.State(r.value[1]) == state {
			return r
		}
	}
	t.Fatalf("files: got none in state %d, want one", state)
	return row{}
}

// blobPath returns the path of the blob of fileIn.
func blobPath(t *testing.T, f *folder, state file.State) string {
	t.Helper()
	return filepath.Join(f.dir, "files", storage.BlobID(fileIn(t, f, state).value[2:18]).String())
}

// loseVersion deletes the rows of a bucket that begin with a version.
func loseVersion(t *testing.T, f *folder, bucket string, version byte) {
	t.Helper()
	for _, r := range f.rows(t, bucket) {
		if r.value[0] == version {
			f.put(t, bucket, r.key, nil)
		}
	}
}

// change changes a byte of the row of the first file in a state.
func change(state file.State, at int, to byte) func(*testing.T, *folder) {
	return func(t *testing.T, f *folder) {
		t.Helper()
		r := fileIn(t, f, state)
		r.value[at] = to
		f.put(t, file.BucketFile, r.key, r.value)
	}
}

// fileRowDamages are those of what is known of files.
func fileRowDamages() []damage {
	const versionOfSecret, versionOfClaim, state, size = 5, 4, 1, 1 + 1 + 16
	return []damage{
		{"secrets of files lost", func(t *testing.T, f *folder) {
			loseVersion(t, f, secret.BucketSecret, versionOfSecret)
		}, codes(exam.CodeReceiptSecret, exam.CodeCounter, file.CodeUnheld)},
		{"claim on a file lost", func(t *testing.T, f *folder) {
			loseVersion(t, f, claim.BucketClaim, versionOfClaim)
		}, codes(exam.CodeReceiptClaim, exam.CodeDeadlineStray, file.CodeUnheld)},
		{"receipt of a file lost", func(t *testing.T, f *folder) {
			f.put(t, receipt.BucketMetadata, fileIn(t, f, file.StateGone).key, nil)
		}, codes(file.CodeReceipt, exam.CodeExpiryStray, exam.CodeCounter)},
		{"file that waits lost", func(t *testing.T, f *folder) {
			f.put(t, file.BucketFile, fileIn(t, f, file.StateArriving).key, nil)
		}, codes(file.CodeSecret, file.CodeUploadStray, file.CodePartStray)},
		{"file of another length than its secret's", change(file.StateArriving, size+7, 1), codes(file.CodeSecret, file.CodeArrived)},
		{"file that cannot be read", change(file.StateWhole, state, 9), codes(exam.CodeRow)},
		{"file that a sender changes", change(file.StateArriving, state, byte(file.StateWhole)), codes(file.CodeUpload, file.CodeUploadStray)},
		{"upload lost", lose(file.BucketUpload), codes(file.CodeUpload)},
		{"upload of nothing", move(file.BucketUpload, flipLast), codes(file.CodeUpload, file.CodeUploadStray)},
		{"part lost", func(t *testing.T, f *folder) {
			blob := fileIn(t, f, file.StateWhole).value[2:18]
			f.put(t, file.BucketPart, append(slices.Clone(blob), 0, 0, 0, 0), nil)
		}, codes(file.CodeArrived)},
		{"part of nothing", func(t *testing.T, f *folder) {
			f.put(t, file.BucketPart, make([]byte, 20), f.first(t, file.BucketPart).value)
		}, codes(file.CodePartStray)},
	}
}

// fileDamages are those of files, in rows and on the disk.
func fileDamages() []damage {
	list := fileRowDamages()
	for i, d := range list {
		if d.name == "file that waits lost" {
			list[i].want = append(d.want, file.CodeBlobStray)
		}
		if d.name == "file of another length than its secret's" {
			list[i].want = append(d.want, file.CodeBlobDamaged)
		}
	}
	return append(list, []damage{
		{"blob lost", func(t *testing.T, f *folder) {
			vaulttest.Want(t, "Remove()", os.Remove(blobPath(t, f, file.StateWhole)), nil)
		}, codes(file.CodeBlobMissing)},
		{"folder of blobs lost", func(t *testing.T, f *folder) {
			vaulttest.Want(t, "RemoveAll()", os.RemoveAll(filepath.Join(f.dir, "files")), nil)
		}, codes(file.CodeBlobMissing)},
		{"blob cut", func(t *testing.T, f *folder) {
			vaulttest.Want(t, "Truncate()", os.Truncate(blobPath(t, f, file.StateArriving), 4100), nil)
		}, codes(file.CodeBlobDamaged)},
		{"blob of another name", func(t *testing.T, f *folder) {
			vaulttest.Want(t, "Rename()", os.Rename(blobPath(t, f, file.StateArriving), blobPath(t, f, file.StateWhole)), nil)
		}, codes(file.CodeBlobMissing, file.CodeBlobDamaged)},
		{"blob of no file", func(t *testing.T, f *folder) {
			path := filepath.Join(f.dir, "files", storage.NewBlobID().String())
			vaulttest.Want(t, "WriteFile()", os.WriteFile(path, nil, 0o600), nil)
		}, codes(file.CodeBlobStray)},
		{"removal lost", lose(file.BucketRemoval), codes(file.CodeBlobStray, file.CodePartStray)},
	}...)
}

// vanishing are blobs that a file loses as soon as they are looked at.
type vanishing struct {
	storage.BlobViewer

	end func()
}

func (v *vanishing) Look(id storage.BlobID) (size, partSize int64, err error) {
	v.end()
	return v.BlobViewer.Look(id)
}

// A file ends after the rows' moment and before its blob is looked at: that is no finding.
// A blob that is missing although its file waits is one. What a service has just begun is
// no blob of nothing.
func TestBlobsThatEndMeanwhile(t *testing.T) {
	t.Parallel()
	k := filled(t, true)
	store, ok := k.Store.(*bolt.Store)
	if !ok {
		t.Fatalf("filled(): got %T, want the store of a folder", k.Store)
	}
	f := folder{dir: k.Dir, root: k.RootKey, now: k.Clock.Now()}
	examine := func(end func()) *doctor.Findings {
		found := doctor.NewFindings()
		err := doctor.Examine(t.Context(), doctor.Options{
			Store: store, Blobs: &vanishing{f.lens(), end}, Served: true, Now: f.now, Findings: found,
		})
		vaulttest.Want(t, "Examine()", err, nil)
		return found
	}
	ending := k.BeginFile(t, vaulttest.Caller(7), 400).Send(t)
	found := examine(func() {
		if ending != nil {
			k.MustBurn(t, vaulttest.Caller(7), ending.Receipt, "")
			vaulttest.Want(t, "Remove()", k.Vault.Files.Remove(t.Context()), nil)
			k.BeginFile(t, vaulttest.Caller(7), 400)
			ending = nil
		}
	})
	vaulttest.Want(t, "errors and warnings beside a service", found.Count(doctor.LevelError)+found.Count(doctor.LevelWarning), 0)
	vaulttest.Want(t, "RemoveAll()", os.RemoveAll(filepath.Join(f.dir, "files")), nil)
	groups := examine(func() {}).Groups()
	if len(groups) == 0 || groups[0].Code != file.CodeBlobMissing || groups[0].Count != 4 {
		t.Errorf("Examine() after all blobs were lost: got %+v, want four missing ones", groups)
	}
}
