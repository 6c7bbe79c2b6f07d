package main

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hush/routes/apitest"
	"hush/server/settings"
	"hush/testtier"
)

// dialFrom connects to the process from an address of this machine's: each one
// in 127.0.0.0/8 is a network of its own.
func (p *testProcess) dialFrom(t testing.TB, from string) net.Conn {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: apitest.Patience}
	conn, err := dialer.DialContext(t.Context(), "tcp4", p.addr)
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

// floodFrom opens n connections and sends the same beginning on each.
func (p *testProcess) floodFrom(t testing.TB, from string, n int, beginning string) []net.Conn {
	t.Helper()
	conns := make([]net.Conn, n)
	for i := range conns {
		conns[i] = p.dialFrom(t, from)
		// A connection that was closed for a later one refuses this.
		_, _ = io.WriteString(conns[i], beginning)
	}
	return conns
}

// healthy asks for /healthz on a connection.
func healthy(conn net.Conn) error {
	_ = conn.SetDeadline(time.Now().Add(apitest.Patience))
	if _, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		return err
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return errors.New(res.Status)
	}
	return nil
}

// memory returns how many KiB of the process are in memory.
func (p *testProcess) memory(t testing.TB) int {
	t.Helper()
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), "status"))
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

// sockets returns how many connections and listeners the process has.
func (p *testProcess) sockets(t testing.TB) int {
	t.Helper()
	folder := filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), "fd")
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

// goroutines ends the process and returns how many goroutines it had, from the
// traces that it wrote.
func (p *testProcess) goroutines(t testing.TB) int {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatalf("SIGQUIT: got %v, want no error", err)
	}
	<-p.exit
	return strings.Count("\n"+p.log.String(), "\ngoroutine ")
}

// The attack: open every possible connection from one machine and send nothing,
// so that no one else gets in. Its network gets its share. Others get in at
// once, and so do the newest connections of the network itself.
func TestIdleConnectionsLockNobodyOut(t *testing.T) {
	t.Parallel()
	runOnce(t, "about connections")
	testtier.Full(t, "opens thousands of connections, and measures memory of a process")
	for name, beginning := range map[string]string{
		"silence":       "",
		"half a header": "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ",
		"HTTP/2":        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00",
	} {
		t.Run(name, func(t *testing.T) { // one at a time: each takes thousands of files
			p := startProcess(t, realHush(t), filepath.Join(t.TempDir(), "data"))
			before := p.memory(t)
			p.floodFrom(t, "127.0.0.1", settings.MaxConnections, beginning)
			if err := healthy(p.dialFrom(t, "127.0.0.2")); err != nil {
				t.Errorf("another network: got %v, want an answer", err)
			}
			if err := healthy(p.dialFrom(t, "127.0.0.1")); err != nil {
				t.Errorf("the network's newest connection: got %v, want an answer", err)
			}
			const some = 30 // the listeners, and whatever else the process opened
			waitUntil(t, "the connections above the share to be closed", func() bool {
				return p.sockets(t) <= settings.DefaultNetworkConnections+some
			})
			if grown := p.memory(t) - before; grown > 64<<10 {
				t.Errorf("memory of %d idle connections: got %d KiB more, want no more than 64 MiB", settings.MaxConnections, grown)
			}
			if got, most := p.goroutines(t), 4*settings.DefaultNetworkConnections; got > most {
				t.Errorf("goroutines of %d idle connections: got %d, want no more than %d", settings.MaxConnections, got, most)
			}
		})
	}
}

// Sixteen machines fill the total. The next visitor takes a place of theirs.
func TestIdleNetworksLockNobodyOut(t *testing.T) {
	t.Parallel()
	runOnce(t, "about connections")
	p := startProcess(t, realHush(t), filepath.Join(t.TempDir(), "data"))
	first := p.dialFrom(t, "127.0.0.100")
	if err := healthy(first); err != nil {
		t.Fatalf("the first visitor: got %v, want an answer", err)
	}
	for i := range settings.MaxConnections / settings.DefaultNetworkConnections {
		p.floodFrom(t, "127.0.0."+strconv.Itoa(i+1), settings.DefaultNetworkConnections, "")
	}
	for _, from := range []string{"127.0.0.101", "127.0.0.102", "127.0.0.1"} {
		if err := healthy(p.dialFrom(t, from)); err != nil {
			t.Errorf("visitor from %s: got %v, want an answer", from, err)
		}
	}
	if err := healthy(first); err != nil {
		t.Errorf("the first visitor's connection: got %v, want it kept", err)
	}
}

// The attack: begin 900 streams and send half of each request. Each used to
// stay open forever. Now a network has its few places, which count from the
// headers on, and a half-sent request ends with the deadline.
func TestHalfSentStreamsEnd(t *testing.T) {
	t.Parallel()
	runOnce(t, "about connections")
	testtier.Full(t, "waits for deadlines, and measures memory of a process")
	const attack = 900
	p := startProcess(t, realHush(t), filepath.Join(t.TempDir(), "data"), "--max-connections-per-network=1000")
	before := p.memory(t)
	conns := p.floodFrom(t, "127.0.0.1", attack, "POST /hush.v1.MetadataService/WatchMetadata HTTP/1.1\r\nHost: x\r\n"+
		"Content-Type: application/connect+json\r\nContent-Length: 100\r\n\r\n\x00\x00")
	if err := healthy(p.dialFrom(t, "127.0.0.1")); err != nil {
		t.Errorf("a call during the attack: got %v, want an answer", err)
	}
	answers := make(chan string, attack)
	for _, conn := range conns {
		go func() {
			_ = conn.SetReadDeadline(time.Now().Add(apitest.Patience))
			answer, err := io.ReadAll(conn) // until the server closes the connection
			if errors.Is(err, os.ErrDeadlineExceeded) {
				answers <- "pending"
				return
			}
			answers <- string(answer)
		}()
	}
	refused := 0
	for range conns {
		switch answer := <-answers; {
		case answer == "pending":
			t.Fatalf("half-sent stream: got it pending after %s, want it ended", apitest.Patience)
		case strings.Contains(answer, "resource_exhausted"):
			refused++
		}
	}
	if want := attack - 20; refused < want {
		t.Errorf("half-sent streams: got %d refused, want %d", refused, want)
	}
	if grown := p.memory(t) - before; grown > 64<<10 {
		t.Errorf("memory of %d half-sent streams: got %d KiB more, want no more than 64 MiB", attack, grown)
	}
	if got := p.goroutines(t); got > 100 {
		t.Errorf("goroutines after the attack: got %d, want no more than 100", got)
	}
}
