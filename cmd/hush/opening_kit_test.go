package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hush/client"
	"hush/client/protocols"
	"hush/testtier"
)

// sharer shares secrets at a service and follows their receipts.
type sharer struct{ *client.Client }

func newSharer(t testing.TB, url string) sharer {
	t.Helper()
	c, err := protocols.New(url, client.Options{})
	if err != nil {
		t.Fatalf("New(%s): got %v, want a client", url, err)
	}
	return sharer{c}
}

func (s sharer) mustShare(t testing.TB, request client.ShareRequest) client.Shared {
	t.Helper()
	shared, err := s.Share(t.Context(), request)
	if err != nil {
		t.Fatalf("Share: got %v, want a link", err)
	}
	return shared
}

// text shares a text.
func (s sharer) text(t testing.TB, text string) client.Shared {
	t.Helper()
	return s.mustShare(t, client.ShareRequest{Content: &client.Content{Bytes: []byte(text)}})
}

// wantDelivered fails the test unless the receipt says that the content arrived.
func (s sharer) wantDelivered(t testing.TB, shared client.Shared) {
	t.Helper()
	r, err := s.Receipt(t.Context(), shared.Receipt.Key)
	if err != nil || r.State != client.StateOpened || r.Delivery != client.DeliveryConfirmed {
		t.Errorf("receipt: got %v, %s, %s, want opened and delivered", err, r.State, r.Delivery)
	}
}

// recipient has a home with pending claims, and a folder to save files in.
type recipient struct{ home, folder string }

func newRecipient(t testing.TB) recipient {
	t.Helper()
	r := recipient{filepath.Join(t.TempDir(), "home"), filepath.Join(t.TempDir(), "folder")}
	for _, folder := range []string{r.home, r.folder} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// environment is that of the recipient's programs.
func (r recipient) environment() []string {
	return []string{"HOME=" + r.home, "PATH=" + os.Getenv("PATH")}
}

// program returns this very program as a process of its own.
func (r recipient) program(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	testtier.Check(t, "starts a program")
	self, err := os.Executable()
	if err != nil {
		t.Skip("needs executable: " + err.Error())
	}
	c := exec.Command(self, args...)
	c.Env, c.Dir = append(r.environment(), asProgram+"=1"), r.folder
	return c
}

// keepLink writes a link to a file, and returns the argument that reads it.
func (r recipient) keepLink(t testing.TB, link string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "link")
	if err := os.WriteFile(path, []byte(link+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return "@" + path
}

// claims returns the names of the claims that wait on disk.
func (r recipient) claims(t testing.TB) []string {
	t.Helper()
	return namesIn(t, filepath.Join(r.home, ".local", "state", "hush", "claims"))
}

// namesIn returns the names in a folder; none if it is missing.
func namesIn(t testing.TB, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// at returns a link as it is behind a proxy.
func at(t testing.TB, link client.Link, proxy string) string {
	t.Helper()
	return strings.Replace(link.Expose(), link.Server, proxy, 1)
}
