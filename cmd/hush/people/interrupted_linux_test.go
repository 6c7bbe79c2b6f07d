package people_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"hush/server/servertest"
)

// A command waits for a pipe that no program writes to. The first signal ends it.
func TestFirstSignalEndsAWaitForAPipe(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	s := servertest.Start(t)
	for _, args := range pipeReaders() {
		for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
			r := servertest.NewRecipient(t)
			if err := unix.Mkfifo(filepath.Join(r.Folder, "pipe"), 0o600); err != nil {
				t.Fatal(err)
			}
			p := r.Program(t, args...)
			p.Env = append(p.Env, "HUSH_SERVER="+s.URL)
			said := servertest.NewOutput()
			p.Stderr = said
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- p.Wait() }()
			servertest.WaitUntil(t, "the wait for the pipe", func() bool { return servertest.OpensPipe(p.Process.Pid) })
			_ = p.Process.Signal(signal)
			servertest.WaitUntil(t, "the end", func() bool { return len(ended) > 0 })
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
		{"collect", "@pipe"}, {"answer", "@pipe"}, {"request", "close", "@pipe"},
		{"login", "--token-file", "pipe"}, {"whoami", "--ca-file", "pipe"}, {"share", "pipe", "--passphrase-file", "pipe"},
		{"answer", "@pipe"}, {"request", "a title", "--note-file", "pipe"}, {"request", "close", "@pipe"},
		{"admin", "restore", "pipe", "--data", "data"}, {"admin", "restore", "none", "-i", "pipe", "--data", "data"},
		{"admin", "account", "import", "pipe", "--data", "data"}, {"admin", "place", "import", "pipe", "--data", "data"},
		{"admin", "backup", "verify", "pipe"}, {"admin", "backup", "verify", "none", "--identity", "pipe"},
		{"admin", "backup", "-o", "made", "--recipients-file", "pipe", "--data", "data"},
	}
}
