package people_test

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"hush/server/servertest"
)

// steps are the calls to the system by which "hush open" changes something: files,
// and what the server knows. Go's scheduler writes and reads now and then, too.
var steps = map[string]uint64{
	"flock": unix.SYS_FLOCK, "pwrite": unix.SYS_PWRITE64, "ftruncate": unix.SYS_FTRUNCATE, "fsync": unix.SYS_FSYNC,
	"linkat": unix.SYS_LINKAT, "renameat": unix.SYS_RENAMEAT, "unlinkat": unix.SYS_UNLINKAT,
	"write": unix.SYS_WRITE, "read": unix.SYS_READ,
}

// killAtStep runs a program and kills it, as kill -9 does, when it is about to take a
// step for the nth time, counted from its first flock, before which it changes
// nothing. It returns false if the program ended before.
func killAtStep(c *exec.Cmd, step string, number int) (killed bool, err error) {
	t := tracing{step: steps[step], number: number}
	err = t.run(c)
	return t.killed, err
}

// endTracing ends a test that could not trace a program: where the system forbids
// tracing it is left out, and any other error is a failure.
func endTracing(t *testing.T, err error) {
	t.Helper()
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
		t.Skip("needs ptrace: " + err.Error())
	}
	t.Fatalf("tracing: got %v, want no error", err)
}

// run runs a program and traces it until it has ended.
func (t *tracing) run(c *exec.Cmd) error {
	runtime.LockOSThread() // the one that traces
	defer runtime.UnlockOSThread()
	// In a group of its own: this thread may have other children, which are not its to
	// wait for.
	c.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Setpgid: true}
	if err := c.Start(); err != nil {
		return err
	}
	pid := c.Process.Pid
	defer func() { _ = c.Process.Release() }()
	var status unix.WaitStatus
	if _, err := unix.Wait4(pid, &status, 0, nil); err != nil {
		return err
	}
	options := unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_EXITKILL
	if err := unix.PtraceSetOptions(pid, options); err != nil {
		return err
	}
	if err := unix.PtraceSyscall(pid, 0); err != nil {
		return err
	}
	t.pid, t.inside, t.refusing = pid, map[int]bool{}, map[int]bool{}
	for {
		done, err := t.next()
		if done || err != nil {
			return err
		}
	}
}

// tracing is a program whose calls are counted, those of all its threads together.
type tracing struct {
	pid, number   int
	step          uint64
	refused       []uint64     // calls that the system does not permit
	refusing      map[int]bool // threads that are within such a call
	inside        map[int]bool // threads that are within a call
	begun, killed bool
	count         int
}

// next waits for the next event of a thread. It returns true once the program has
// ended.
func (t *tracing) next() (done bool, err error) {
	var status unix.WaitStatus
	thread, err := unix.Wait4(-t.pid, &status, unix.WALL|unix.WNOTHREAD, nil)
	switch {
	case errors.Is(err, unix.EINTR):
		return false, nil
	case err != nil:
		return true, err
	case status.Exited() || status.Signaled():
		return thread == t.pid, nil
	case !status.Stopped():
		return false, nil
	}
	deliver := 0
	switch signal := status.StopSignal(); {
	case signal == unix.SIGTRAP|0x80:
		if t.inside[thread] = !t.inside[thread]; t.inside[thread] {
			t.enter(thread)
		} else {
			t.leave(thread)
		}
	case signal != unix.SIGTRAP && signal != unix.SIGSTOP:
		deliver = int(signal)
	}
	if err := unix.PtraceSyscall(thread, deliver); err != nil && !errors.Is(err, unix.ESRCH) {
		return true, err
	}
	return false, nil
}

// enter counts a call that a thread is about to make.
func (t *tracing) enter(thread int) {
	var registers unix.PtraceRegs
	if t.killed || unix.PtraceGetRegs(thread, &registers) != nil {
		return
	}
	if slices.Contains(t.refused, registers.Orig_rax) {
		registers.Orig_rax = noCall
		t.refusing[thread] = unix.PtraceSetRegs(thread, &registers) == nil
		return
	}
	t.begun = t.begun || registers.Orig_rax == unix.SYS_FLOCK
	if !t.begun || registers.Orig_rax != t.step {
		return
	}
	if t.count++; t.count == t.number {
		t.killed = true
		_ = unix.Kill(t.pid, unix.SIGKILL)
	}
}

// noCall is the number of no call.
const noCall = ^uint64(0)

// leave gives a call that is refused its result.
func (t *tracing) leave(thread int) {
	var registers unix.PtraceRegs
	if !t.refusing[thread] || unix.PtraceGetRegs(thread, &registers) != nil {
		return
	}
	t.refusing[thread] = false
	registers.Rax = ^uint64(0) - uint64(unix.EPERM) + 1 // its negative
	_ = unix.PtraceSetRegs(thread, &registers)
}

