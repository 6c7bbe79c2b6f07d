package servertest

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

	"hush/cli/command"
	"hush/cmd/hush/program"
	"hush/routes/apitest"
)

// AsProgram is the variable under which the test binary is the program, for
// tests that need a process of its own.
const AsProgram = "TEST_AS_PROGRAM"

// AsProgramIfTold runs the program in place of the tests, and ends the process, if a test
// started this process for that. Each TestMain calls it first.
func AsProgramIfTold() {
	if os.Getenv(AsProgram) != "" {
		program.Main()
	}
}

// Main is the TestMain of a package whose tests start the program.
func Main(m *testing.M) {
	AsProgramIfTold()
	os.Exit(Tests{m}.Run())
}

// Tests runs the tests, removes the program that they built, and stops the
// database that they started.
type Tests struct{ *testing.M }

// Run runs the tests, and returns the exit code.
func (c Tests) Run() int {
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

// Server is the program at work in this process, over real TCP.
type Server struct {
	URL  string // without a slash at its end
	Addr string
	Data string // the data folder
	Log  *Output

	Cancel context.CancelFunc
	ended  chan struct{}
	code   int
}

// Start runs "hush serve" on a new data folder until the test ends.
func Start(t testing.TB, flags ...string) *Server {
	t.Helper()
	return StartOn(t, filepath.Join(t.TempDir(), "data"), flags...)
}

// StartOn is Start on a data folder of the caller's.
func StartOn(t testing.TB, data string, flags ...string) *Server {
	t.Helper()
	NeedStart(t)
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{Data: data, Log: NewOutput(), Cancel: cancel, ended: make(chan struct{})}
	args := slices.Concat([]string{"serve", "--listen", "127.0.0.1:0", "--data", data}, StoreFlags(t, data, flags), flags)
	go func() {
		defer close(s.ended)
		s.code = program.Run(ctx, args, nil, strings.NewReader(""), io.Discard, s.Log)
	}()
	t.Cleanup(func() { s.Stop(t) })
	select {
	case <-s.Log.Served:
	case <-s.ended:
		t.Fatalf("hush %q: got exit code %d before serving, want it to serve; it wrote:\n%s", args, s.code, s.Log)
	case <-time.After(apitest.Patience):
		t.Fatalf("hush %q: got no answer in %s, want it to serve; it wrote:\n%s", args, apitest.Patience, s.Log)
	}
	s.URL = s.Log.Address()
	s.Addr = s.URL[strings.LastIndex(s.URL, "/")+1:]
	return s
}

// Stop ends the server as SIGTERM would, and fails the test if it did not end
// well.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	s.Cancel()
	select {
	case <-s.ended:
	case <-time.After(apitest.Patience):
		t.Fatalf("serve: got no end in %s, want one; it wrote:\n%s", apitest.Patience, s.Log)
	}
	if s.code != command.ExitOK {
		t.Errorf("serve: got exit code %d, want %d; it wrote:\n%s", s.code, command.ExitOK, s.Log)
	}
}

// Output keeps what a program writes and tells when it serves.
type Output struct {
	mu     sync.Mutex
	text   bytes.Buffer
	begun  bool
	Served chan struct{}
}

// NewOutput returns an empty output.
func NewOutput() *Output { return &Output{Served: make(chan struct{})} }

// ServingOn stands before the address, in text and in JSON.
const ServingOn = "serving on "

// Write implements io.Writer.
func (o *Output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.text.Write(b)
	if !o.begun {
		_, rest, found := strings.Cut(o.text.String(), ServingOn)
		if o.begun = found && strings.ContainsAny(rest, "\n\""); o.begun {
			close(o.Served)
		}
	}
	return n, err
}

// String returns what was written so far.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// Address is the URL of the line that says where the program serves.
func (o *Output) Address() string {
	_, rest, _ := strings.Cut(o.String(), ServingOn)
	if end := strings.IndexAny(rest, "\n\""); end >= 0 {
		return rest[:end]
	}
	return rest
}

// Listening returns the address that the program listens on, whatever its links
// begin with.
func (s *Server) Listening(t testing.TB) string {
	t.Helper()
	return s.logged(t, "address")
}

// logged returns the first value of that name in the log.
func (s *Server) logged(t testing.TB, name string) string {
	t.Helper()
	_, rest, _ := strings.Cut(s.Log.String(), " "+name+"=")
	value, _, _ := strings.Cut(rest, " ")
	if value == "" || value == `""` {
		t.Fatalf("serve: got no %s in %s", name, s.Log)
	}
	return value
}

// WaitFor waits until the program has written text.
func (o *Output) WaitFor(t testing.TB, text string) {
	t.Helper()
	if !Happens(func() bool { return strings.Contains(o.String(), text) }) {
		t.Fatalf("waiting for the program to write %s: got nothing of it in %s; it wrote:\n%s", text, apitest.Patience, o)
	}
}

// WaitUntil waits until something is done, and fails the test if that takes long.
func WaitUntil(t testing.TB, what string, done func() bool) {
	t.Helper()
	if !Happens(done) {
		t.Fatalf("waiting for %s: got nothing in %s", what, apitest.Patience)
	}
}

// Happens reports whether something is done in some time. It asks often at first, and
// less often later, so that a long wait leaves the machine to what it waits for.
func Happens(done func() bool) bool {
	deadline := time.Now().Add(apitest.Patience)
	for pause := 2 * time.Millisecond; !done(); pause = min(2*pause, 50*time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(pause)
	}
	return true
}

// HTTPClient speaks one version of HTTP and adds header to every request.
func HTTPClient(t testing.TB, http2 bool, header http.Header) *http.Client {
	t.Helper()
	return apitest.NewClient(t, (&net.Dialer{Timeout: apitest.Patience}).DialContext, http2, header)
}
