package admin_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hush/cli/command"
	"hush/cmd/hush/program"
	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/storage/disktest"
)

// Nothing is left of a backup for which the disk is too small. It needs the right to
// mount one.
func TestBackupOnFullDisk(t *testing.T) {
	servertest.RunOnce(t, "a data folder")
	s := servertest.Start(t, servertest.InFolder)
	d := servertest.Drivers(t, s, nil)[0]
	for range 4 {
		apitest.MustConceal(t, d, apitest.Terms{Secret: strings.Repeat("long ", 10_000)})
	}
	disk := disktest.Small(t, "64k")
	args := []string{"admin", "backup", "--data", s.Data, "--plain", "-o", filepath.Join(disk, "b")}
	for _, name := range []string{"running", "stopped"} {
		servertest.Call(t, nil, "", args...).Want(t, "admin backup of a service that is "+name, command.ExitFailure, "no space left on device", "nothing is left of the backup")
		if left, err := os.ReadDir(disk); err != nil || len(left) > 0 {
			t.Errorf("files: got %v, %v, want none", left, err)
		}
		if name == "running" {
			s.Stop(t)
		}
	}
}

// The operator ends a backup in the middle. It leaves nothing, and says so.
func TestBackupIsInterrupted(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "a data folder")
	path, dir := servertest.Build(t), t.TempDir()
	p := servertest.StartProcess(t, path, filepath.Join(t.TempDir(), "data"), servertest.InFolder)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		if err := p.Cmd.Process.Signal(syscall.SIGSTOP); err != nil { // so that it does not end before
			t.Fatal(err)
		}
		exit, said := interruptBackup(t, signal, dir, path, "admin", "backup", "--data", p.Data, "--plain", "-o", filepath.Join(dir, "b"))
		if exit != program.Signalled+int(signal) || said != "hush: interrupted; no backup was made\n" {
			t.Errorf("hush admin backup after %v: got exit code %d, %q, want that it was interrupted", signal, exit, said)
		}
		awaitFiles(t, dir, 0)
		if err := p.Cmd.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "b")
	servertest.Call(t, nil, "", "admin", "backup", "--data", p.Data, "--plain", "-o", file).Want(t, "admin backup after interrupted ones", command.ExitOK)
	verifyBackup(t, file)
}

// interruptBackup starts a backup and sends it a signal once its file is there, and again
// if it ended before: it waits no longer than a second for a service that does not answer.
func interruptBackup(t *testing.T, signal syscall.Signal, dir, path string, args ...string) (exit int, said string) {
	t.Helper()
	for range 20 {
		c, text := exec.Command(path, args...), &bytes.Buffer{}
		c.Stderr = text
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		servertest.Happens(func() bool {
			found, _ := os.ReadDir(dir)
			return len(found) > 0 || len(ended) > 0
		})
		if err := c.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		<-ended
		exit, said = servertest.ExitOf(c.ProcessState), text.String()
		if !strings.Contains(said, "holds the data folder") {
			return exit, said
		}
	}
	return exit, said
}

// A command that waits for a pipe does not see the first signal. The second one ends
// it.
func TestSecondSignalEndsCommands(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		c := exec.Command(servertest.Build(t), "admin", "backup", "verify", "-")
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		giveUp := time.After(apitest.Patience)
		for again := time.NewTicker(50 * time.Millisecond); ; {
			select {
			case err := <-ended:
				exit, ok := errors.AsType[*exec.ExitError](err)
				if !ok {
					t.Errorf("hush admin backup verify after many %v: got %v, want that it was killed", signal, err)
				} else if status, known := exit.Sys().(syscall.WaitStatus); !known || status.Signal() != signal {
					t.Errorf("hush admin backup verify after many %v: got %v, want that it was killed", signal, err)
				}
			case <-again.C:
				_ = c.Process.Signal(signal)
				continue
			case <-giveUp:
				_ = c.Process.Kill()
				<-ended
				t.Errorf("hush admin backup verify after many %v: got that it still runs, want it ended", signal)
			}
			again.Stop()
			break
		}
	}
}

// awaitFiles waits until a folder has that many files.
func awaitFiles(t *testing.T, dir string, want int) {
	t.Helper()
	var found []os.DirEntry
	if !servertest.Happens(func() bool {
		found, _ = os.ReadDir(dir)
		return len(found) == want
	}) {
		t.Fatalf("files in %s: got %v, want %d", dir, found, want)
	}
}

// A backup is no text for a terminal, plain or not.
func TestBackupIsNotWrittenToTerminals(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "a data folder")
	_, terminal := servertest.OpenTerminal(t)
	var said bytes.Buffer
	for _, to := range []string{"--plain", "--recipient=age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"} {
		said.Reset()
		code := program.Run(t.Context(), []string{"admin", "backup", "--data", newStopped(t), to, "-"}, nil, strings.NewReader(""), terminal, &said)
		if code != command.ExitUsage || !strings.Contains(said.String(), "standard output is a terminal: redirect it") {
			t.Errorf("backup %s to a terminal: got %d, %q, want a refusal", to, code, &said)
		}
	}
}
