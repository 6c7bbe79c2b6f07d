package booted_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/testtier"
)

// An operator restarts the service during an upload. The upload succeeds, no
// new connection is accepted, and the process is gone in time.
func TestTerminationDrains(t *testing.T) {
	t.Parallel()
	p := servertest.StartProcess(t, servertest.Build(t), filepath.Join(t.TempDir(), "data"), "--log-level=info")
	idle := servertest.HTTPClient(t, false, nil) // a connection that is kept open without a request
	apitest.Look(t, idle, http.MethodGet, p.URL+"/healthz")
	apitest.Look(t, servertest.HTTPClient(t, true, nil), http.MethodGet, p.URL+"/healthz")
	conn, err := net.Dial("tcp", p.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "POST /api/v1/share HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\n\r\nsecret="); err != nil {
		t.Fatal(err)
	}
	// The request has begun for certain once a later one was answered.
	apitest.Look(t, idle, http.MethodGet, p.URL+"/healthz")
	if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.Log.WaitFor(t, "stopping")
	servertest.WaitUntil(t, "new connections to be refused", func() bool {
		late, err := net.Dial("tcp", p.Addr)
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
	case err := <-p.Exit:
		if err != nil {
			t.Errorf("SIGTERM: got %v, want exit code 0; it wrote:\n%s", err, p.Log)
		}
	case <-time.After(apitest.Patience):
		t.Errorf("SIGTERM: got no end in %s, want one", apitest.Patience)
	}
}

// A client that never ends its request must not keep the service from
// stopping.
func TestTerminationIsBounded(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about connections")
	testtier.Full(t, "waits until the service loses its patience")
	p := servertest.StartProcess(t, servertest.Build(t), filepath.Join(t.TempDir(), "data"))
	conn, err := net.Dial("tcp", p.Addr)
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
	if p.Terminate(t) == nil {
		t.Error("SIGTERM with a request that did not end: got exit code 0, want it to tell")
	}
	if !strings.Contains(p.Log.String(), "some requests did not end within 9s") {
		t.Errorf("SIGTERM with a request that did not end: got %s, want it to say so", p.Log)
	}
}
