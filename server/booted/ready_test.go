package booted_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/routes/apitest"
	"hush/server/servertest"
)

// A balancer that asks while the service stops gets no 200: either 503 or no
// response, because nothing is accepted any more.
func TestNotReadyWhileStopping(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	conn, err := net.Dial("tcp", s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	s.Cancel()
	s.Log.WaitFor(t, "stopping: no new requests")
	if _, err := fmt.Fprintf(conn, "GET /readyz HTTP/1.1\r\nHost: %s\r\n\r\n", s.Addr); err != nil {
		return // closed already
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("GET /readyz while stopping: got %s, want 503", res.Status)
	}
}

// While requests end, metrics say that the service is not ready; and a profile
// that is being taken does not hold up the end.
func TestMetricsWhileStopping(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, "--admin-listen=127.0.0.1:0")
	url := s.MetricsURL(t)
	profiled := make(chan error, 1)
	go func() {
		res, err := http.Get(strings.TrimSuffix(url, "metrics") + "debug/pprof/heap?seconds=50")
		if err == nil {
			_, err = io.Copy(io.Discard, res.Body)
			res.Body.Close()
		}
		profiled <- err
	}()
	conn, err := net.Dial("tcp", s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const body = "secret=late"
	if _, err := fmt.Fprintf(conn, "POST /api/v1/share HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\nsecret", s.Addr, len(body)); err != nil {
		t.Fatal(err)
	}
	client := servertest.HTTPClient(t, false, nil)
	servertest.WaitUntil(t, "the request to begin", func() bool {
		families, _ := servertest.Scrape(t, client, url)
		return servertest.Value(t, families, "hush_connections") > 0
	})
	s.Cancel()
	s.Log.WaitFor(t, "stopping: no new requests")
	if families, _ := servertest.Scrape(t, client, url); servertest.Value(t, families, "hush_ready") != 0 {
		t.Errorf("GET /metrics while stopping: got hush_ready %v, want 0", families["hush_ready"])
	}
	if _, err := io.WriteString(conn, strings.TrimPrefix(body, "secret")); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("the request under way: got %v, want a response", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("the request under way: got %s, want 200", res.Status)
	}
	s.Stop(t)
	if err := <-profiled; err == nil {
		t.Error("a profile of 50 seconds: got all of it, want it cut off")
	}
}

// After a sync that failed it is unknown what is on the disk: nothing says that
// the service is ready, and the process ends.
func TestNotReadyAfterFault(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "is about the files of the data folder")
	servertest.NeedStart(t)
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("needs strace: not installed")
	}
	if os.Geteuid() != 0 {
		t.Skip("needs root: strace may not trace a program that hides its memory")
	}
	p := servertest.StartProcess(t, servertest.Build(t), filepath.Join(t.TempDir(), "data"), servertest.InFolder)
	d := servertest.Drivers(t, p.Server, nil)[0]
	apitest.MustConceal(t, d, apitest.Terms{Secret: "kept"})
	p.WantReady(t, "before the fault")
	tracing := exec.CommandContext(t.Context(), strace, "-f", "-p", strconv.Itoa(p.Cmd.Process.Pid), "-o", os.DevNull,
		"-e", "trace=fdatasync,fsync", "-e", "inject=fdatasync,fsync:error=EIO")
	said := servertest.NewOutput()
	tracing.Stderr = said
	if err := tracing.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tracing.Wait() }()
	said.WaitFor(t, "attached")
	if got := d.Conceal(t.Context(), apitest.Terms{Secret: "lost"}); got.SecretKey != "" {
		t.Errorf("conceal on a disk that fails: got %+v, want no secret", got)
	}
	servertest.WaitUntil(t, "the process to end", func() bool {
		res, err := http.Get(p.URL + "/readyz")
		if err != nil {
			return true
		}
		res.Body.Close()
		if res.StatusCode == http.StatusOK {
			t.Errorf("GET /readyz after a fault: got %s, want anything else", res.Status)
		}
		return false
	})
	if err := <-p.Exit; p.Cmd.ProcessState.ExitCode() != command.ExitFailure || !strings.Contains(p.Log.String(), "it is unknown what is on the disk") {
		t.Errorf("serve after a fault: got %v, want exit code %d and the cause; it wrote:\n%s", err, command.ExitFailure, p.Log)
	}
}
