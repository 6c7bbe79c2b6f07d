package connections

import (
	"net"
	"syscall"
	"testing"
)

// What waits in the system is bounded, so that a server sees how much its client takes.
func TestBacklog(t *testing.T) {
	t.Parallel()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := NewListener(inner, Limits{Total: 1, PerNetwork: 1, Requests: 1, RequestsPerNetwork: 1})
	defer l.Close()
	client, err := net.Dial("tcp", inner.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer accepted.Close()
	raw, err := accepted.(*conn).Conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	got := 0
	if err := raw.Control(func(fd uintptr) {
		got, _ = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpNotsentLowat)
	}); err != nil || got != backlog {
		t.Errorf("backlog of an accepted connection: got %d, %v, want %d", got, err, backlog)
	}
}
