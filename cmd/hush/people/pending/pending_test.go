package pending_test

import (
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hush/client"
	"hush/cmd/hush/people/pending"
	"hush/testtier"
)

const (
	aKey  = "0123456789abcdefghijklmnopqrstu"
	aLink = "https://hush.example/e#" + aKey + "m3Ao1zh6SF5YdWe59rNuOPLlLHUiEnvNLR1EI9lfyKV"
)

func mustLink(t *testing.T, text string) client.Link {
	t.Helper()
	link, err := client.ParseLink(text)
	if err != nil {
		t.Fatal(err)
	}
	return link
}

// newStore returns a store in a folder of the test, at a time that it may change.
func newStore(t *testing.T) (s *pending.Store, folder string, at *time.Time) {
	t.Helper()
	state, now := t.TempDir(), time.Now()
	s = pending.NewStore([]string{"HOME=/nonexistent", "XDG_STATE_HOME=" + state}, func() time.Time { return now })
	return s, filepath.Join(state, "hush", "claims"), &now
}

func mustTake(t *testing.T, s *pending.Store, link client.Link) *pending.Claim {
	t.Helper()
	c, err := s.Take(link)
	if err != nil {
		t.Fatalf("Take: got %v, want a claim", err)
	}
	return c
}

func files(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func TestClaimIsFoundAgain(t *testing.T) {
	t.Parallel()
	s, folder, now := newStore(t)
	link := mustLink(t, aLink)
	first := mustTake(t, s, link)
	if first.Found() || first.IsPersisted() || first.Claim().IsNone() {
		t.Error("Take: got an old claim or none, want a new one")
	}
	if err := first.Persist(true); err != nil || !first.IsPersisted() {
		t.Fatalf("Persist: got %v, want it kept", err)
	}
	first.Release()
	*now = now.Add(client.ClaimTime - time.Second)
	s.Sweep()
	again := mustTake(t, s, link)
	if !again.Found() || !again.HasPassphrase() || again.Saved() || again.Claim().Expose() != first.Claim().Expose() {
		t.Error("Take: got another claim, want the one that was kept")
	}
	again.MarkSaved("here")
	again.Release()
	if last := mustTake(t, s, link); !last.Saved() || !last.SavedTo("here") || last.SavedTo("there") || last.Claim().Expose() != first.Claim().Expose() {
		t.Error("Take: got a claim that was not saved, want the one that was")
	} else {
		last.Remove()
	}
	if left := files(t, folder); len(left) != 0 {
		t.Errorf("Remove: got the files %q, want none", left)
	}
}

// Who reads the file learns nothing that opens the secret.
func TestFileHoldsTheClaimAlone(t *testing.T) {
	t.Parallel()
	s, folder, _ := newStore(t)
	link := mustLink(t, aLink)
	c := mustTake(t, s, link)
	if err := c.Persist(true); err != nil {
		t.Fatal(err)
	}
	fingerprint := link.Fingerprint()
	path := filepath.Join(folder, hex.EncodeToString(fingerprint[:]))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), c.Claim().Expose()) {
		t.Errorf("file: got %s, want the claim in it", text)
	}
	for _, part := range []string{aKey[:8], "m3Ao1zh6", "hush.example"} {
		if strings.Contains(string(text), part) {
			t.Errorf("file: got %s, want no part of the link in it", text)
		}
	}
	for _, name := range []string{path, folder} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: got mode %v, want it for its owner only", name, info.Mode())
		}
	}
	c.Release()
}

func TestClaimIsTakenOnce(t *testing.T) {
	t.Parallel()
	s, folder, _ := newStore(t)
	link := mustLink(t, aLink)
	first := mustTake(t, s, link)
	if _, err := s.Take(link); !errors.Is(err, pending.ErrBusy) {
		t.Errorf("Take of a claim that is taken: got %v, want ErrBusy", err)
	}
	s.Sweep()
	if left := files(t, folder); len(left) != 1 {
		t.Errorf("Sweep: got %d files, want the one that is taken", len(left))
	}
	other := mustTake(t, s, mustLink(t, strings.Replace(aLink, "hush.", "other.", 1)))
	other.Release()
	first.Release()
	if left := files(t, folder); len(left) != 0 {
		t.Errorf("Release of claims that were not kept: got the files %q, want none", left)
	}
	mustTake(t, s, link).Release()
}

