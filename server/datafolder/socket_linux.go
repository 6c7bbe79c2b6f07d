package datafolder

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// descriptors is where the system shows a process what it has open.
const descriptors = "/proc/self/fd"

// peerOf asks the system who connected.
func peerOf(conn net.Conn) (uid uint32, known bool) {
	local, ok := conn.(*net.UnixConn)
	if !ok {
		return noUser, true
	}
	raw, err := local.SyscallConn()
	if err != nil {
		return noUser, true
	}
	uid = noUser
	err = raw.Control(func(fd uintptr) {
		if peer, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			uid = peer.Uid
		}
	})
	if err != nil {
		return noUser, true
	}
	return uid, true
}

// noUser is the number of no user.
const noUser = ^uint32(0)

// ownMode gives a socket its mode before it has a name, so that it never has
// another one.
func ownMode(_, _ string, raw syscall.RawConn) error {
	var failed error
	err := raw.Control(func(fd uintptr) { failed = unix.Fchmod(int(fd), 0o600) })
	if err != nil {
		return err
	}
	return failed
}

// restrict has nothing left to do.
func restrict(string) error { return nil }
