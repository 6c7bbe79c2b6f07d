package pending_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hush/cmd/hush/people/pending"
)

// fetchedFile makes a temporary file for a content that is fetched.
func fetchedFile(t *testing.T, folder, content string) *os.File {
	t.Helper()
	file, err := os.Create(filepath.Join(folder, pending.TemporaryPrefix+"x"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	if _, err := file.WriteString(content); err != nil {
		t.Fatal(err)
	}
	return file
}

func mustPersist(t *testing.T, c *pending.Claim) {
	t.Helper()
	if err := c.Persist(false); err != nil {
		t.Fatal(err)
	}
}

// A run that is cut off leaves how much of a file is on the disk, for the next one.
func TestFetchGoesOn(t *testing.T) {
	t.Parallel()
	s, _, _ := newStore(t)
	link := mustLink(t, aLink)
	c := mustTake(t, s, link)
	mustPersist(t, c)
	file := fetchedFile(t, t.TempDir(), "what came until then, and more")
	if err := c.NoteFetch(file, 0, 0); err != nil {
		t.Fatal(err)
	}
	for _, have := range []int64{5, 9, 21} {
		if err := c.NoteHave(have, pending.FetchSum(0, []byte("what came until then, and more"[:have]))); err != nil {
			t.Fatal(err)
		}
	}
	c.Release()
	if s.Sweep(); !s.KeepsTemporary(file.Name()) {
		t.Error("KeepsTemporary: got false, want true")
	}
	again := mustTake(t, s, link)
	f, found := again.Fetch()
	if !found || f.File != file.Name() || f.To != "" || f.Have != 21 || !f.Is(file.Name()) || !f.Verify(file) {
		t.Fatalf("Fetch: got %+v, %v, want the first 21 bytes of %s", f, found, file.Name())
	}
	if _, err := file.WriteAt([]byte{0}, 20); err != nil {
		t.Fatal(err)
	}
	if f.Verify(file) {
		t.Error("Verify, another byte: got true, want false")
	}
	if f.Verify(bytes.NewReader(nil)) {
		t.Error("Verify, shorter: got true, want false")
	}
	// The third run begins with what the second one had.
	if err := again.NoteFetch(file, f.Have, f.Sum()); err != nil {
		t.Fatal(err)
	}
	again.Release()
	third := mustTake(t, s, link)
	if f, found := third.Fetch(); !found || f.Have != 21 {
		t.Errorf("Fetch, again: got %+v, %v, want 21 bytes", f, found)
	}
	if err := third.NoteWhole(file.Name(), "/folder/disk.img"); err != nil {
		t.Fatal(err)
	}
	third.Release()
	if f, found := mustTake(t, s, link).Fetch(); !found || f.To != "/folder/disk.img" || !f.Is(file.Name()) {
		t.Errorf("Fetch, whole: got %+v, %v, want the file that it is for", f, found)
	}
}

// What was noted of another file says nothing of a new one.
func TestFetchBeginsAnew(t *testing.T) {
	t.Parallel()
	s, _, _ := newStore(t)
	link := mustLink(t, aLink)
	c := mustTake(t, s, link)
	mustPersist(t, c)
	first, second := fetchedFile(t, t.TempDir(), "first"), fetchedFile(t, t.TempDir(), "second")
	if err := c.NoteFetch(first, 0, 0); err != nil {
		t.Fatal(err)
	}
	if err := c.NoteHave(5, 1); err != nil {
		t.Fatal(err)
	}
	if err := c.NoteFetch(second, 0, 0); err != nil {
		t.Fatal(err)
	}
	c.Release()
	if f, found := mustTake(t, s, link).Fetch(); !found || f.File != second.Name() || f.Have != 0 {
		t.Errorf("Fetch: got %+v, %v, want nothing of the second file", f, found)
	}
}

// A line that was cut off is none: the other one counts, which says less.
func TestFetchNoteIsCutOff(t *testing.T) {
	t.Parallel()
	s, folder, _ := newStore(t)
	link := mustLink(t, aLink)
	c := mustTake(t, s, link)
	mustPersist(t, c)
	file := fetchedFile(t, t.TempDir(), "0123456789")
	if err := c.NoteFetch(file, 0, 0); err != nil {
		t.Fatal(err)
	}
	if err := c.NoteHave(3, 1); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, files(t, folder)[0])
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.NoteHave(9, 2); err != nil {
		t.Fatal(err)
	}
	c.Release()
	after, err := os.ReadFile(path)
	if err != nil || len(before) != len(after) {
		t.Fatalf("got %d bytes behind %d, %v, want as many", len(after), len(before), err)
	}
	for cut := range after {
		torn := append(bytes.Clone(after[:cut]), before[cut:]...)
		if err := os.WriteFile(path, torn, 0o600); err != nil {
			t.Fatal(err)
		}
		again := mustTake(t, s, link)
		if f, found := again.Fetch(); !found || f.Have != 3 && !bytes.Equal(torn, after) {
			t.Errorf("cut at %d: got %+v, %v, want 3 bytes", cut, f, found)
		}
		again.Release()
	}
}

// A claim that has lapsed leaves nothing.
func TestFetchLapses(t *testing.T) {
	t.Parallel()
	s, _, at := newStore(t)
	c := mustTake(t, s, mustLink(t, aLink))
	mustPersist(t, c)
	file := fetchedFile(t, t.TempDir(), "a part")
	if err := c.NoteFetch(file, 0, 0); err != nil {
		t.Fatal(err)
	}
	c.Release()
	*at = at.Add(25 * time.Hour)
	if s.Sweep(); s.KeepsTemporary(file.Name()) {
		t.Error("KeepsTemporary: got true, want false")
	}
	if _, err := os.Stat(file.Name()); !os.IsNotExist(err) {
		t.Errorf("got %v, want no temporary file", err)
	}
}
