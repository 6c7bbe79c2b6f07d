package booted_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hush/routes/apitest"
	"hush/seal"
	"hush/server/servertest"
)

// The program that reads the log ends, and a session or an operator sends SIGHUP. The
// service, which has no terminal, goes on; SIGHUP makes it read its certificate again.
func TestServiceOutlivesItsLog(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the process")
	cert, key, _ := servertest.SelfSigned(t)
	p := servertest.StartProcess(t, servertest.Build(t), filepath.Join(t.TempDir(), "data"), "--log-level=info", "--tls-cert", cert, "--tls-key", key)
	if err := p.Cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	p.Log.WaitFor(t, "read the certificate again")
	if err := p.Cmd.Process.Signal(syscall.SIGPIPE); err != nil {
		t.Fatal(err)
	}
	if err := p.Terminate(t); err != nil {
		t.Errorf("SIGTERM after SIGHUP and SIGPIPE: got %v, want exit code 0; it wrote:\n%s", err, p.Log)
	}
}

// A log that no one reads is no reason to end: the pipe of standard error is closed at
// its other end while the service writes to it.
func TestServiceOutlivesAClosedPipe(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the process")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(t.TempDir(), "s")
	c := exec.Command(servertest.Build(t), "serve", "--store=memory", "--listen=unix:"+socket, "--base-url=http://localhost", "--log-level=debug")
	c.Env, c.Stdout, c.Stderr = []string{}, write, write
	read.Close()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	t.Cleanup(func() { _ = c.Process.Kill() })
	servertest.WaitUntil(t, "the service to listen", func() bool {
		_, err := os.Stat(socket)
		return err == nil || len(ended) > 0
	})
	_ = c.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("hush serve with a closed log: got %v, want exit code 0", err)
		}
	case <-time.After(apitest.Patience):
		t.Fatal("SIGTERM: got no end, want one")
	}
}

// Settings and the root key come from pipes, each of which is read once; and a wait for
// one that no program writes to ends with SIGTERM.
func TestServiceReadsPipes(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the process")
	pipe := func(text string) string {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { read.Close() })
		_, _ = write.WriteString(text)
		write.Close()
		return fmt.Sprintf("/dev/fd/%d", read.Fd())
	}
	s := servertest.Start(t, "--config", pipe("anonymous-create: off\n"), "--root-key-file", pipe(string(seal.NewRootKey().Text())))
	if !strings.Contains(s.Log.String(), "anonymous_create=off") {
		t.Errorf("serve with piped settings: got no anonymous_create=off in the line that sums up what is on:\n%s", s.Log)
	}
	for _, flag := range []string{"--config", "--root-key-file", "--spam-key-file"} {
		dir := t.TempDir()
		fifo := filepath.Join(dir, "pipe")
		if err := unix.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
		c := exec.CommandContext(context.WithoutCancel(t.Context()), servertest.Build(t), "serve", "--listen=127.0.0.1:0", "--data", filepath.Join(dir, "data"), flag, fifo)
		said := servertest.NewOutput()
		c.Env, c.Stderr = []string{}, said
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		t.Cleanup(func() { _ = c.Process.Kill() })
		servertest.WaitUntil(t, "the wait for the pipe", func() bool { return servertest.OpensPipe(c.Process.Pid) })
		_ = c.Process.Signal(syscall.SIGTERM)
		servertest.WaitUntil(t, "the end", func() bool { return len(ended) > 0 })
		if err := <-ended; err != nil || !strings.Contains(said.String(), "interrupted") {
			t.Errorf("hush serve %s FIFO after SIGTERM: got %v, want exit code 0; it wrote:\n%s", flag, err, said)
		}
	}
}

// systemd takes SIGHUP and SIGPIPE for clean ends, after which Restart=on-failure starts
// nothing again.
func TestUnitRestartsTheService(t *testing.T) {
	t.Parallel()
	unit, err := os.ReadFile("../../deploy/systemd/hush.service")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nRestart=always\n", "\nRestartPreventExitStatus=2\n"} {
		if !strings.Contains(string(unit), want) {
			t.Errorf("hush.service: got no line %q", strings.TrimSpace(want))
		}
	}
}
