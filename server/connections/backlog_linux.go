package connections

import (
	"net"
	"syscall"
)

// backlog is how many bytes of responses wait in the system at most, beside those that
// are on their way. With more, a response would count as sent long before its client
// has it, and over HTTP/2 a ping would wait behind all of them.
const backlog = 64 << 10

// tcpNotsentLowat is TCP_NOTSENT_LOWAT of Linux.
const tcpNotsentLowat = 25

func limitBacklog(c net.Conn) {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return
	}
	if raw, err := tcp.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) {
			_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpNotsentLowat, backlog)
		})
	}
}
