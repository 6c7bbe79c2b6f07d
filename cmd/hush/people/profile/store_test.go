package profile

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"hush/cli/console"
	"hush/client"
)

const hushExample = "https://hush.example"

// noKeyring is a system without a keyring.
func noKeyring() *systemKeyring { return newSystemKeyring(nil) }

// newStore returns a store in a new folder, and what it says.
func newStore(t *testing.T, keyring tokenKeeper) (*Store, *bytes.Buffer) {
	t.Helper()
	said := &bytes.Buffer{}
	return openFolder(filepath.Join(t.TempDir(), "config", "hush"), keyring, &console.Console{Err: said}), said
}

func put(t *testing.T, s *Store, one Profile, token string) Profile {
	t.Helper()
	stored, err := s.Put(t.Context(), one, client.Hide(token))
	if err != nil {
		t.Fatalf("Put(%v): got %v, want no error", one, err)
	}
	return stored
}

func tokenOf(t *testing.T, s *Store, name string) string {
	t.Helper()
	all, err := s.Load()
	if err != nil {
		t.Fatalf("Load: got %v, want no error", err)
	}
	one, err := all.Get(name)
	if err != nil {
		t.Fatalf("Get(%s): got %v, want it", name, err)
	}
	token, err := s.Token(t.Context(), one)
	if err != nil {
		t.Fatalf("Token(%s): got %v, want no error", name, err)
	}
	return token.Expose()
}

func TestTokensInTheFile(t *testing.T) {
	t.Parallel()
	s, said := newStore(t, noKeyring())
	put(t, s, Profile{Name: "default", Server: hushExample}, "token-1")
	put(t, s, Profile{Name: "work", Server: "https://ots.example", Protocol: client.ProtocolV1, Username: "me@ots.example"}, "token-2")
	if got := tokenOf(t, s, "default") + tokenOf(t, s, "work"); got != "token-1token-2" {
		t.Errorf("Token: got %q, want both", got)
	}
	if !strings.Contains(said.String(), "this system has no keyring; the token is in "+s.folder) || strings.Contains(said.String(), "token-1") {
		t.Errorf("Put: got %q said, want where the token is, and not the token", said)
	}
	for name, want := range map[string]fs.FileMode{".": 0o700 | fs.ModeDir, "profiles.yaml": 0o600, "credentials.yaml": 0o600} {
		if info, err := os.Stat(filepath.Join(s.folder, name)); err != nil || info.Mode() != want {
			t.Errorf("mode of %s: got %v and %v, want %v", name, info.Mode(), err, want)
		}
	}
	content, err := os.ReadFile(s.path())
	if err != nil || bytes.Contains(content, []byte("token-")) {
		t.Errorf("profiles.yaml: got %s and %v, want it without tokens", content, err)
	}
	all, _ := s.Load()
	if one, _ := all.Find("work"); all.Current != "default" || one.Protocol != client.ProtocolV1 || one.Username != "me@ots.example" || one.Token != PlaceFile {
		t.Errorf("Load: got %+v, want what was stored", all)
	}
}

func TestTokenIsReplacedForgottenAndRemoved(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t, noKeyring())
	put(t, s, Profile{Name: "default", Server: hushExample}, "token-1")
	put(t, s, Profile{Name: "default", Server: "https://other.example"}, "token-2")
	if got := tokenOf(t, s, "default"); got != "token-2" {
		t.Errorf("Token after a new login: got %q, want the new one", got)
	}
	if err := s.Forget(t.Context(), "default"); err != nil {
		t.Fatal(err)
	}
	if content, _ := os.ReadFile(s.file.path); bytes.Contains(content, []byte("token-")) || tokenOf(t, s, "default") != "" {
		t.Errorf("Forget: got %s in the file, want no token", content)
	}
	put(t, s, Profile{Name: "default", Server: hushExample}, "token-3")
	put(t, s, Profile{Name: "second", Server: hushExample}, "")
	if err := s.Remove(t.Context(), "default"); err != nil {
		t.Fatal(err)
	}
	all, _ := s.Load()
	if content, _ := os.ReadFile(s.file.path); bytes.Contains(content, []byte("token-")) || len(all.All) != 1 || all.Current != "second" {
		t.Errorf("Remove: got %s and %+v, want the other profile alone, in use", content, all)
	}
}

// An attacker, or a mistake, lets a profile name another server. Its token must not
// go there.
func TestTokenIsForOneServer(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t, noKeyring())
	put(t, s, Profile{Name: "default", Server: hushExample}, "token-1")
	content, _ := os.ReadFile(s.path())
	if err := os.WriteFile(s.path(), bytes.ReplaceAll(content, []byte("hush.example"), []byte("evil.example")), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := s.Load()
	if err != nil {
		t.Fatal(err)
	}
	token, err := s.Token(t.Context(), all.All[0])
	if err == nil || !token.IsEmpty() {
		t.Errorf("Token for another server: got %q and %v, want an error", token.Expose(), err)
	}
}

