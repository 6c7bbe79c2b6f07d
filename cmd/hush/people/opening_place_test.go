package people_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/client"
	"hush/client/otstest"
	"hush/server/servertest"
)

// wantContent fails the test unless a file has a content and is for its owner only.
func wantContent(t testing.TB, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s: got %v and %q, want %q", path, err, got, want)
		return
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s: got %v, want it for its owner only", path, info.Mode())
	}
}

// onV1 is a server that opens a secret once, without a claim, and what calls it.
func onV1(t *testing.T, before func(*http.Request)) (link string, environment []string, r servertest.Recipient) {
	t.Helper()
	o := useOtherServer(t, otstest.ReleaseV1Only)
	shared, err := o.client.Share(t.Context(), client.ShareRequest{Content: &client.Content{Bytes: []byte("hello")}})
	if err != nil {
		t.Fatalf("Share: got %v, want no error", err)
	}
	to, err := url.Parse(o.URL)
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(to)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		before(r)
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	r = servertest.NewRecipient(t)
	return servertest.Behind(t, shared.Link, proxy.URL), append(r.Environment(), "HUSH_PROTOCOL=v1", "NO_PROXY=*"), r
}

func nothing(*http.Request) {}

// Every content of a v1 server has the same name. The second one that is opened into a
// folder is refused before it is opened, and waits.
func TestOpenLooksForTheNameFirst(t *testing.T) {
	t.Parallel()
	link, environment, r := onV1(t, nothing)
	taken := filepath.Join(r.Folder, "secret")
	if err := os.WriteFile(taken, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	servertest.Call(t, environment, "", "open", link, "--output", r.Folder).
		Want(t, "open into a folder", command.ExitFailure, "exists; --overwrite replaces it, or name another with --output")
	wantContent(t, taken, "mine")
	other := filepath.Join(r.Folder, "other")
	servertest.Call(t, environment, "", "open", link, "--output", other).Want(t, "open after that", command.ExitOK)
	wantContent(t, other, "hello")
}

// The name is taken by another program while the secret is opened, and no server gives
// the content again.
func TestOpenSavesUnderAFreeName(t *testing.T) {
	t.Parallel()
	for output, c := range map[string]struct {
		code int
		said string
	}{
		"":       {command.ExitOK, "saved 5 bytes to"},
		"secret": {command.ExitFailure, "it cannot be opened again, so the content is in the file"},
	} {
		var taken string
		link, environment, r := onV1(t, func(*http.Request) {
			if err := os.WriteFile(taken, []byte("mine"), 0o600); err != nil {
				t.Error(err)
			}
		})
		taken = filepath.Join(r.Folder, "secret")
		servertest.Call(t, environment, "", "open", link, "--output", filepath.Join(r.Folder, output)).Want(t, "open", c.code, c.said)
		wantContent(t, taken, "mine")
		wantContent(t, filepath.Join(r.Folder, "secret-2"), "hello")
	}
}

// The folder goes away while the secret is opened. The content is saved beside the
// claims.
func TestOpenRescuesAContent(t *testing.T) {
	t.Parallel()
	var folder string
	link, environment, r := onV1(t, func(*http.Request) { _ = os.RemoveAll(folder) })
	folder = r.Folder
	servertest.Call(t, environment, "", "open", link, "--output", filepath.Join(folder, "file")).
		Want(t, "open", command.ExitFailure, "it cannot be opened again, so the content is in the file")
	wantContent(t, filepath.Join(r.Home, ".local", "state", "hush", "rescued", "file"), "hello")
}

// A program does not get a secret that opens only once: another one is gone, or its
// content fits into no variable.
func TestRunRescuesAContent(t *testing.T) {
	t.Parallel()
	o, r := useOtherServer(t, otstest.ReleaseV1Only), servertest.NewRecipient(t)
	share := func(text string) string {
		shared, err := o.client.Share(t.Context(), client.ShareRequest{Content: &client.Content{Bytes: []byte(text)}})
		if err != nil {
			t.Fatalf("Share: got %v, want no error", err)
		}
		return shared.Link.Expose()
	}
	environment := append(r.Environment(), "HUSH_PROTOCOL=v1")
	gone := share("gone")
	servertest.Call(t, environment, "", "open", gone).Want(t, "open", command.ExitOK)
	servertest.Call(t, environment, "", "run", "--secret", "A="+share("hello"), "--secret", "B="+gone, "--", "true").
		Want(t, "run", command.ExitRun, "A cannot be opened again, and its content is in the file")
	rescued := filepath.Join(r.Home, ".local", "state", "hush", "rescued")
	wantContent(t, filepath.Join(rescued, "A"), "hello")
	servertest.Call(t, environment, "", "run", "--secret", "A="+share("a\x00b"), "--", "true").
		Want(t, "run", command.ExitRun, "which no variable can hold", "A cannot be opened again, and its content is in the file")
	wantContent(t, filepath.Join(rescued, "A-2"), "a\x00b")
}

// Nothing can copy. The secret waits, whatever protocol its server speaks.
func TestOpenLooksForAClipboardFirst(t *testing.T) {
	t.Parallel()
	link, environment, r := onV1(t, nothing)
	c := r.Program(t, "open", link, "--copy")
	c.Env = append(append(c.Env, environment...), "PATH="+t.TempDir(), "DISPLAY=", "WAYLAND_DISPLAY=")
	said, err := c.CombinedOutput()
	if err == nil || !strings.Contains(string(said), "copying to the clipboard: no program for it was found") {
		t.Errorf("hush open --copy without a clipboard: got %v and %s, want why", err, said)
	}
	if got := servertest.Call(t, environment, "", "open", link).Want(t, "open after that", command.ExitOK); got.Stdout != "hello" {
		t.Errorf("hush open after that: got %q, want the content", got.Stdout)
	}
}