func TestSweep(t *testing.T) {
	t.Parallel()
	s, folder, now := newStore(t)
	link := mustLink(t, aLink)
	c := mustTake(t, s, link)
	if err := c.Persist(false); err != nil {
		t.Fatal(err)
	}
	c.Release()
	foreign := filepath.Join(folder, "notes.txt")
	torn := filepath.Join(folder, strings.Repeat("0", 64))
	for path, text := range map[string]string{foreign: "mine", torn: `{"claim":"`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.Sweep()
	if left := files(t, folder); len(left) != 2 {
		t.Errorf("Sweep: got the files %q, want the claim and the file of others", left)
	}
	start := *now
	for _, at := range []time.Duration{25 * time.Hour, -25 * time.Hour} {
		*now = start
		c := mustTake(t, s, link)
		if err := c.Persist(false); err != nil {
			t.Fatal(err)
		}
		c.Release()
		*now = start.Add(at)
		if at > 0 {
			old := mustTake(t, s, link)
			if old.Found() {
				t.Error("Take of a claim that has lapsed: got it, want a new one")
			}
			old.Release()
			continue
		}
		s.Sweep()
		if left := files(t, folder); len(left) != 1 || left[0] != "notes.txt" {
			t.Errorf("Sweep %s later: got the files %q, want that of others alone", at, left)
		}
	}
}

// The power fails while a secret is opened. The machine has no clock of its own, or one
// that is wrong, so that it is another time when it runs again. The server counts the
// time that it runs, and still has the content.
func TestClaimSurvivesAClockThatIsSet(t *testing.T) {
	t.Parallel()
	for _, by := range []time.Duration{-23 * time.Hour, -time.Hour, 5 * time.Minute, 23 * time.Hour} {
		s, _, now := newStore(t)
		link := mustLink(t, aLink)
		c := mustTake(t, s, link)
		if err := c.Persist(false); err != nil {
			t.Fatal(err)
		}
		kept := c.Claim().Expose()
		c.Release()
		*now = now.Add(by)
		s.Sweep()
		again := mustTake(t, s, link)
		if !again.Found() || again.Claim().Expose() != kept {
			t.Errorf("Take after the clock was set by %s: found %t, want the claim that was kept", by, again.Found())
		}
		again.Release()
	}
}

// A container may have no folder that can be written. The secret opens there, too.
func TestMemoryOnly(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, environment := range map[string][]string{
		"no home":       nil,
		"relative":      {"XDG_STATE_HOME=state"},
		"not a folder":  {"XDG_STATE_HOME=" + file},
		"an empty home": {"HOME="},
	} {
		s := pending.NewStore(environment, time.Now)
		s.Sweep()
		c := mustTake(t, s, mustLink(t, aLink))
		if err := c.Persist(false); err == nil || c.IsPersisted() || c.Claim().IsNone() {
			t.Errorf("Persist, %s: got %v and kept %t, want the reason and a claim in memory", name, err, c.IsPersisted())
		}
		c.MarkSaved("")
		c.Release()
		c.Remove()
	}
}

// The lock ends with its process, even if that is killed. No other test runs beside it: a
// process that is being started has their locks until it runs its program.
func TestLockEndsWithItsProcess(t *testing.T) {
	testtier.Check(t, "lets another process hold the lock")
	s, folder, _ := newStore(t)
	link := mustLink(t, aLink)
	c := mustTake(t, s, link)
	if err := c.Persist(false); err != nil {
		t.Fatal(err)
	}
	c.Release()
	path, err := exec.LookPath("flock")
	if err != nil {
		t.Skip("needs flock: not installed")
	}
	holder := exec.Command(path, filepath.Join(folder, files(t, folder)[0]), "cat")
	in, err := holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil { // it has the lock
		t.Fatal(err)
	}
	if _, err := s.Take(link); !errors.Is(err, pending.ErrBusy) {
		t.Errorf("Take of a claim that another process has: got %v, want ErrBusy", err)
	}
	_ = in.Close()
	_ = holder.Wait()
	again := mustTake(t, s, link)
	if !again.Found() {
		t.Error("Take after the other process: got a new claim, want the one that was kept")
	}
	again.Remove()
}
