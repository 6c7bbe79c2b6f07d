package booted_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"hush/routes/apitest"
	"hush/server/process"
	"hush/server/servertest"
)

// asPanic is the variable under which the test binary panics in a goroutine
// that nothing guards.
const asPanic = "TEST_AS_PANIC"

func panicUnrecovered() {
	process.HideArguments()
	go panicWith([31]byte([]byte("q7zk2v9xw4jt8bn3mc5hd6gf1rsp0ya")))
	select {}
}

//go:noinline
func panicWith(key [31]byte) {
	if key[0] == 'q' {
		panic("no key in here")
	}
}

// A library's goroutine panics while a key is among the arguments of its calls.
// The process ends, and its last words hold no argument.
func TestUnrecoveredPanicShowsNoArguments(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Skip("needs executable: " + err.Error())
	}
	for name, c := range map[string]struct {
		environment []string
		arguments   bool
	}{
		"by default":   {[]string{asPanic + "=1"}, false},
		"if asked for": {[]string{asPanic + "=1", "GOTRACEBACK=single"}, true},
	} {
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Env = c.environment
		out, err := cmd.CombinedOutput()
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 2 {
			t.Errorf("panic %s: got %v, want exit code %d", name, err, 2)
		}
		if got := strings.Contains(string(out), "0x71, 0x37, 0x7a, 0x6b"); got != c.arguments {
			t.Errorf("panic %s: got %s, want arguments in it: %t", name, out, c.arguments)
		}
		if !strings.Contains(string(out), "no key in here") {
			t.Errorf("panic %s: got %s, want the cause", name, out)
		}
	}
}

// arguments matches a call as Go's stack traces show it.
var arguments = regexp.MustCompile(`server\.\(\*server\)\.serve\(0x`)

// An operator's SIGQUIT makes Go print the stacks of all goroutines with the
// arguments of every call, among them shares, and the log keeps them. The
// service prints names and lines alone, unless its operator asked for more.
func TestTracebacksShowNoArguments(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		environment []string
		arguments   bool
	}{
		"by default":   {nil, false},
		"if asked for": {[]string{"GOTRACEBACK=single"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := servertest.NewOutput()
			cmd := exec.CommandContext(t.Context(), servertest.Build(t), "serve", "--listen=127.0.0.1:0", "--data", filepath.Join(t.TempDir(), "data"))
			cmd.Env, cmd.Stderr = append([]string{}, c.environment...), log
			if err := cmd.Start(); err != nil {
				t.Fatalf("hush serve: got %v, want a start", err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			defer cmd.Process.Kill()
			select {
			case <-log.Served:
			case <-time.After(apitest.Patience):
				t.Fatalf("hush serve: got %s, want it to serve", log)
			}
			if err := cmd.Process.Signal(syscall.SIGQUIT); err != nil {
				t.Fatal(err)
			}
			select {
			case <-ended:
			case <-time.After(apitest.Patience):
				t.Fatal("SIGQUIT: got no end, want one")
			}
			if got := arguments.MatchString(log.String()); got != c.arguments {
				t.Errorf("SIGQUIT: got arguments in the log %t, want %t", got, c.arguments)
			}
			if !strings.Contains(log.String(), "hush/server.(*server).serve") {
				t.Errorf("SIGQUIT: got %s, want what the goroutines are at", log)
			}
		})
	}
}
