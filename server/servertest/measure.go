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
)

// Files returns how many files the process has open.
func (p *Process) Files(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(p.Cmd.Process.Pid), "fd"))
	if err != nil {
		t.Skip("needs /proc: " + err.Error())
	}
	return len(entries)
}

// ProcessorTime returns how long the process has run on processors.
func (p *Process) ProcessorTime(t *testing.T) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.Cmd.Process.Pid), "stat"))
	if err != nil {
		t.Skip("needs /proc: " + err.Error())
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// DialFrom connects to the process from an address of this machine's: each one
// in 127.0.0.0/8 is a network of its own.
func (p *Process) DialFrom(t testing.TB, from string) net.Conn {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: apitest.Patience}
	conn, err := dialer.DialContext(t.Context(), "tcp4", p.Addr)
	if errors.Is(err, syscall.EADDRNOTAVAIL) {
		t.Skip("needs 127.0.0.0/8: " + from + " is not an address of this machine")
	}
	if errors.Is(err, syscall.EMFILE) {
		t.Skip("needs RLIMIT_NOFILE of 10000: too many open files")
	}
	if err != nil {
		t.Fatalf("connecting from %s: got %v, want no error", from, err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

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
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.Cmd.Process.Pid), "status"))
	if err != nil {
		t.Skip("needs /proc: " + err.Error())
	}
	_, text, _ := strings.Cut(string(status), "VmRSS:")
	text, _, _ = strings.Cut(text, "kB")
	size, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		t.Fatalf("VmRSS: got %v, want a size", err)
	}
	return size
}

// Sockets returns how many connections and listeners the process has.
func (p *Process) Sockets(t testing.TB) int {
	t.Helper()
	folder := filepath.Join("/proc", strconv.Itoa(p.Cmd.Process.Pid), "fd")
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Skip("needs /proc: " + err.Error())
	}
	found := 0
	for _, entry := range entries {
		if to, err := os.Readlink(filepath.Join(folder, entry.Name())); err == nil && strings.HasPrefix(to, "socket:") {
			found++
		}
	}
	return found
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
