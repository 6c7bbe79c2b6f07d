package pending_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"hush/client"
	"hush/cmd/hush/people/pending"
	"hush/seal"
	"hush/seal/chunked"
	"hush/seal/endtoend"
)

const server = "https://hush.example"

// uploads is a store of uploads in a folder of the test.
type uploads struct {
	*pending.Store

	folder string
}

func newUploads(t *testing.T) uploads {
	t.Helper()
	s, claims, _ := newStore(t)
	return uploads{s, filepath.Join(filepath.Dir(claims), "uploads")}
}

// left returns the paths of all files.
func (s uploads) left(t *testing.T) (paths []string) {
	t.Helper()
	for _, name := range files(t, s.folder) {
		paths = append(paths, filepath.Join(s.folder, name))
	}
	return paths
}

// spools returns those that have parts.
func (s uploads) spools(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(s.left(t), func(path string) bool { return filepath.Ext(path) != ".parts" })
}

// sourceFile makes a file to share, and returns it with its identity.
func sourceFile(t testing.TB) (*os.File, pending.FileID) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "disk.img"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file, idOf(t, file)
}

func idOf(t testing.TB, file *os.File) pending.FileID {
	t.Helper()
	id, err := pending.FileIDOf(file, file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func newUpload(t testing.TB) client.Upload {
	t.Helper()
	key, ok := seal.ParseToken("0123456789abcdefghijklmnopqrstu")
	secret := endtoend.NewLinkSecret()
	keys, err := endtoend.Derive(secret, "")
	if !ok || err != nil {
		t.Fatal(err)
	}
	return client.NewUpload(client.UploadFacts{
		Link: client.EndToEndLink(server, endtoend.Link{Key: key, Secret: secret}), Keys: keys, Token: [32]byte{1, 2, 3}, Salt: chunked.NewSalt(),
		Header: endtoend.Header{Kind: endtoend.KindFile, FileName: "disk.img", Size: 5 << 20},
	})
}

func mustTakeUpload(t testing.TB, s uploads, id pending.FileID) *pending.Upload {
	t.Helper()
	u, err := s.TakeUpload(id, server)
	if err != nil {
		t.Fatalf("TakeUpload: got %v, want no error", err)
	}
	return u
}

func mustSpool(t testing.TB, u *pending.Upload) client.Spool {
	t.Helper()
	spool, err := u.Spool()
	if err != nil || spool == nil {
		t.Fatalf("Spool: got %v, %v, want a spool", spool, err)
	}
	return spool
}

func partOf(number uint32) client.SealedPart {
	return client.SealedPart{
		Number: number, Content: bytes.Repeat([]byte{byte(number + 1)}, 1<<20), Rest: []byte{byte(number), 7}, Chunks: uint64(number+1) * 512,
	}
}

func wantKept(t testing.TB, spool client.Spool, want ...uint32) {
	t.Helper()
	kept, err := spool.Kept()
	if err != nil {
		t.Fatalf("Kept: got %v, want no error", err)
	}
	found := map[uint32]bool{}
	for _, part := range kept {
		whole := partOf(part.Number)
		found[part.Number] = bytes.Equal(part.Content, whole.Content) && bytes.Equal(part.Rest, whole.Rest) && part.Chunks == whole.Chunks
	}
	for _, number := range want {
		if !found[number] {
			t.Errorf("Kept: got no whole part %d, want it", number)
		}
	}
	if len(found) != len(want) {
		t.Errorf("Kept: got %d parts, want %d", len(found), len(want))
	}
}

// A run that is cut off leaves what the next one needs, and no other process takes it
// meanwhile.
func TestUploadIsKept(t *testing.T) {
	t.Parallel()
	s := newUploads(t)
	_, id := sourceFile(t)
	u := mustTakeUpload(t, s, id)
	if _, err := s.TakeUpload(id, server); !errors.Is(err, pending.ErrUploading) {
		t.Errorf("TakeUpload, taken: got %v, want %v", err, pending.ErrUploading)
	}
	record := pending.UploadRecord{Upload: newUpload(t), File: id, Options: "a\x00b", Receipt: client.Hide("https://hush.example/r#x"), Expires: time.Unix(1_800_000_000, 0)}
	if err := u.Keep(record); err != nil {
		t.Fatalf("Keep: got %v, want no error", err)
	}
	u.Release()
	again := mustTakeUpload(t, s, id)
	got, found := again.Found()
	if !found || got.Upload.Expose() != record.Upload.Expose() || !got.File.IsSame(id) || got.Options != record.Options ||
		got.Receipt.Expose() != record.Receipt.Expose() || !got.Expires.Equal(record.Expires) || got.Restarting {
		t.Errorf("Found: got %+v, %v, want %+v", got, found, record)
	}
	again.Remove()
	if u := mustTakeUpload(t, s, id); u.IsKept() {
		t.Error("TakeUpload, removed: got an upload, want none")
	} else {
		u.Release()
	}
	if left := s.left(t); len(left) > 0 {
		t.Errorf("got the files %q, want none", left)
	}
}

// Each file is only for its owner: it opens what is sent.
func TestUploadIsForItsOwner(t *testing.T) {
	t.Parallel()
	s := newUploads(t)
	_, id := sourceFile(t)
	u := mustTakeUpload(t, s, id)
	if err := u.Keep(pending.UploadRecord{Upload: newUpload(t), File: id}); err != nil {
		t.Fatal(err)
	}
	mustSpool(t, u)
	defer u.Release()
	left := s.left(t)
	if len(left) != 2 {
		t.Fatalf("got the files %q, want two", left)
	}
	for _, path := range left {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: got %v, %v, want mode 0600", path, info.Mode(), err)
		}
	}
}

// A record that was cut off is none: the one before it counts.
func TestUploadRecordIsCutOff(t *testing.T) {
	t.Parallel()
	s := newUploads(t)
	_, id := sourceFile(t)
	first, second := newUpload(t), newUpload(t)
	u := mustTakeUpload(t, s, id)
	if err := u.Keep(pending.UploadRecord{Upload: first, File: id}); err != nil {
		t.Fatal(err)
	}
	path := s.left(t)[0]
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Keep(pending.UploadRecord{Upload: second, File: id, Restarting: true}); err != nil {
		t.Fatal(err)
	}
	u.Release()
	both, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := len(whole); cut <= len(both); cut += 13 {
		if err := os.WriteFile(path, both[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		again := mustTakeUpload(t, s, id)
		got, found := again.Found()
		if !found || got.Upload.Expose() != first.Expose() {
			t.Errorf("cut at %d of %d: got another record, want the first", cut, len(both))
		}
		again.Release()
	}
	if err := os.WriteFile(path, both, 0o600); err != nil {
		t.Fatal(err)
	}
	again := mustTakeUpload(t, s, id)
	defer again.Release()
	if got, found := again.Found(); !found || got.Upload.Expose() != second.Expose() || !got.Restarting {
		t.Error("whole: got another record, want the second")
	}
}

// The places of a spool take turns, so that the last parts are always there.
func TestSpoolKeepsTheLastParts(t *testing.T) {
	t.Parallel()
	s := newUploads(t)
	_, id := sourceFile(t)
	u := mustTakeUpload(t, s, id)
	if err := u.Keep(pending.UploadRecord{Upload: newUpload(t), File: id}); err != nil {
		t.Fatal(err)
	}
	spool := mustSpool(t, u)
	wantKept(t, spool)
	for number := range uint32(6) {
		if err := spool.Keep(partOf(number)); err != nil {
			t.Fatalf("Keep: got %v, want no error", err)
		}
	}
	u.Release()
	u = mustTakeUpload(t, s, id)
	defer u.Release()
	wantKept(t, mustSpool(t, u), 2, 3, 4, 5)
}

// A kill, or a power cut, in the middle of a part leaves that part out, whatever was
// written of it, and the others as they were.
func TestSpoolIsCutOff(t *testing.T) {
	t.Parallel()
	s := newUploads(t)
	_, id := sourceFile(t)
	u := mustTakeUpload(t, s, id)
	if err := u.Keep(pending.UploadRecord{Upload: newUpload(t), File: id}); err != nil {
		t.Fatal(err)
	}
	spool := mustSpool(t, u)
	for number := range uint32(4) {
		if err := spool.Keep(partOf(number)); err != nil {
			t.Fatal(err)
		}
	}
	path := s.spools(t)[0]
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := spool.Keep(partOf(4)); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	u.Release()
	length := 4096 + 1<<20 + 2
	for _, written := range []int{40, 60, 4096, 4097, 500_000, length - 2} {
		torn := append(bytes.Clone(after[:written]), before[written:]...)
		if err := os.WriteFile(path, torn, 0o600); err != nil {
			t.Fatal(err)
		}
		u := mustTakeUpload(t, s, id)
		wantKept(t, mustSpool(t, u), 1, 2, 3)
		u.Release()
	}
}

// Parts under another salt are those of an upload that began anew since.
func TestSpoolOfAnotherSalt(t *testing.T) {
	t.Parallel()
	s := newUploads(t)
	_, id := sourceFile(t)
	u := mustTakeUpload(t, s, id)
	record := pending.UploadRecord{Upload: newUpload(t), File: id}
	if err := u.Keep(record); err != nil {
		t.Fatal(err)
	}
	if err := mustSpool(t, u).Keep(partOf(0)); err != nil {
		t.Fatal(err)
	}
	record.Upload = record.Upload.Restarted()
	if err := u.Keep(record); err != nil {
		t.Fatal(err)
	}
	wantKept(t, mustSpool(t, u))
	u.Release()
}

// Who removed the parts that an earlier run may have sent gets an upload that begins anew,
// and never the same bytes encrypted again.
func TestSpoolIsGone(t *testing.T) {
	t.Parallel()
	s := newUploads(t)
	_, id := sourceFile(t)
	u := mustTakeUpload(t, s, id)
	record := pending.UploadRecord{Upload: newUpload(t), File: id}
	if err := u.Keep(record); err != nil {
		t.Fatal(err)
	}
	if err := mustSpool(t, u).Keep(partOf(0)); err != nil {
		t.Fatal(err)
	}
	u.Release()
	if err := os.Remove(s.spools(t)[0]); err != nil {
		t.Fatal(err)
	}
	u = mustTakeUpload(t, s, id)
	defer u.Release()
	if kept, err := mustSpool(t, u).Kept(); err == nil {
		t.Errorf("Kept, gone: got %d parts, want an error", len(kept))
	}
	record.Upload = record.Upload.Restarted()
	if err := u.Keep(record); err != nil {
		t.Fatal(err)
	}
	wantKept(t, mustSpool(t, u))
}

func TestFileIDChanges(t *testing.T) {
	t.Parallel()
	file, id := sourceFile(t)
	if !idOf(t, file).IsSame(id) {
		t.Error("IsSame, unchanged: got false, want true")
	}
	if err := os.Chtimes(file.Name(), time.Time{}, time.Unix(1_800_000_000, 0)); err != nil {
		t.Fatal(err)
	}
	if idOf(t, file).IsSame(id) {
		t.Error("IsSame, another time: got true, want false")
	}
	id = idOf(t, file)
	if _, err := file.WriteString("x"); err != nil {
		t.Fatal(err)
	}
	if idOf(t, file).IsSame(id) {
		t.Error("IsSame, longer: got true, want false")
	}
}

// What no one comes back for is removed after a week.
func TestUploadsAreSwept(t *testing.T) {
	t.Parallel()
	s := newUploads(t)
	_, id := sourceFile(t)
	u := mustTakeUpload(t, s, id)
	if err := u.Keep(pending.UploadRecord{Upload: newUpload(t), File: id}); err != nil {
		t.Fatal(err)
	}
	mustSpool(t, u)
	u.Release()
	for _, path := range s.left(t) {
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-8*24*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	_, other := sourceFile(t)
	mustTakeUpload(t, s, other).Release()
	if left := s.left(t); len(left) > 0 {
		t.Errorf("got the files %q, want none", left)
	}
}
