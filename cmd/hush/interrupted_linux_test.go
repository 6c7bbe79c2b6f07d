package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"hush/cmd/hush/command"
)

// A command waits for a pipe that no program writes to. The first signal ends it.
func TestFirstSignalEndsAWaitForAPipe(t *testing.T) {
	t.Parallel()
	runOnce(t, "about the client")
	s := startHush(t)
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"share", "pipe"}, command.ExitFailure},
		{[]string{"open", "@pipe"}, command.ExitFailure},
		{[]string{"receipt", "@pipe"}, command.ExitFailure},
		{[]string{"run", "--secret", "A=@pipe", "--", "true"}, command.ExitRun},
	} {
		for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
			r := newRecipient(t)
			if err := unix.Mkfifo(filepath.Join(r.folder, "pipe"), 0o600); err != nil {
				t.Fatal(err)
			}
			p := r.program(t, c.args...)
			p.Env = append(p.Env, "HUSH_SERVER="+s.url)
			said := newOutput()
			p.Stderr = said
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- p.Wait() }()
			waitUntil(t, "the wait for the pipe", func() bool { return opensPipe(p.Process.Pid) })
			_ = p.Process.Signal(signal)
			waitUntil(t, "the end", func() bool { return len(ended) > 0 })
			exit, ok := errors.AsType[*exec.ExitError](<-ended)
			if !ok || exit.ExitCode() != c.code {
				t.Errorf("hush %s after %s: got %v, want exit code %d; it wrote:\n%s", c.args, signal, exit, c.code, said)
			}
		}
	}
}

// opensPipe reports whether a thread of a process waits in the kernel for the other end
// of a pipe with a name.
func opensPipe(pid int) bool {
	threads, _ := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "wchan"))
	for _, thread := range threads {
		if text, _ := os.ReadFile(thread); string(text) == "wait_for_partner" || string(text) == "fifo_open" {
			return true
		}
	}
	return false
}
