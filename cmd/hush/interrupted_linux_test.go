package main

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A command waits for a pipe that no program writes to. The first signal ends it.
func TestFirstSignalEndsAWaitForAPipe(t *testing.T) {
	t.Parallel()
	runOnce(t, "about the client")
	s := startHush(t)
	for _, args := range pipeReaders() {
		for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
			r := newRecipient(t)
			if err := unix.Mkfifo(filepath.Join(r.folder, "pipe"), 0o600); err != nil {
				t.Fatal(err)
			}
			p := r.program(t, args...)
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
			err := <-ended
			if status, ok := p.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != signal {
				t.Errorf("hush %s after %s: got %v, want its end by the signal; it wrote:\n%s", args, signal, err, said)
			}
		}
	}
}

// pipeReaders are commands that wait for a pipe with a name.
func pipeReaders() [][]string {
	return [][]string{
		{"share", "pipe"}, {"open", "@pipe"}, {"receipt", "@pipe"}, {"run", "--secret", "A=@pipe", "--", "true"},
		{"login", "--token-file", "pipe"}, {"whoami", "--ca-file", "pipe"}, {"share", "pipe", "--passphrase-file", "pipe"},
		{"admin", "restore", "pipe", "--data", "data"}, {"admin", "restore", "none", "-i", "pipe", "--data", "data"},
		{"admin", "account", "import", "pipe", "--data", "data"}, {"admin", "place", "import", "pipe", "--data", "data"},
		{"admin", "backup", "verify", "pipe"}, {"admin", "backup", "verify", "none", "--identity", "pipe"},
		{"admin", "backup", "-o", "made", "--recipients-file", "pipe", "--data", "data"},
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