// A file system has files without a name, and gives none a second name, as some of FUSE
// and of other machines do. None of this machine does that, so that the system refuses
// the calls instead. The file is there all the same.
func TestOpenWhereNothingCanBeLinked(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	const content = "hello\n"
	s := servertest.Start(t)
	from := servertest.NewSharer(t, s.URL)
	for _, flags := range [][]string{{"-o", "saved"}, {"-o", "saved", "--overwrite"}} {
		shared, r := from.Text(t, content), servertest.NewRecipient(t)
		c := r.Program(t, append([]string{"open", r.KeepLink(t, shared.Link.Expose())}, flags...)...)
		said := servertest.NewOutput()
		c.Stderr = said
		links := tracing{refused: []uint64{unix.SYS_LINK, unix.SYS_LINKAT}}
		if err := links.run(c); err != nil {
			endTracing(t, err)
		}
		if got, err := os.ReadFile(filepath.Join(r.Folder, "saved")); err != nil || string(got) != content {
			t.Errorf("hush open %s: got %v and %q, want the content; it wrote:\n%s", flags, err, got, said)
		}
		if names := servertest.NamesIn(t, r.Folder); len(names) != 1 {
			t.Errorf("hush open %s: got the files %q, want the one alone", flags, names)
		}
		from.WantDelivered(t, shared)
	}
}

// The power button of a recipient's computer has a bad moment: the program is killed
// at each of its steps, and run again. The content is there once, the sender knows,
// and nothing else is left.
func TestOpenSurvivesKills(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	from := servertest.NewSharer(t, servertest.Start(t, "--rate-limits=off").URL)
	survivesKills(t, "open", func() killedOpening {
		shared := from.Text(t, killedContent)
		return killedOpening{link: shared.Link.Expose(), wantDelivered: func() { from.WantDelivered(t, shared) }}
	})
}

// killedContent is what is opened where the program is killed.
const killedContent = "DATABASE_URL=postgres://app:8Kq-vN2@db/app\n"

// killedOpening is a secret or an answer with killedContent.
type killedOpening struct {
	link string // that opens it
	// wantDelivered checks that its sender knows that it arrived.
	wantDelivered func()
}

// survivesKills kills a command that opens what waits at each of its steps, and runs it
// again.
func survivesKills(t *testing.T, name string, wait func() killedOpening) {
	t.Helper()
	most := servertest.InTier(1, math.MaxInt) // of each step
	for _, flags := range [][]string{{"-o", "saved"}, {"-o", "saved", "--overwrite"}} {
		killed := map[string]int{}
		for step := range steps {
			for killed[step] < most && killAndOpenAgain(t, name, wait(), step, killed[step]+1, flags) && !t.Failed() {
				killed[step]++
			}
		}
		for _, step := range []string{"pwrite", "fsync", "linkat", "unlinkat", "write", "read"} {
			if killed[step] == 0 && !t.Failed() {
				t.Errorf("hush %s %s: got no %s at which to kill it, want one", name, flags, step)
			}
		}
		t.Logf("hush %s %s: killed at %v", name, flags, killed)
	}
}

// killAndOpenAgain opens what waits with a kill at a step, and once more. It returns false
// if the program did not come to that step.
func killAndOpenAgain(t *testing.T, name string, waiting killedOpening, step string, number int, flags []string) bool {
	t.Helper()
	r := servertest.NewRecipient(t)
	args := append([]string{name, r.KeepLink(t, waiting.link)}, flags...)
	saved := filepath.Join(r.Folder, "saved")
	killed, err := killAtStep(r.Program(t, args...), step, number)
	if err != nil {
		endTracing(t, err)
	}
	before, _ := os.ReadFile(saved)
	waited := len(r.Claims(t)) > 0
	again, err := r.Program(t, args...).CombinedOutput()
	// A kill after the last change leaves nothing to do.
	if err != nil && (waited || string(before) != killedContent) {
		t.Errorf("killed at %s %d and run again: got %v, want no error; it wrote:\n%s", step, number, err, again)
	}
	if got, err := os.ReadFile(saved); err != nil || string(got) != killedContent {
		t.Errorf("killed at %s %d and run again: got %v and %q, want the content; it wrote:\n%s", step, number, err, got, again)
	}
	if names := strings.Join(servertest.NamesIn(t, r.Folder), " "); names != "saved" {
		t.Errorf("killed at %s %d and run again: got the files %s, want the one alone", step, number, names)
	}
	if claims := r.Claims(t); len(claims) > 0 {
		t.Errorf("killed at %s %d and run again: got the claims %q, want none", step, number, claims)
	}
	waiting.wantDelivered()
	return killed
}
