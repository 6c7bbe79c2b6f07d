package people_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"hush/cli/command"
	"hush/client"
	"hush/client/otstest"
	"hush/cmd/hush/program"
	"hush/server/servertest"
)

// unreadPipe returns a pipe whose reader is gone.
func unreadPipe(t *testing.T) *os.File {
	t.Helper()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	t.Cleanup(func() { writer.Close() })
	return writer
}

// The reader of the link is gone: "hush share --receipt-file rc | true". The secret
// exists, so that its receipt is in the file, and the sender reads what became of the
// link.
func TestShareBehindAClosedPipe(t *testing.T) {
	t.Parallel()
	o, r := useOtherServer(t, otstest.ReleaseV1Only), servertest.NewRecipient(t)
	for _, flags := range [][]string{{"--receipt-file", "rc"}, nil, {"--json"}} {
		c := r.Program(t, append([]string{"share"}, flags...)...)
		c.Env = append(c.Env, "HUSH_SERVER="+o.URL, "HUSH_PROTOCOL=v1")
		c.Stdin, c.Stdout = strings.NewReader("hello"), unreadPipe(t)
		said := servertest.NewOutput()
		c.Stderr = said
		err := c.Run()
		if c.ProcessState.ExitCode() != command.ExitFailure || !strings.Contains(said.String(), "its link could not be printed; the receipt burns it: ") || !strings.Contains(said.String(), "broken pipe") {
			t.Errorf("hush share %q behind a closed pipe: got %v and %s, want exit code 1 and the reason", flags, err, said)
		}
		receipt := said.String()
		if flags != nil && flags[0] == "--receipt-file" {
			text, err := os.ReadFile(filepath.Join(r.Folder, "rc"))
			if err != nil {
				t.Error(err)
			}
			receipt = string(text)
		}
		at := strings.Index(receipt, o.URL+"/private/")
		if at < 0 {
			t.Fatalf("receipt: got %q, want its link", receipt)
		}
		link, err := client.ParseReceiptLink(strings.Fields(receipt[at:])[0])
		if err != nil {
			t.Fatal(err)
		}
		if got, err := o.client.Receipt(t.Context(), link.Keys[0]); err != nil || got.State != client.StateWaiting {
			t.Errorf("receipt: got %v and %s, want that of the secret", err, got.State)
		}
	}
}

// The reader of a content is gone, and no server gives it again.
func TestOpenBehindAClosedPipe(t *testing.T) {
	t.Parallel()
	link, environment, r := onV1(t, nothing)
	c := r.Program(t, "open", link)
	c.Env, c.Stdout = append(c.Env, environment...), unreadPipe(t)
	said := servertest.NewOutput()
	c.Stderr = said
	err := c.Run()
	if c.ProcessState.ExitCode() != command.ExitFailure || !strings.Contains(said.String(), "broken pipe; it cannot be opened again, so the content is in the file") {
		t.Errorf("hush open behind a closed pipe: got %v and %s, want where the content is", err, said)
	}
	wantContent(t, filepath.Join(r.Home, ".local", "state", "hush", "rescued", "secret"), "hello")
}

// What only lists ends without a word when its reader has enough, as other programs do.
func TestListBehindAClosedPipe(t *testing.T) {
	t.Parallel()
	c := servertest.NewRecipient(t).Program(t, "admin", "routes")
	c.Stdout = unreadPipe(t)
	said := servertest.NewOutput()
	c.Stderr = said
	err := c.Run()
	if c.ProcessState.ExitCode() != program.BrokenPipe || said.String() != "" {
		t.Errorf("hush admin routes behind a closed pipe: got %v and %q, want exit code %d and no words", err, said, program.BrokenPipe)
	}
}

// A shell runs commands in a loop. Ctrl-C, which reaches both, ends the loop with the
// first of them, since that ends by the signal.
func TestCtrlCEndsALoop(t *testing.T) {
	t.Parallel()
	r := servertest.NewRecipient(t)
	loop := r.Program(t)
	self := loop.Path
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash: other shells end a loop at Ctrl-C, whatever the program does")
	}
	loop.Path, loop.Args = bash, []string{"bash", "-c", `mkfifo pipe; for i in 1 2 3; do echo "turn $i" >&2; "$0" share pipe; echo "code $?" >&2; done`, self}
	loop.Env = append(loop.Env, "HUSH_SERVER=http://127.0.0.1:1")
	loop.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	said := servertest.NewOutput()
	loop.Stderr = said
	if err := loop.Start(); err != nil {
		t.Fatal(err)
	}
	said.WaitFor(t, "turn 1")
	servertest.WaitUntil(t, "the wait for the pipe", func() bool { return childOpensPipe(loop.Process.Pid) })
	_ = syscall.Kill(-loop.Process.Pid, syscall.SIGINT)
	_ = loop.Wait()
	if got := said.String(); strings.Contains(got, "turn 2") || !strings.Contains(got, "interrupted; nothing was done") {
		t.Errorf("loop after Ctrl-C: got %q, want its end after the first turn", got)
	}
}

// childOpensPipe reports whether a child of a process waits for the other end of a pipe.
func childOpensPipe(pid int) bool {
	return slices.ContainsFunc(childrenOf(pid), servertest.OpensPipe)
}

// childrenOf returns the numbers of the children of a process.
func childrenOf(pid int) (children []int) {
	text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "task", strconv.Itoa(pid), "children"))
	for field := range strings.FieldsSeq(string(text)) {
		if child, err := strconv.Atoi(field); err == nil {
			children = append(children, child)
		}
	}
	return children
}
