package pending_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hush/client"
	"hush/cmd/hush/people/pending"
)

const aCollectLink = "https://hush.example/c#" + aKey + "m3Ao1zh6SF5YdWe59rNuOPLlLHUiEnvNLR1EI9lfyKV"

// The claim on an answer is found by its link, and by the answer's name once the server has
// no link of it any more.
func TestClaimOfAnAnswer(t *testing.T) {
	t.Parallel()
	s, folder, at := newStore(t)
	link := mustLink(t, aLink)
	collect, err := client.ParseCollectLink(aCollectLink)
	if err != nil {
		t.Fatal(err)
	}
	name, other := pending.AnswerName(collect.Fingerprint(), client.AnswerNumber{1}), pending.AnswerName(collect.Fingerprint(), client.AnswerNumber{2})
	if s.Keeps(link) || s.TakeAnswer(name) != nil {
		t.Error("without a claim: got one, want none")
	}
	c := mustTake(t, s, link)
	c.OfAnswer(name)
	if err := c.Persist(false); err != nil {
		t.Fatalf("Persist: got %v, want no error", err)
	}
	c.MarkSaved("/home/me/key")
	if s.TakeAnswer(name) != nil {
		t.Error("TakeAnswer of what another process has: got a claim, want none")
	}
	if !s.Keeps(link) {
		t.Error("Keeps of what another process has: got false, want true")
	}
	claim := c.Claim()
	c.Release()
	if s.TakeAnswer(other) != nil {
		t.Error("TakeAnswer of another answer: got a claim, want none")
	}
	found := s.TakeAnswer(name)
	if found == nil || found.Claim().Expose() != claim.Expose() || !found.SavedTo("/home/me/key") {
		t.Fatalf("TakeAnswer: got %v, want the claim that was kept", found)
	}
	text, err := os.ReadFile(filepath.Join(folder, files(t, folder)[0]))
	if err != nil || strings.Contains(string(text), aKey) || strings.Contains(string(text), "m3Ao1zh6") {
		t.Errorf("file: got %v and %q, want nothing of the links", err, text)
	}
	found.Release()
	*at = at.Add(25 * time.Hour)
	if s.Keeps(link) || s.TakeAnswer(name) != nil {
		t.Error("after a day: got a claim, want none")
	}
	if left := files(t, folder); len(left) > 0 {
		t.Errorf("files after a day: got %q, want none", left)
	}
}

// The collect link of a request is in a file for its owner, until no server knows the
// request any more.
func TestKeepRequest(t *testing.T) {
	t.Parallel()
	s, folder, at := newStore(t)
	path, err := s.KeepRequest("DB_PASSWORD", client.Hide(aCollectLink))
	if err != nil {
		t.Fatalf("KeepRequest: got %v, want no error", err)
	}
	if base := filepath.Base(path); filepath.Dir(path) != filepath.Join(filepath.Dir(folder), "requests") || !strings.HasPrefix(base, "DB_PASSWORD-") {
		t.Errorf("KeepRequest: got %s, want a name that begins with that of the variable", path)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != aCollectLink+"\n" {
		t.Errorf("file: got %v and %q, want the link alone", err, text)
	}
	for name, mode := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: got %v, want mode %o", name, err, mode)
		}
	}
	if got := s.KeptRequest("@" + path); got != path {
		t.Errorf("KeptRequest(its file): got %q, want %q", got, path)
	}
	for _, argument := range []string{path, "@" + path + "/x", "@collect", "-", aCollectLink} {
		if got := s.KeptRequest(argument); got != "" {
			t.Errorf("KeptRequest(%q): got %q, want none", argument, got)
		}
	}
	*at = at.Add(36 * 24 * time.Hour)
	second, err := s.KeepRequest("DB_PASSWORD", client.Hide(aCollectLink))
	if err != nil || second == path {
		t.Fatalf("KeepRequest: got %v and %s, want another file", err, second)
	}
	if got := files(t, filepath.Dir(path)); len(got) != 2 {
		t.Errorf("files after 36 days: got %q, want two", got)
	}
	for _, after := range []struct {
		days int
		kept bool
	}{{2, true}, {1, true}, {37, false}} {
		*at = at.Add(time.Duration(after.days) * 24 * time.Hour)
		if _, err := s.KeepRequest("A", client.Hide(aCollectLink)); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(path); (err == nil) != after.kept || after.kept && string(text) != aCollectLink+"\n" {
			t.Errorf("first file %d days later: got %v and %q, want it kept: %t", after.days, err, text, after.kept)
		}
	}
	if _, err := pending.NewStore(nil, time.Now).KeepRequest("A", client.Hide(aCollectLink)); err == nil {
		t.Error("KeepRequest without a home: got no error, want why")
	}
}

// The machine's clock is years ahead once, and right again. The collect link is still there.
func TestKeepRequestUnderAWrongClock(t *testing.T) {
	t.Parallel()
	s, _, at := newStore(t)
	path, err := s.KeepRequest("A", client.Hide(aCollectLink))
	if err != nil {
		t.Fatal(err)
	}
	right := *at
	for _, now := range []time.Time{right.AddDate(3, 0, 0), right.Add(time.Hour), right.AddDate(0, 0, 36)} {
		*at = now
		if _, err := s.KeepRequest("B", client.Hide(aCollectLink)); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("file at %s: got %v, want it kept", now, err)
		}
	}
}
