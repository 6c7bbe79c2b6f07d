package servertest

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

// Sharer shares secrets at a service and follows their receipts.
type Sharer struct{ *client.Client }

// NewSharer returns a client of the service at url.
func NewSharer(t testing.TB, url string) Sharer {
	t.Helper()
	c, err := protocols.New(url, client.Options{})
	if err != nil {
		t.Fatalf("New(%s): got %v, want a client", url, err)
	}
	return Sharer{c}
}

// MustShare shares.
func (s Sharer) MustShare(t testing.TB, request client.ShareRequest) client.Shared {
	t.Helper()
	shared, err := s.Share(t.Context(), request)
	if err != nil {
		t.Fatalf("Share: got %v, want a link", err)
	}
	return shared
}

// Text shares a text.
func (s Sharer) Text(t testing.TB, text string) client.Shared {
	t.Helper()
	return s.MustShare(t, client.ShareRequest{Content: &client.Content{Bytes: []byte(text)}})
}

// WantDelivered fails the test unless the receipt says that the content arrived.
func (s Sharer) WantDelivered(t testing.TB, shared client.Shared) {
	t.Helper()
	r, err := s.Receipt(t.Context(), shared.Receipt.Key)
	if err != nil || r.State != client.StateOpened || r.Delivery != client.DeliveryConfirmed {
		t.Errorf("receipt: got %v, %s, %s, want opened and delivered", err, r.State, r.Delivery)
	}
}

// Recipient has a home with pending claims, and a folder to save files in.
type Recipient struct{ Home, Folder string }

// NewRecipient returns a recipient with a new home and folder.
func NewRecipient(t testing.TB) Recipient {
	t.Helper()
	r := Recipient{filepath.Join(t.TempDir(), "home"), filepath.Join(t.TempDir(), "folder")}
	for _, folder := range []string{r.Home, r.Folder} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// Environment is that of the recipient's programs.
func (r Recipient) Environment() []string {
	return []string{"HOME=" + r.Home, "PATH=" + os.Getenv("PATH")}
}

// Program returns this very program as a process of its own.
func (r Recipient) Program(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	testtier.Check(t, "starts a program")
	self, err := os.Executable()
	if err != nil {
		t.Skip("needs executable: " + err.Error())
	}
	c := exec.Command(self, args...)
	c.Env, c.Dir = append(r.Environment(), AsProgram+"=1"), r.Folder
	return c
}

// KeepLink writes a link to a file, and returns the argument that reads it.
func (r Recipient) KeepLink(t testing.TB, link string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "link")
	if err := os.WriteFile(path, []byte(link+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return "@" + path
}

// Claims returns the names of the claims that wait on disk.
func (r Recipient) Claims(t testing.TB) []string {
	t.Helper()
	return NamesIn(t, filepath.Join(r.Home, ".local", "state", "hush", "claims"))
}

// Uploads returns the names of what is kept of uploads.
func (r Recipient) Uploads(t testing.TB) []string {
	t.Helper()
	return NamesIn(t, filepath.Join(r.Home, ".local", "state", "hush", "uploads"))
}

// NamesIn returns the names in a folder; none if it is missing.
func NamesIn(t testing.TB, folder string) (names []string) {
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

// Behind returns a link as it is behind a proxy.
func Behind(t testing.TB, link client.Link, proxy string) string {
	t.Helper()
	return strings.Replace(link.Expose(), link.Server, proxy, 1)
}
