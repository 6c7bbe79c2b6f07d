package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"hush/cli/command"
	"hush/cmd/hush/program"
	"hush/routes/apitest"
)

// asProgram is the variable under which the test binary is the program, for
// tests that need a process of its own.
const asProgram = "TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		program.Main()
		return
	}
	if os.Getenv(asPanic) != "" {
		panicUnrecovered()
	}
	testscript.Main(cleaning{m}, map[string]func(){
		// Who runs the tests on a terminal is not asked.
		"hush": func() {
			forgetUnset()
			program.MainOn(nil)
		},
	})
}

// forgetUnset removes the variables that a script gave the value "unset": the language of
// scripts can only empty them, and an empty one may be a mistake.
func forgetUnset() {
	for _, entry := range os.Environ() {
		if name, value, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "HUSH_") && value == "unset" {
			_ = os.Unsetenv(name)
		}
	}
}

// cleaning runs the tests, removes the program that they built, and stops the
// database that they started.
type cleaning struct{ *testing.M }

func (c cleaning) Run() int {
	defer func() { _ = errors.Join(os.RemoveAll(buildFolder), stopPostgres()) }()
	heedSIGHUP()
	return c.M.Run()
}

// heedSIGHUP ends that this process ignores SIGHUP, as nohup tells it: the programs that
// it starts would ignore it too.
func heedSIGHUP() {
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
}

// testServer is the program at work in this process, over real TCP.
type testServer struct {
	url  string // without a slash at its end
	addr string
	data string // the data folder
	log  *output

	cancel context.CancelFunc
	ended  chan struct{}
	code   int
}

// startHush runs "hush serve" on a new data folder until the test ends.
func startHush(t testing.TB, flags ...string) *testServer {
	t.Helper()
	return startHushOn(t, filepath.Join(t.TempDir(), "data"), flags...)
}

// startHushOn is startHush on a data folder of the caller's.
func startHushOn(t testing.TB, data string, flags ...string) *testServer {
	t.Helper()
	starts(t)
	ctx, cancel := context.WithCancel(context.Background())
	s := &testServer{data: data, log: newOutput(), cancel: cancel, ended: make(chan struct{})}
	args := slices.Concat([]string{"serve", "--listen", "127.0.0.1:0", "--data", data}, storeFlags(t, data, flags), flags)
	go func() {
		defer close(s.ended)
		s.code = program.Run(ctx, args, nil, strings.NewReader(""), io.Discard, s.log)
	}()
	t.Cleanup(func() { s.stop(t) })
	select {
	case <-s.log.served:
	case <-s.ended:
		t.Fatalf("run(%q): got exit code %d before serving, want it to serve; it wrote:\n%s", args, s.code, s.log)
	case <-time.After(apitest.Patience):
		t.Fatalf("run(%q): got no answer in %s, want it to serve; it wrote:\n%s", args, apitest.Patience, s.log)
	}
	s.url = s.log.address()
	s.addr = s.url[strings.LastIndex(s.url, "/")+1:]
	return s
}

// stop ends the server as SIGTERM would, and fails the test if it did not end
// well.
func (s *testServer) stop(t testing.TB) {
	t.Helper()
	s.cancel()
	select {
	case <-s.ended:
	case <-time.After(apitest.Patience):
		t.Fatalf("serve: got no end in %s, want one; it wrote:\n%s", apitest.Patience, s.log)
	}
	if s.code != command.ExitOK {
		t.Errorf("serve: got exit code %d, want %d; it wrote:\n%s", s.code, command.ExitOK, s.log)
	}
}

// output keeps what a program writes and tells when it serves.
type output struct {
	mu     sync.Mutex
	text   bytes.Buffer
	begun  bool
	served chan struct{}
}

func newOutput() *output { return &output{served: make(chan struct{})} }

// servingOn stands before the address, in text and in JSON.
const servingOn = "serving on "

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.text.Write(b)
	if !o.begun {
		_, rest, found := strings.Cut(o.text.String(), servingOn)
		if o.begun = found && strings.ContainsAny(rest, "\n\""); o.begun {
			close(o.served)
		}
	}
	return n, err
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// address is the URL of the line that says where the program serves.
func (o *output) address() string {
	_, rest, _ := strings.Cut(o.String(), servingOn)
	if end := strings.IndexAny(rest, "\n\""); end >= 0 {
		return rest[:end]
	}
	return rest
}

// listening returns the address that the program listens on, whatever its links
// begin with.
func (s *testServer) listening(t testing.TB) string {
	t.Helper()
	_, rest, found := strings.Cut(s.log.String(), " address=")
	address, _, _ := strings.Cut(rest, " ")
	if !found {
		t.Fatalf("serve: got no address in %s", s.log)
	}
	return address
}

// waitFor waits until the program has written text.
func (o *output) waitFor(t testing.TB, text string) {
	t.Helper()
	if !happens(func() bool { return strings.Contains(o.String(), text) }) {
		t.Fatalf("waiting for the program to write %s: got nothing of it in %s; it wrote:\n%s", text, apitest.Patience, o)
	}
}

func waitUntil(t testing.TB, what string, done func() bool) {
	t.Helper()
	if !happens(done) {
		t.Fatalf("waiting for %s: got nothing in %s", what, apitest.Patience)
	}
}

// happens reports whether something is done in some time. It asks often at first, and
// less often later, so that a long wait leaves the machine to what it waits for.
func happens(done func() bool) bool {
	deadline := time.Now().Add(apitest.Patience)
	for pause := 2 * time.Millisecond; !done(); pause = min(2*pause, 50*time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(pause)
	}
	return true
}

// newHTTPClient speaks one version of HTTP and adds header to every request.
func newHTTPClient(t testing.TB, http2 bool, header http.Header) *http.Client {
	t.Helper()
	return apitest.NewClient(t, (&net.Dialer{Timeout: apitest.Patience}).DialContext, http2, header)
}
