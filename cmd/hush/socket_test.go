package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Only the owner of the data folder may connect at all.
func TestSocketIsTheOwners(t *testing.T) {
	t.Parallel()
	s := startHush(t)
	path := filepath.Join(s.data, adminSocket)
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != fs.ModeSocket|0o600 {
		t.Errorf("%s: got mode %v and %v, want a socket with 0600", adminSocket, info.Mode(), err)
	}
	s.stop(t)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s after the end: got %v, want it gone", adminSocket, err)
	}
}

// A killed process leaves its socket. Commands ignore it, and the next server
// replaces it.
func TestStaleSocket(t *testing.T) {
	t.Parallel()
	o := operator{t, filepath.Join(t.TempDir(), "data")}
	o.account("a@example.com")
	path := filepath.Join(o.data, adminSocket)
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false)
	left.Close()
	o.ok("", "account", "list")
	s := startHushOn(t, o.data)
	o.ok("", "account", "list")
	s.stop(t)
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	call(t, nil, "", "serve", "--listen=127.0.0.1:0", "--data", o.data).want(t, "serve", exitFailure, path+" is in the way")
	if content, err := os.ReadFile(path); string(content) != "mine" {
		t.Errorf("a file in the way: got %q and %v, want it as it was", content, err)
	}
}

// A socket's name fits 104 bytes; a folder's may be longer.
func TestLongPath(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux: no other system opens sockets through a descriptor")
	}
	o := operator{t, filepath.Join(t.TempDir(), strings.Repeat("long", 50), "data")}
	o.account("stopped@example.com")
	s := startHushOn(t, o.data)
	if _, err := os.Lstat(filepath.Join(o.data, adminSocket)); err != nil {
		t.Errorf("%s: got %v, want it in the data folder", adminSocket, err)
	}
	o.account("running@example.com")
	if list := o.ok("", "account", "list").stdout; strings.Count(list, "@example.com") != 2 {
		t.Errorf("hush admin account list: got %s, want both accounts", list)
	}
	s.stop(t)
	if _, err := os.Lstat(filepath.Join(o.data, adminSocket)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s after the end: got %v, want it gone", adminSocket, err)
	}
}

func TestMemoryStoreHasNoSocket(t *testing.T) {
	t.Parallel()
	s := startHush(t, "--store=memory")
	if _, err := os.Stat(s.data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("data folder of a store in memory: got %v, want none", err)
	}
}

// If another user reaches the socket after all, the system names that user.
func TestStrangersAreDropped(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	inner, err := listenAdmin(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	listener := inner.(*adminListener)
	first := true
	admit := listener.admit
	listener.admit = func(conn net.Conn) bool {
		stranger := first
		first = false
		return !stranger && admit(conn)
	}
	defer listener.Close()
	go func() {
		if conn, err := listener.Accept(); err == nil {
			_, _ = io.WriteString(conn, "welcome")
			conn.Close()
		}
	}()
	for _, want := range []string{"", "welcome"} {
		conn, err := dialAdmin(t.Context(), folder)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(conn)
		conn.Close()
		if string(got) != want && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("connection: got %q and %v, want %q", got, err, want)
		}
	}
}

func TestPeerOf(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux: no other system is asked who connects")
	}
	folder := t.TempDir()
	listener, err := net.Listen("unix", filepath.Join(folder, adminSocket))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	client, err := dialAdmin(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if uid, known := peerOf(conn); !known || int(uid) != os.Geteuid() {
		t.Errorf("peerOf(own connection): got %d %t, want %d", uid, known, os.Geteuid())
	}
	other, _ := net.Pipe()
	if uid, known := peerOf(other); !known || uid == 0 || int(uid) == os.Geteuid() {
		t.Errorf("peerOf(pipe): got %d %t, want no owner", uid, known)
	}
}

// Two commands at once, or one while a server starts: the second one waits for
// its turn, but not forever.
func TestCommandWaits(t *testing.T) {
	t.Parallel()
	o := operator{t, filepath.Join(t.TempDir(), "data")}
	o.ok("", "place", "list")
	handle, err := os.Open(o.data)
	if err != nil {
		t.Fatal(err)
	}
	defer handle.Close()
	if err := unix.Flock(int(handle.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		t.Fatal(err)
	}
	o.run("", "place", "list").want(t, "admin place list", exitFailure, "the data folder "+o.data+" is in use by another hush")
	released := make(chan error, 1)
	time.AfterFunc(200*time.Millisecond, func() { released <- unix.Flock(int(handle.Fd()), unix.LOCK_UN) })
	o.ok("", "place", "list")
	if err := <-released; err != nil {
		t.Errorf("Flock(LOCK_UN): got %v, want nil", err)
	}
}

// Root calls commands on the folder of the service's user. What it makes is
// the user's, and what the user put there as a trap is left alone.
func TestFilesKeepTheOwner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("needs root: nobody else gives files away")
	}
	const user = 12345
	o := operator{t, filepath.Join(t.TempDir(), "data")}
	if err := errors.Join(os.Mkdir(o.data, 0o700), os.Chown(o.data, user, user)); err != nil {
		t.Fatal(err)
	}
	o.account("a@example.com")
	for _, name := range []string{rootKeyName, databaseName, sharesName} {
		got, err := ownerOf(filepath.Join(o.data, name))
		if err != nil || got != (owner{user, user}) {
			t.Errorf("%s: got owner %v and %v, want %d", name, got, err, user)
		}
	}
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	trap := filepath.Join(o.data, "trap")
	for _, lay := range []func(string, string) error{os.Symlink, os.Link} {
		if err := lay(outside, trap); err != nil {
			t.Fatal(err)
		}
		if err := handOverFile(trap, owner{user, user}); err != nil {
			t.Errorf("handOverFile(link): got %v, want nil", err)
		}
		if got, err := ownerOf(outside); err != nil || got.uid != 0 {
			t.Errorf("what a link leads to: got owner %v and %v, want root", got, err)
		}
		if err := os.Remove(trap); err != nil {
			t.Fatal(err)
		}
	}
}

// Places are kept while the service runs, too, and take effect at once.
func TestPlacesOfARunningServer(t *testing.T) {
	t.Parallel()
	s := startHush(t)
	o := operator{t, s.data}
	o.ok("name,latitude,altitude\nHarbour,1.5,2\n", "place", "import", "-").want(t, "admin place import", exitOK, "imported 1 places")
	wantPlace(t, s, "harbour", 1.5, 2)
	o.ok("", "place", "remove", "Harbour")
	o.run("", "place", "remove", "Harbour").want(t, "admin place remove", exitFailure, `no imported place is called "Harbour"`)
	var out bytes.Buffer
	if code := run(t.Context(), []string{"admin", "place", "list", "--data", s.data}, nil, strings.NewReader(""), &out, io.Discard); code != exitOK || !strings.Contains(out.String(), "built in") {
		t.Errorf("hush admin place list: got %d %s, want the built-in places", code, out.String())
	}
}
