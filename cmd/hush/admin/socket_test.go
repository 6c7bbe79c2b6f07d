package admin_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hush/cli/command"
	"hush/cmd/hush/program"
	"hush/server/datafolder"
	"hush/server/servertest"
	"hush/testtier"
)

// Only the owner of the data folder may connect at all.
func TestSocketIsTheOwners(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	path := filepath.Join(s.Data, datafolder.SocketName)
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != fs.ModeSocket|0o600 {
		t.Errorf("%s: got mode %v and %v, want a socket with 0600", datafolder.SocketName, info.Mode(), err)
	}
	s.Stop(t)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s after the end: got %v, want it gone", datafolder.SocketName, err)
	}
}

// A killed process leaves its socket. Commands ignore it, and the next server
// replaces it.
func TestStaleSocket(t *testing.T) {
	t.Parallel()
	servertest.NeedStart(t)
	o := servertest.Operator{T: t, Data: servertest.NewFolder(t)}
	o.Account("a@example.com")
	path := filepath.Join(o.Data, datafolder.SocketName)
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false)
	left.Close()
	o.Ok("", "account", "list")
	s := servertest.StartOn(t, o.Data)
	o.Ok("", "account", "list")
	s.Stop(t)
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	servertest.Call(t, nil, "", "serve", "--listen=127.0.0.1:0", "--data", o.Data).Want(t, "serve", command.ExitFailure, path+" is in the way")
	if content, err := os.ReadFile(path); string(content) != "mine" {
		t.Errorf("a file in the way: got %q and %v, want it as it was", content, err)
	}
}

// A socket's name fits 104 bytes; a folder's may be longer.
func TestLongPath(t *testing.T) {
	t.Parallel()
	servertest.NeedStart(t)
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux: no other system opens sockets through a descriptor")
	}
	o := servertest.Operator{T: t, Data: filepath.Join(t.TempDir(), strings.Repeat("long", 50), "data")}
	if err := os.MkdirAll(o.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	o.Account("stopped@example.com")
	s := servertest.StartOn(t, o.Data)
	if _, err := os.Lstat(filepath.Join(o.Data, datafolder.SocketName)); err != nil {
		t.Errorf("%s: got %v, want it in the data folder", datafolder.SocketName, err)
	}
	o.Account("running@example.com")
	if list := o.Ok("", "account", "list").Stdout; strings.Count(list, "@example.com") != 2 {
		t.Errorf("hush admin account list: got %s, want both accounts", list)
	}
	s.Stop(t)
	if _, err := os.Lstat(filepath.Join(o.Data, datafolder.SocketName)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s after the end: got %v, want it gone", datafolder.SocketName, err)
	}
}

func TestMemoryStoreHasNoSocket(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, "--store=memory")
	if _, err := os.Stat(s.Data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("data folder of a store in memory: got %v, want none", err)
	}
}

// Two commands at once, or one while a server starts: the second one waits for
// its turn, but not forever.
func TestCommandWaits(t *testing.T) {
	t.Parallel()
	testtier.Check(t, "waits for a lock")
	o := servertest.Operator{T: t, Data: servertest.NewFolder(t)}
	o.Ok("", "account", "create", "a@example.com", servertest.InFolder)
	handle, err := os.Open(o.Data)
	if err != nil {
		t.Fatal(err)
	}
	defer handle.Close()
	if err := unix.Flock(int(handle.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		t.Fatal(err)
	}
	o.Run("", "place", "list").Want(t, "admin place list", command.ExitFailure, "the data folder "+o.Data+" is in use by another hush")
	released := make(chan error, 1)
	time.AfterFunc(200*time.Millisecond, func() { released <- unix.Flock(int(handle.Fd()), unix.LOCK_UN) })
	o.Ok("", "place", "list")
	if err := <-released; err != nil {
		t.Errorf("Flock(LOCK_UN): got %v, want nil", err)
	}
}

// Root calls commands on the folder of the service's user. What it makes is
// the user's.
func TestFilesKeepTheOwner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("needs root: nobody else gives files away")
	}
	const user = 12345
	o := servertest.Operator{T: t, Data: servertest.NewFolder(t)}
	if err := os.Chown(o.Data, user, user); err != nil {
		t.Fatal(err)
	}
	spent := filepath.Join(t.TempDir(), "spent")
	o.Ok("", "account", "create", "a@example.com", servertest.InFolder, "--spent-log", spent)
	made, err := filepath.Glob(filepath.Join(o.Data, "*"))
	logged, wrong := filepath.Glob(filepath.Join(spent, "*"))
	if err := errors.Join(err, wrong); err != nil || len(made) < 4 || len(logged) < 1 {
		t.Errorf("files: got %q, %q and %v, want four and a segment", made, logged, err)
	}
	for _, path := range slices.Concat(made, logged, []string{spent}) {
		var stat unix.Stat_t
		if err := unix.Stat(path, &stat); err != nil || stat.Uid != user || stat.Gid != user {
			t.Errorf("%s: got owner %d:%d and %v, want %d", path, stat.Uid, stat.Gid, err, user)
		}
	}
	servertest.Call(t, nil, "", "admin", "doctor", "--data", o.Data).Want(t, "admin doctor", command.ExitOK)
}

// Places are kept while the service runs, too, and take effect at once.
func TestPlacesOfARunningServer(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	o := servertest.Operator{T: t, Data: s.Data}
	o.Ok("name,latitude,altitude\nHarbour,1.5,2\n", "place", "import", "-").Want(t, "admin place import", command.ExitOK, "imported 1 place")
	wantPlace(t, s, "harbour", 1.5, 2)
	o.Ok("", "place", "remove", "Harbour")
	o.Run("", "place", "remove", "Harbour").Want(t, "admin place remove", command.ExitFailure, `no imported place is called "Harbour"`)
	var out bytes.Buffer
	if code := program.Run(t.Context(), []string{"admin", "place", "list", "--data", s.Data}, nil, strings.NewReader(""), &out, io.Discard); code != command.ExitOK || !strings.Contains(out.String(), "built in") {
		t.Errorf("hush admin place list: got %d %s, want the built-in places", code, out.String())
	}
}

// A command does not give up the spent log of data, whatever a flag or a file says:
// what only reads would make all backups unsafe to restore.
func TestCommandsKeepTheSpentLog(t *testing.T) {
	t.Parallel()
	servertest.NeedStart(t)
	o := servertest.Operator{T: t, Data: servertest.NewFolder(t)}
	dir := t.TempDir()
	spent, file := filepath.Join(dir, "spent"), filepath.Join(dir, "hush.yaml")
	if err := os.WriteFile(file, []byte("spent-log: "+filepath.Join(dir, "other")+"\nspent-log-begin: true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Ok("", "account", "create", "a@example.com", servertest.InFolder, "--spent-log", spent)
	for _, args := range [][]string{{"admin", "keys", "list"}, {"admin", "audit", "export"}, {"admin", "account", "list"}} {
		args = append(args, "--data", o.Data)
		servertest.Call(t, nil, "", append(args, "--spent-log=off")...).Want(t, "a command with --spent-log=off", command.ExitOK)
		servertest.Call(t, nil, "", append(args, "--config", file)...).Want(t, "a command with a file that begins another log", command.ExitFailure, "which is missing")
	}
	if _, err := os.Stat(filepath.Join(dir, "other")); err == nil {
		t.Error("folder of another log: got it, want none")
	}
	servertest.StartOn(t, o.Data, servertest.InFolder, "--spent-log="+spent).Stop(t)
}
