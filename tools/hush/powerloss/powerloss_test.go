package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hush/testtier"
)

var powerlossStates = flag.Int("powerloss.states", 0, "how many disk contents TestPowerLoss starts on; 0 for 20,000 in make full, and 300 in make check")

// build builds the command in a folder as it is shipped: what it does in other processes
// is not slowed down by the race detector.
func build(t *testing.T, name, folder string) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs go: the programs are built from their source")
	}
	path := filepath.Join(t.TempDir(), name)
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-C", folder, "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build %s: got %v, want a program: %s", name, err, out)
	}
	return path
}

// needTracing skips the test where a program that makes itself undumpable, as
// the service does, cannot be traced: without strace, or as another user than
// root where nothing grants CAP_SYS_PTRACE.
func needTracing(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("needs strace: not installed")
	}
	if os.Geteuid() != 0 {
		t.Skip("needs root: strace may not read the memory of a program that hides it")
	}
	if out, err := exec.CommandContext(t.Context(), "strace", "-f", "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		t.Skipf("needs strace: it cannot trace here: %v: %s", err, out)
	}
}

// The power fails at any moment of the service's work, and the disk keeps any
// part of what was not synced, and of what a failed sync was to write. Whatever it
// keeps, the next start must open it, hold every secret that was acknowledged, open what
// was bound to a claim for that claim alone, and nothing that was shown, acknowledged or
// destroyed. The same check must fail where one sync is taken away, or what a start
// writes again.
func TestPowerLoss(t *testing.T) {
	testtier.Full(t, "kills the service by chance, and starts it on many disk contents")
	needTracing(t)
	const sessions = 4 // two with a failed sync
	states := cmp.Or(*powerlossStates, 20_000)
	command, hush := build(t, "hush-powerloss", "."), build(t, "hush", "../../../cmd/hush")
	record := filepath.Join(t.TempDir(), "record")
	check := func(flags ...string) (string, error) {
		flags = append([]string{"--hush", hush, "--record", record, "--sessions", fmt.Sprint(sessions)}, flags...)
		var out bytes.Buffer
		cmd := exec.CommandContext(t.Context(), command, flags...)
		cmd.Stdout, cmd.Stderr = &out, &out
		err := cmd.Run()
		return out.String(), err
	}
	out, err := check("--states", fmt.Sprint(states))
	if err != nil || !strings.Contains(out, "every promise was kept") {
		t.Fatalf("hush-powerloss: got %v, want every promise kept:\n%s", err, out)
	}
	t.Log(out)
	wants := map[dropped]string{
		dropDatabase: "",
		dropConceal:  "live secret without its share",
		dropReveal:   "its share is on the disk",
		dropFolder:   "the start failed",
		dropRootKey:  "the start failed",
		dropRenew:    "session-001",
	}
	for _, drop := range drops() {
		out, err := check("--states", "100", "--drop", string(drop))
		var exit *exec.ExitError
		if !errors.As(err, &exit) || !strings.Contains(out, "promises were broken") && !strings.Contains(out, "power lost before") {
			t.Errorf("hush-powerloss --drop %s: got %v, want broken promises:\n%s", drop, err, out)
		}
		if !strings.Contains(out, wants[drop]) {
			t.Errorf("hush-powerloss --drop %s: got %s, want %q in it", drop, out, wants[drop])
		}
	}
}
