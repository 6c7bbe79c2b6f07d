package crash_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"

	"hush/crash"
)

// asGuarded is the variable under which the test binary panics in Guard.
const asGuarded = "TEST_AS_GUARDED"

func TestMain(m *testing.M) {
	if os.Getenv(asGuarded) != "" {
		crash.Guard(slog.New(slog.NewTextHandler(os.Stderr, nil)), func() { fail(newKey(), "canary-value") })
	}
	os.Exit(m.Run())
}

type key [31]byte

func newKey() (k key) {
	copy(k[:], "q7zk2v9xw4jt8bn3mc5hd6gf1rsp0ya")
	return k
}

//go:noinline
func fail(k key, value string) {
	if k[0] == 'q' {
		panic(errors.New(value + string(k[:])))
	}
}

// shown returns what of the key a text shows: four characters in a row, raw, in
// hex, or as Go prints arrays in stack traces.
func shown(text string) string {
	k := newKey()
	for i := range len(k) - 3 {
		part := k[i : i+4]
		words := make([]string, len(part))
		for j, c := range part {
			words[j] = fmt.Sprintf("%#x", c)
		}
		for _, form := range []string{string(part), hex.EncodeToString(part), strings.Join(words, ", ")} {
			if strings.Contains(text, form) {
				return form
			}
		}
	}
	return ""
}

// If a function called with a key panics, no piece of the key is in the log.
func TestFramesShowNoArguments(t *testing.T) {
	t.Parallel()
	defer func() {
		value := recover()
		got := crash.Type(value) + " " + crash.Frames()
		if leak := shown(got); leak != "" {
			t.Errorf("Frames: got %q in %s, want nothing of an argument", leak, got)
		}
		if want := "*errors.errorString hush/crash_test.fail crash_test.go:"; !strings.HasPrefix(got, want) {
			t.Errorf("Frames: got %s, want it to begin with %s", got, want)
		}
		if !strings.Contains(got, "; hush/crash_test.TestFramesShowNoArguments crash_test.go:") {
			t.Errorf("Frames: got %s, want the caller in it", got)
		}
		// What this test looks for can be found: Go's own trace has it.
		if shown(string(debug.Stack())) == "" {
			t.Error("debug.Stack: got nothing of the key, want this test to recognise it")
		}
	}()
	fail(newKey(), "canary-value")
}

func TestFramesAreBounded(t *testing.T) {
	t.Parallel()
	var dive func(n int) string
	dive = func(n int) string {
		if n == 0 {
			return crash.Frames()
		}
		return dive(n - 1)
	}
	if got := strings.Count(dive(1000), ";") + 1; got != 64 {
		t.Errorf("Frames in a recursion: got %d calls, want 64", got)
	}
}

// A loop in the background panics with a key among its arguments and in its
// value. The process ends, as it would have, and its last words hold neither.
func TestGuardEndsTheProcessWithoutItsSecrets(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Skip("needs executable: " + err.Error())
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = []string{asGuarded + "=1"}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 {
		t.Errorf("Guard: got %v, want the process to end with 1", err)
	}
	if leak := shown(out.String()); leak != "" || strings.Contains(out.String(), "canary") {
		t.Errorf("Guard: got %s, want nothing of arguments and value", &out)
	}
	if !strings.Contains(out.String(), "hush/crash_test.fail crash_test.go:") {
		t.Errorf("Guard: got %s, want where it was", &out)
	}
}

func TestGuardLetsWorkEnd(t *testing.T) {
	t.Parallel()
	ran := false
	crash.Guard(slog.New(slog.DiscardHandler), func() { ran = true })
	if !ran {
		t.Error("Guard: got no run, want one")
	}
}
