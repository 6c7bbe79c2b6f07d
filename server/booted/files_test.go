package booted_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hush/server/process"
	"hush/server/servertest"
)

// allFiles is how many open files the service takes with all connections.
const allFiles = 5248

// limited returns the path of a program that runs hush with a limit on open
// files, set by the options of ulimit.
func limited(t *testing.T, options string) string {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("needs sh: not installed")
	}
	path := filepath.Join(t.TempDir(), "limited")
	script := "#!" + shell + "\nulimit " + options + " && exec '" + servertest.Build(t) + "' \"$@\"\n"
	// A process started meanwhile would inherit the open file, and Linux executes
	// no file that is open for writing.
	syscall.ForkLock.RLock()
	err = os.WriteFile(path, []byte(script), 0o755)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// The attack on a service that may open few files only: more connections than
// that, each after a request, so that they are kept. Accepting failed until they
// ended, for everybody. Now fewer are accepted, and others take their places.
func TestFewFilesLockNobodyOut(t *testing.T) {
	t.Parallel()
	const limit = 256
	p := servertest.StartProcess(t, limited(t, "-n "+strconv.Itoa(limit)), filepath.Join(t.TempDir(), "data"))
	for i := range 60 {
		for range 5 {
			_ = healthy(p.DialFrom(t, "127.0.1."+strconv.Itoa(i+1))) // refused where all others are busy
		}
		if got, most := p.Files(t), limit-64; got > most {
			t.Fatalf("open files after %d networks: got %d, want no more than %d of %d", i+1, got, most, limit)
		}
	}
	servertest.WaitUntil(t, "another network to get in", func() bool { return healthy(p.DialFrom(t, "127.0.2.1")) == nil })
	got := p.Log.String()
	if n := strings.Count(got, "limit on open files"); n != 1 || !strings.Contains(got, "limit=256 needed=5248 connections=102 otherwise=4096") {
		t.Errorf("log: got %d lines of the limit in %s, want one with the numbers", n, got)
	}
}

// The soft limit is for programs that cannot do with many: the hard one counts.
func TestSoftLimitOnFilesIsRaised(t *testing.T) {
	t.Parallel()
	servertest.NeedStart(t)
	if limit := process.FileLimit(); limit < allFiles {
		t.Skip("needs RLIMIT_NOFILE of " + strconv.Itoa(allFiles) + ": got " + strconv.Itoa(limit))
	}
	p := servertest.StartProcess(t, limited(t, "-S -n 64"), filepath.Join(t.TempDir(), "data"))
	if strings.Contains(p.Log.String(), "open files") {
		t.Errorf("log: got %s, want nothing about open files", p.Log)
	}
}

// Where hardly any connection is left, the service does not begin.
func TestTooFewFilesStopTheStart(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	cmd := exec.CommandContext(t.Context(), limited(t, "-n 191"), "serve", "--listen=127.0.0.1:0", "--data", data)
	cmd.Env, cmd.WaitDelay = []string{}, time.Second
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "the limit on open files (ulimit -n) is 191: raise it to 192 or more, 5248 for all connections") {
		t.Errorf("serve: got %v and %s, want it to name the limit", err, out)
	}
	if _, err := os.Stat(data); !os.IsNotExist(err) {
		t.Errorf("data folder: got %v, want none", err)
	}
}