// What cannot be read is not replaced: the user would lose it.
func TestDamagedFilesStay(t *testing.T) {
	t.Parallel()
	const profiles, credentials = "profiles.yaml", "credentials.yaml"
	for name, c := range map[string]struct{ file, content, want string }{
		"no YAML":           {profiles, "a: b: c: hunter2", "it is not as hush writes it"},
		"unknown key":       {profiles, "version: 1\nserver: hunter2\n", "line 2 is not as hush writes it"},
		"later release":     {profiles, "version: 3\nservers: [hunter2]\n", "update hush"},
		"no version":        {profiles, "current: hunter2\n", `must begin with "version: 1"`},
		"bad name":          {profiles, "version: 1\nprofiles:\n  - name: -hunter2\n", "the name of a profile"},
		"bad server":        {profiles, "version: 1\nprofiles:\n  - name: a\n    server: ftp://hunter2\n    protocol: hush\n", "profile a: the server must be a URL"},
		"bad protocol":      {profiles, "version: 1\nprofiles:\n  - name: a\n    server: https://a\n    protocol: hunter2\n", "profile a: protocol must be hush, v2 or v1"},
		"bad place":         {profiles, "version: 1\nprofiles:\n  - name: a\n    server: https://a\n    protocol: v1\n    token: hunter2\n", "profile a: token must be"},
		"relative ca_file":  {profiles, "version: 2\nprofiles:\n  - name: a\n    server: https://a\n    protocol: v1\n    ca_file: hunter2\n", "profile a: ca_file must be"},
		"twice":             {profiles, "version: 1\nprofiles:\n  - {name: a, server: https://a, protocol: v1}\n  - {name: a, server: https://a, protocol: v1}\n", "the profile a is in it twice"},
		"unknown current":   {profiles, "version: 1\ncurrent: b\nprofiles:\n  - {name: a, server: https://a, protocol: v1}\n", "which is not in it"},
		"too long":          {profiles, strings.Repeat("#hunter2\n", maxFile/9+1), "is longer than"},
		"credentials":       {credentials, "version: 1\ntokens: hunter2\n", "line 2 is not as hush writes it"},
		"later credentials": {credentials, "version: 3\n", "update hush"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := newStore(t, noKeyring())
			path := filepath.Join(s.folder, c.file)
			if err := errors.Join(os.MkdirAll(s.folder, 0o700), os.WriteFile(path, []byte(c.content), 0o600)); err != nil {
				t.Fatal(err)
			}
			_, err := s.Put(t.Context(), Profile{Name: "default", Server: hushExample}, client.Hide("token"))
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("Put: got %v, want the path and %q without what is in the file", err, c.want)
			}
			if content, _ := os.ReadFile(path); string(content) != c.content {
				t.Errorf("%s: got %q afterwards, want it as it was", c.file, content)
			}
		})
	}
}

func TestFilesOfOthers(t *testing.T) {
	t.Parallel()
	s, said := newStore(t, noKeyring())
	put(t, s, Profile{Name: "default", Server: hushExample}, "token-1")
	if err := os.Chmod(s.path(), 0o622); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(); err == nil || !strings.Contains(err.Error(), "may change "+s.path()+": run chmod 0600 on it") {
		t.Errorf("Load of what others may change: got %v, want an error", err)
	}
	if err := errors.Join(os.Chmod(s.path(), 0o644), os.Chmod(s.file.path, 0o644)); err != nil {
		t.Fatal(err)
	}
	said.Reset()
	if got := tokenOf(t, s, "default"); got != "token-1" || !strings.Contains(said.String(), "may read "+s.file.path+": run chmod 0600 on it") {
		t.Errorf("Token of a file that others may read: got %q and %q said, want the token and a warning", got, said)
	}
	if os.Geteuid() != 0 {
		t.Skip("needs root: it gives a file to another user")
	}
	if err := os.Chown(s.path(), 12345, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
		t.Errorf("Load of another user's file: got %v, want an error", err)
	}
}

// A file of profiles is often a link into a folder with other such files.
func TestLinkStays(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t, noKeyring())
	put(t, s, Profile{Name: "default", Server: hushExample}, "")
	elsewhere := filepath.Join(t.TempDir(), "profiles.yaml")
	if err := errors.Join(os.Rename(s.path(), elsewhere), os.Symlink(elsewhere, s.path())); err != nil {
		t.Fatal(err)
	}
	put(t, s, Profile{Name: "second", Server: hushExample}, "")
	content, _ := os.ReadFile(elsewhere)
	if info, err := os.Lstat(s.path()); err != nil || info.Mode().Type() != fs.ModeSymlink || !bytes.Contains(content, []byte("second")) {
		t.Errorf("Put behind a link: got %v, %v and %s, want the file behind it changed", info.Mode(), err, content)
	}
}

// Two programs store a profile at the same time.
func TestWritersWaitForEachOther(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t, noKeyring())
	var group sync.WaitGroup
	names := strings.Split("abcdefgh", "")
	for _, name := range names {
		group.Go(func() {
			_, err := openFolder(s.folder, noKeyring(), &console.Console{Err: &bytes.Buffer{}}).Put(context.Background(), Profile{Name: name, Server: hushExample}, client.Hide(name))
			if err != nil {
				t.Errorf("Put(%s): got %v, want no error", name, err)
			}
		})
	}
	group.Wait()
	for _, name := range names {
		if got := tokenOf(t, s, name); got != name {
			t.Errorf("Token(%s): got %q, want %q", name, got, name)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(s.folder, ".*-*")); len(left) > 0 {
		t.Errorf("folder: got %q left over, want nothing", left)
	}
}

func TestNoFolder(t *testing.T) {
	t.Parallel()
	s := openFolder("", noKeyring(), &console.Console{Err: &bytes.Buffer{}})
	if all, err := s.Load(); err != nil || len(all.All) != 0 {
		t.Errorf("Load without a folder: got %v and %v, want no profile", all, err)
	}
	if _, err := s.Put(t.Context(), Profile{Name: "a", Server: hushExample}, client.Text{}); !errors.Is(err, errNoFolder) {
		t.Errorf("Put without a folder: got %v, want %v", err, errNoFolder)
	}
}
