package people_test

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"hush/server/servertest"
)

// runningProgram is "hush run" with a shell as its program.
type runningProgram struct {
	cmd   *exec.Cmd
	child int // the number of the shell
	lines *bufio.Scanner
}

// startRunning runs a script with a secret, once that has begun. The script's first
// line is the number of its shell. With a terminal it is in that one's foreground.
func startRunning(t *testing.T, from servertest.Sharer, terminal *os.File, script string) runningProgram {
	t.Helper()
	r := servertest.NewRecipient(t)
	c := r.Program(t, "run", "--secret", "A="+r.KeepLink(t, from.Text(t, "x").Link.Expose()), "--", "/bin/sh", "-c", script)
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if terminal != nil {
		c.Stdin, c.SysProcAttr.Setctty = terminal, true
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("script: got no line, want the number of its shell")
	}
	child, err := strconv.Atoi(lines.Text())
	if err != nil {
		t.Fatal(err)
	}
	return runningProgram{c, child, lines}
}

// wantCode fails the test unless the program ends with an exit code.
func (r runningProgram) wantCode(t *testing.T, about string, want int) {
	t.Helper()
	for r.lines.Scan() { // up to the end
	}
	err := r.cmd.Wait()
	if servertest.ExitOf(r.cmd.ProcessState) != want {
		t.Errorf("hush run, %s: got %v, want exit code %d", about, err, want)
	}
}

// idle waits in a shell, which runs its traps meanwhile.
const idle = `echo $$; while :; do sleep 5 >/dev/null & wait $!; done`

func TestRunPassesSignals(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	s := servertest.Start(t)
	from := servertest.NewSharer(t, s.URL)
	for _, signal := range []syscall.Signal{
		syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH,
	} {
		r := startRunning(t, from, nil, "trap 'exit 3' "+strconv.Itoa(int(signal))+"; "+idle)
		if err := r.cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		r.wantCode(t, signal.String()+" that is caught", 3)
	}
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1} {
		r := startRunning(t, from, nil, idle)
		if err := r.cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		r.wantCode(t, signal.String(), 128+int(signal))
	}
}

// An operator starts a program under nohup and closes the terminal. It goes on, as
// it would without "hush run".
func TestRunLeavesSignalsIgnored(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	r := servertest.NewRecipient(t)
	c := r.Program(t, "run", "--secret", "A="+r.KeepLink(t, servertest.NewSharer(t, s.URL).Text(t, "x").Link.Expose()), "--",
		"/bin/sh", "-c", "kill -HUP $PPID $$; echo alive")
	c.Path, c.Args = "/bin/sh", append([]string{"sh", "-c", `trap "" HUP; exec "$@"`, "sh", c.Path}, c.Args[1:]...)
	out, err := c.Output()
	if err != nil || string(out) != "alive\n" {
		t.Errorf("hush run that ignores SIGHUP: got %q and %v, want a program that does so, too", out, err)
	}
}

// Ctrl-C interrupts the program once, not twice.
func TestRunLeavesKeysToTheTerminal(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	s := servertest.Start(t)
	keyboard, terminal := servertest.OpenTerminal(t)
	r := startRunning(t, servertest.NewSharer(t, s.URL), terminal, `n=0; trap 'n=$((n+1)); echo $n' INT; trap 'exit $((10+n))' USR1; `+idle)
	if _, err := io.WriteString(keyboard, "\x03"); err != nil {
		t.Fatal(err)
	}
	if !r.lines.Scan() || r.lines.Text() != "1" {
		t.Errorf("Ctrl-C: got %q, want the script's answer", r.lines.Text())
	}
	// What comes later comes behind a second one.
	if err := r.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	r.wantCode(t, "Ctrl-C", 11)
}

// state returns the letter that the kernel has for the state of a process.
func state(pid int) string {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return ""
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	return fields[0]
}

// A shell that stops a job stops the program with it, and both go on together.
func TestRunStopsAndGoesOn(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	s := servertest.Start(t)
	r := startRunning(t, servertest.NewSharer(t, s.URL), nil, "trap 'exit 3' TERM; "+idle)
	// A process whose parent is in another session is in no job, and the kernel does
	// not stop it for this signal; its own STOP does.
	if err := r.cmd.Process.Signal(unix.SIGTSTP); err != nil {
		t.Fatal(err)
	}
	servertest.WaitUntil(t, "hush to stop", func() bool { return state(r.cmd.Process.Pid) == "T" })
	if err := r.cmd.Process.Signal(unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	servertest.WaitUntil(t, "hush to go on", func() bool { return state(r.cmd.Process.Pid) != "T" })
	if err := r.cmd.Process.Signal(unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	r.wantCode(t, "stopped and continued", 3)
}
