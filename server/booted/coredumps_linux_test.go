package booted_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/testtier"
)

// plainUser is a user that owns nothing, as a service's should.
const plainUser = 12345

// startAsUser runs "hush serve" as a user who is not root, in a folder of his
// own, if this test runs as root.
func startAsUser(t *testing.T) (pid int, user uint32) {
	t.Helper()
	folder := t.TempDir()
	content, err := os.ReadFile(servertest.Build(t))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "hush")
	if err := os.WriteFile(path, content, 0o755); err != nil {
		t.Fatal(err)
	}
	log := servertest.NewOutput()
	cmd := exec.CommandContext(t.Context(), path, "serve", "--listen=127.0.0.1:0", "--sandbox=off", "--data", filepath.Join(folder, "data"))
	cmd.Env, cmd.Stderr, user = []string{}, log, uint32(os.Geteuid())
	if user == 0 {
		user = plainUser
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
		for _, parent := range []string{folder, filepath.Dir(folder)} {
			if err := os.Chmod(parent, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chown(folder, plainUser, plainUser); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("starting hush: got %v, want no error", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	select {
	case <-log.Served:
	case err := <-ended:
		ended <- err
		t.Fatalf("hush serve: got %v, want it to serve; it wrote:\n%s", err, log)
	case <-time.After(apitest.Patience):
		t.Fatalf("hush serve: got no answer in %s, want it to serve; it wrote:\n%s", apitest.Patience, log)
	}
	// More threads than at the start: each has to have what the others have.
	for range 8 {
		if conn, err := net.Dial("tcp", strings.TrimPrefix(log.Address(), "http://")); err == nil {
			defer conn.Close()
		}
	}
	return cmd.Process.Pid, user
}

// Another process of the service's user looks into its memory, or makes it
// crash and reads the core file: there is none, and what the system shows of
// the process belongs to root. No thread gains privileges by what it executes.
func TestServerDisablesCoreDumps(t *testing.T) {
	t.Parallel()
	testtier.Full(t, "looks into a process as the system shows it")
	pid, user := startAsUser(t)
	proc := func(name string) string { return fmt.Sprintf("/proc/%d/%s", pid, name) }
	limits, err := os.ReadFile(proc("limits"))
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?m)^Max core file size +0 +0 `).Match(limits) {
		t.Errorf("limits of a running server: got %s, want no core files, soft and hard", limits)
	}
	// The files of a process belong to its user only while it is dumpable; the
	// folder itself always does.
	for _, name := range []string{"mem", "environ", "maps"} {
		var stat syscall.Stat_t
		if err := syscall.Stat(proc(name), &stat); err != nil {
			t.Fatal(err)
		}
		if stat.Uid == user {
			t.Errorf("%s of a running server: got its user as the owner, want root", name)
		}
	}
	status, err := os.ReadFile(proc("status"))
	if err != nil || !regexp.MustCompile(`(?m)^VmLck:\s+[1-9]\d* kB$`).Match(status) {
		t.Errorf("status of a running server: got %s and %v, want the memory of its keys locked", status, err)
	}
	tasks, err := filepath.Glob(proc("task/*/status"))
	if err != nil || len(tasks) < 2 {
		t.Fatalf("threads: got %q and %v, want several", tasks, err)
	}
	for _, task := range tasks {
		status, err := os.ReadFile(task)
		if err == nil && !strings.Contains(string(status), "NoNewPrivs:\t1\n") {
			t.Errorf("%s: got %s, want NoNewPrivs to be 1", task, status)
		}
	}
}
