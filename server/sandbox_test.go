package server

import (
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"hush/server/process"
	"hush/server/settings"
	"hush/testtier"
)

// asConfined is the variable that holds the data folder to which the test
// binary confines itself, to try then what its arguments say.
const asConfined = "TEST_AS_CONFINED"

// tryConfined confines this process like a service and writes the result of
// each attempt, made on several threads, one per line.
func tryConfined() {
	// Threads that are there before, and may not escape.
	release := make(chan struct{})
	var all sync.WaitGroup
	verdicts := make([][]string, 8)
	for i := range verdicts {
		all.Go(func() {
			runtime.LockOSThread()
			<-release
			for _, attempt := range os.Args[1:] {
				verdicts[i] = append(verdicts[i], attempt+" "+tryOne(attempt))
			}
		})
	}
	s := &server{Settings: &settings.Settings{}, alone: true, log: slog.New(slog.DiscardHandler)}
	s.Data, s.Sandbox = os.Getenv(asConfined), settings.SandboxOn
	if err := s.confine(); err != nil {
		_, _ = io.WriteString(os.Stdout, err.Error())
		os.Exit(1)
	}
	close(release)
	all.Wait()
	for _, lines := range verdicts {
		_, _ = io.WriteString(os.Stdout, strings.Join(lines, "\n")+"\n")
	}
	os.Exit(0)
}

func tryOne(attempt string) string {
	kind, path, _ := strings.Cut(attempt, ":")
	var err error
	switch kind {
	case "read":
		_, err = os.ReadFile(path)
	case "list":
		_, err = os.ReadDir(path)
	case "write":
		var file *os.File
		if file, err = os.CreateTemp(path, "try"); err == nil {
			_ = file.Close()
			err = os.Remove(file.Name())
		}
	case "mode":
		if _, err = os.Stat(path); err == nil {
			err = os.Chmod(path, 0o600)
		}
	case "connect":
		var conn net.Conn
		if conn, err = net.Dial("unix", path); err == nil {
			_ = conn.Close()
		}
	case "cut":
		err = os.Truncate(path, 1)
	case "run":
		err = exec.Command(path).Run()
	case "look":
		_, err = net.LookupHost(path)
	}
	if os.IsPermission(err) {
		return "refused"
	}
	if err != nil {
		return err.Error()
	}
	return "done"
}

func needLandlock(t *testing.T) {
	t.Helper()
	if err := process.CheckSandbox(process.SandboxVersion()); err != nil {
		t.Skip("needs landlock: " + err.Error())
	}
}

// The attack: take over the running service. It can open only the files of its
// data folder and those that the system shows every user, on all threads alike.
// The sandbox leaves attributes and sockets open, as its documents say.
func TestSandboxBoundsEveryThread(t *testing.T) {
	t.Parallel()
	testtier.Check(t, "confines itself in a process")
	needLandlock(t)
	self, err := os.Executable()
	if err != nil {
		t.Skip("needs executable: " + err.Error())
	}
	inside, outside := t.TempDir(), t.TempDir()
	for _, folder := range []string{inside, outside} {
		if err := os.WriteFile(filepath.Join(folder, "file"), []byte("content"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(outside, "file"), filepath.Join(inside, "link")); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(outside, "socket")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	wants := []string{
		"mode:" + outside + "/file done", "connect:" + socket + " done",
		"read:" + inside + "/file done", "cut:" + inside + "/file done", "list:" + inside + " done", "write:" + inside + " done",
		"read:" + outside + "/file refused", "cut:" + outside + "/file refused", "list:" + outside + " refused", "write:" + outside + " refused",
		"read:" + inside + "/link refused", "list:/ refused", "list:" + os.TempDir() + " refused", "read:/proc/self/environ refused",
		"write:/etc refused", "run:" + self + " refused", "read:/etc/passwd done", "look:localhost done",
	}
	cmd := exec.CommandContext(t.Context(), self)
	for _, want := range wants {
		cmd.Args = append(cmd.Args, want[:strings.LastIndex(want, " ")])
	}
	cmd.Env = []string{asConfined + "=" + inside, "TMPDIR=" + os.TempDir()}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("confine: got %v and %s, want nil", err, out)
	}
	got := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(got) != 8*len(wants) {
		t.Fatalf("attempts: got %d, want %d on each of 8 threads:\n%s", len(got), len(wants), out)
	}
	for i, line := range got {
		if want := wants[i%len(wants)]; line != want {
			t.Errorf("thread %d: got %s, want %s", i/len(wants), line, want)
		}
	}
}

// The rules follow from the settings: no more than one folder to write, and
// nothing to read of what is read before.
func TestReach(t *testing.T) {
	t.Parallel()
	bare := reachOf(settingsOf(t, "--data=/srv/hush", "--root-key-file=/keys/root.key"))
	if !slices.Equal(bare.Write, []string{"/srv/hush"}) {
		t.Errorf("reach: got %q to write, want the data folder", bare.Write)
	}
	for _, path := range []string{"/", "/home", "/root", "/var", "/tmp", "/proc", "/usr", "/keys", "/keys/root.key", "."} {
		if slices.Contains(bare.Read, path) {
			t.Errorf("reach: got %s to read, want it out of reach", path)
		}
	}
	full := reachOf(settingsOf(t, "--data=/srv/hush", "--store=memory", "--tls-cert=/tls/cert.pem", "--tls-key=/tls/key.pem", "--cpu-profile=/p"))
	if len(full.Write) != 0 {
		t.Errorf("reach with a store in memory: got %q to write, want nothing", full.Write)
	}
	for _, path := range []string{"/tls/cert.pem", "/tls/key.pem", "/tls", "/proc/self/maps"} {
		if !slices.Contains(full.Read, path) {
			t.Errorf("reach: got no %s to read, want it", path)
		}
	}
}
