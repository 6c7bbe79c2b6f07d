package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
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
	"hush/testtier"
)

// buildFolder is where buildHush left the program, to be removed at the end.
var buildFolder string

// buildHush builds the program as it is shipped, once for all tests.
var buildHush = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "hush-test-")
	if err != nil {
		return "", err
	}
	buildFolder = dir
	path := filepath.Join(dir, "hush")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, out)
	}
	return path, nil
})

// realHush returns the path of the built program.
func realHush(t testing.TB) string {
	t.Helper()
	starts(t)
	if runtime.GOOS == "windows" {
		t.Skip("needs kill: there are no signals here")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs go: the program is built from its source")
	}
	path, err := buildHush()
	if err != nil {
		t.Fatalf("building: got %v, want a program", err)
	}
	return path
}

// testProcess is the program at work in a process of its own.
type testProcess struct {
	*testServer
	cmd *exec.Cmd
	// exit gets what Wait returned.
	exit chan error
}

// startProcess runs "hush serve" in a process of its own.
func startProcess(t testing.TB, path, data string, flags ...string) *testProcess {
	t.Helper()
	return startProcessIn(t, []string{}, path, data, flags...)
}

// startProcessIn is startProcess with variables in the environment.
func startProcessIn(t testing.TB, environment []string, path, data string, flags ...string) *testProcess {
	t.Helper()
	starts(t)
	p := &testProcess{testServer: &testServer{data: data, log: newOutput()}, exit: make(chan error, 1)}
	args := []string{"serve", "--listen", "127.0.0.1:0", "--data", data, "--log-level=warn"}
	p.cmd = exec.Command(path, slices.Concat(args, storeFlags(t, data, flags), flags)...)
	p.cmd.Env = environment
	p.cmd.Stderr = p.log
	p.await(t)
	p.url = p.log.address()
	p.addr = p.url[strings.LastIndex(p.url, "/")+1:]
	return p
}

// await starts the process and waits until it serves.
func (p *testProcess) await(t testing.TB) {
	t.Helper()
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("starting hush: got %v, want no error", err)
	}
	go func() { p.exit <- p.cmd.Wait() }()
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	select {
	case <-p.log.served:
	case err := <-p.exit:
		t.Fatalf("hush serve: got %v before serving, want it to serve; it wrote:\n%s", err, p.log)
	case <-time.After(apitest.Patience):
		t.Fatalf("hush serve: got no answer in %s, want it to serve; it wrote:\n%s", apitest.Patience, p.log)
	}
}

// kill ends the process as a power cut would.
func (p *testProcess) kill(t testing.TB) {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatalf("killing hush: got %v, want no error; it wrote:\n%s", err, p.log)
	}
	<-p.exit
}

// terminate asks the process to end and waits until it did.
func (p *testProcess) terminate(t testing.TB) error {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatalf("SIGTERM: got %v, want no error", err)
	}
	select {
	case err := <-p.exit:
		return err
	case <-time.After(apitest.Patience):
		t.Fatalf("SIGTERM: got no end in %s, want one", apitest.Patience)
		return nil
	}
}

// An operator restarts the service during an upload. The upload succeeds, no
// new connection is accepted, and the process is gone in time.
func TestTerminationDrains(t *testing.T) {
	t.Parallel()
	p := startProcess(t, realHush(t), filepath.Join(t.TempDir(), "data"), "--log-level=info")
	idle := newHTTPClient(t, false, nil) // a connection that is kept open without a request
	apitest.Look(t, idle, http.MethodGet, p.url+"/healthz")
	apitest.Look(t, newHTTPClient(t, true, nil), http.MethodGet, p.url+"/healthz")
	conn, err := net.Dial("tcp", p.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "POST /api/v1/share HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\n\r\nsecret="); err != nil {
		t.Fatal(err)
	}
	// The request has begun for certain once a later one was answered.
	apitest.Look(t, idle, http.MethodGet, p.url+"/healthz")
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.log.waitFor(t, "stopping")
	waitUntil(t, "new connections to be refused", func() bool {
		late, err := net.Dial("tcp", p.addr)
		if err == nil {
			late.Close()
		}
		return err != nil
	})
	if _, err := io.WriteString(conn, "hello"); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("slow request: got %v, want an answer", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("slow request: got %s, want 200", res.Status)
	}
	select {
	case err := <-p.exit:
		if err != nil {
			t.Errorf("SIGTERM: got %v, want exit code 0; it wrote:\n%s", err, p.log)
		}
	case <-time.After(apitest.Patience):
		t.Errorf("SIGTERM: got no end in %s, want one", apitest.Patience)
	}
}

// A client that never ends its request must not keep the service from
// stopping.
func TestTerminationIsBounded(t *testing.T) {
	t.Parallel()
	runOnce(t, "about connections")
	testtier.Full(t, "waits until the service loses its patience")
	p := startProcess(t, realHush(t), filepath.Join(t.TempDir(), "data"))
	conn, err := net.Dial("tcp", p.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "POST /api/v1/share HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 12\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	// The service asks for the body once it runs the request.
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("request that waits for leave: got %q and %v, want 100 Continue", line, err)
	}
	if _, err := io.WriteString(conn, "secret="); err != nil {
		t.Fatal(err)
	}
	if p.terminate(t) == nil {
		t.Error("SIGTERM with a request that did not end: got exit code 0, want it to tell")
	}
	if !strings.Contains(p.log.String(), "some requests did not end within 9s") {
		t.Errorf("SIGTERM with a request that did not end: got %s, want it to say so", p.log)
	}
}
