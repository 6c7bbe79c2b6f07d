package servertest

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hush/routes/apitest"
	"hush/server/process"
)

// proc returns the path of what the system says of the process. It skips the test on a
// system that says nothing of any process, such as macOS; where "make check" runs, a skip
// is a failure. That it says nothing of this one, such as because it has ended, is for the
// caller to fail with.
func (p *Process) proc(t testing.TB, name string) string {
	t.Helper()
	if _, err := os.Stat("/proc/self/" + name); err != nil {
		t.Skip("needs /proc: " + err.Error())
	}
	return filepath.Join("/proc", strconv.Itoa(p.Cmd.Process.Pid), name)
}

// Files returns how many files the process has open.
func (p *Process) Files(t testing.TB) int {
	t.Helper()
	return len(p.openFiles(t))
}

// Sockets returns how many connections and listeners the process has.
func (p *Process) Sockets(t testing.TB) int {
	t.Helper()
	found := 0
	for _, file := range p.openFiles(t) {
		// One that was closed meanwhile is none.
		if to, err := os.Readlink(file); err == nil && strings.HasPrefix(to, "socket:") {
			found++
		}
	}
	return found
}

// openFiles returns the links to what the process has open.
func (p *Process) openFiles(t testing.TB) []string {
	t.Helper()
	folder := p.proc(t, "fd")
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatalf("open files of the process: got %v, want a list", err)
	}
	files := make([]string, len(entries))
	for i, entry := range entries {
		files[i] = filepath.Join(folder, entry.Name())
	}
	return files
}

// ProcessorTime returns how long the process has run on processors.
func (p *Process) ProcessorTime(t testing.TB) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(p.proc(t, "stat"))
	if err != nil {
		t.Fatalf("times of the process: got %v, want them", err)
	}
	_, rest, found := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if !found || len(fields) < 13 {
		t.Fatalf("times of the process: got %q, want them", stat)
	}
	var ticks int64
	for _, field := range fields[11:13] { // in the program, and in the system for it
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			t.Fatalf("times of the process: got %v, want numbers", err)
		}
		ticks += n
	}
	return time.Duration(ticks) * (time.Second / 100)
}

// DialFrom connects to the process from an address of this machine's: each one
// in 127.0.0.0/8 is a network of its own. It skips the test on a system that has only
// 127.0.0.1, such as macOS, and where the test may not have that many files open: Go has
// raised its limit to the hard one already, which only an administrator can raise.
func (p *Process) DialFrom(t testing.TB, from string) net.Conn {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: apitest.Patience}
	conn, err := dialer.DialContext(t.Context(), "tcp4", p.Addr)
	// The same error of a connect means that the address has no more ports.
	if call, ok := errors.AsType[*os.SyscallError](err); ok && call.Syscall == "bind" && errors.Is(err, syscall.EADDRNOTAVAIL) {
		t.Skip("needs 127.0.0.0/8: " + from + " is not an address of this machine")
	}
	if limit := process.FileLimit(); errors.Is(err, syscall.EMFILE) && limit < floodFiles {
		t.Skip("needs RLIMIT_NOFILE of " + strconv.Itoa(floodFiles) + ": got " + strconv.Itoa(limit))
	}
	if err != nil {
		t.Fatalf("connecting from %s: got %v, want no error", from, err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// floodFiles is more than the files that any test has open at a time: a flood takes the
// 4,096 connections of the service, and some for those that come after.
const floodFiles = 10_000

// FloodFrom opens n connections and sends the same beginning on each.
func (p *Process) FloodFrom(t testing.TB, from string, n int, beginning string) []net.Conn {
	t.Helper()
	conns := make([]net.Conn, n)
	for i := range conns {
		conns[i] = p.DialFrom(t, from)
		// A connection that was closed for a later one refuses this.
		_, _ = io.WriteString(conns[i], beginning)
	}
	return conns
}

// Memory returns how many KiB of the process are in memory.
func (p *Process) Memory(t testing.TB) int {
	t.Helper()
	return p.sizeOf(t, "VmRSS:")
}

// PeakMemory returns how many KiB of the process were in memory at most, since its start
// or the last ResetPeak.
func (p *Process) PeakMemory(t testing.TB) int {
	t.Helper()
	return p.sizeOf(t, "VmHWM:")
}

// sizeOf returns a size in the status of the process, in KiB.
func (p *Process) sizeOf(t testing.TB, name string) int {
	t.Helper()
	status, err := os.ReadFile(p.proc(t, "status"))
	if err != nil {
		t.Fatalf("status of the process: got %v, want it", err)
	}
	_, text, _ := strings.Cut(string(status), name)
	text, _, _ = strings.Cut(text, "kB")
	size, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		t.Fatalf("%s got %v, want a size", name, err)
	}
	return size
}

// ResetPeak makes what the process has in memory now its peak. It skips the test on a
// system that cannot, or that lets only the process's parent in a container do it.
func (p *Process) ResetPeak(t testing.TB) {
	t.Helper()
	err := os.WriteFile(p.proc(t, "clear_refs"), []byte("5"), 0)
	if errors.Is(err, os.ErrPermission) {
		t.Skip("needs clear_refs: " + err.Error())
	}
	if err != nil {
		t.Fatalf("peak of the process: got %v, want it reset", err)
	}
}

// Goroutines ends the process and returns how many goroutines it had, from the
// traces that it wrote.
func (p *Process) Goroutines(t testing.TB) int {
	t.Helper()
	if err := p.Cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatalf("SIGQUIT: got %v, want no error", err)
	}
	<-p.Exit
	return strings.Count("\n"+p.Log.String(), "\ngoroutine ")
}
