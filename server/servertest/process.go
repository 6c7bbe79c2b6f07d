package servertest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hush/routes/apitest"
)

// buildFolder is where build left the program, to be removed at the end.
var buildFolder string

// build builds the program as it is shipped, once for all tests.
var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "hush-test-")
	if err != nil {
		return "", err
	}
	buildFolder = dir
	path := filepath.Join(dir, "hush")
	if out, err := exec.Command("go", "build", "-o", path, "hush/cmd/hush").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, out)
	}
	return path, nil
})

// Build returns the path of the built program.
func Build(t testing.TB) string {
	t.Helper()
	NeedStart(t)
	if runtime.GOOS == "windows" {
		t.Skip("needs kill: there are no signals here")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs go: the program is built from its source")
	}
	path, err := build()
	if err != nil {
		t.Fatalf("building: got %v, want a program", err)
	}
	return path
}

// Process is the program at work in a process of its own.
type Process struct {
	*Server
	Cmd *exec.Cmd
	// Exit gets what Wait returned.
	Exit chan error
}

// StartProcess runs "hush serve" in a process of its own.
func StartProcess(t testing.TB, path, data string, flags ...string) *Process {
	t.Helper()
	return StartProcessIn(t, []string{}, path, data, flags...)
}

// StartProcessIn is StartProcess with variables in the environment.
func StartProcessIn(t testing.TB, environment []string, path, data string, flags ...string) *Process {
	t.Helper()
	NeedStart(t)
	p := &Process{Server: &Server{Data: data, Log: NewOutput()}, Exit: make(chan error, 1)}
	args := []string{"serve", "--listen", "127.0.0.1:0", "--data", data, "--log-level=warn"}
	p.Cmd = exec.Command(path, slices.Concat(args, StoreFlags(t, data, flags), flags)...)
	p.Cmd.Env = environment
	p.Cmd.Stderr = p.Log
	p.Await(t)
	p.URL = p.Log.Address()
	p.Addr = p.URL[strings.LastIndex(p.URL, "/")+1:]
	return p
}

// Await starts the process and waits until it serves.
func (p *Process) Await(t testing.TB) {
	t.Helper()
	if err := p.Cmd.Start(); err != nil {
		t.Fatalf("starting hush: got %v, want no error", err)
	}
	go func() { p.Exit <- p.Cmd.Wait() }()
	t.Cleanup(func() { _ = p.Cmd.Process.Kill() })
	select {
	case <-p.Log.Served:
	case err := <-p.Exit:
		t.Fatalf("hush serve: got %v before serving, want it to serve; it wrote:\n%s", err, p.Log)
	case <-time.After(apitest.Patience):
		t.Fatalf("hush serve: got no answer in %s, want it to serve; it wrote:\n%s", apitest.Patience, p.Log)
	}
}

// Kill ends the process as a power cut would.
func (p *Process) Kill(t testing.TB) {
	t.Helper()
	if err := p.Cmd.Process.Kill(); err != nil {
		t.Fatalf("killing hush: got %v, want no error; it wrote:\n%s", err, p.Log)
	}
	<-p.Exit
}

// Terminate asks the process to end and waits until it did.
func (p *Process) Terminate(t testing.TB) error {
	t.Helper()
	if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatalf("SIGTERM: got %v, want no error", err)
	}
	select {
	case err := <-p.Exit:
		return err
	case <-time.After(apitest.Patience):
		t.Fatalf("SIGTERM: got no end in %s, want one", apitest.Patience)
		return nil
	}
}
