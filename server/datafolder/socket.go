package datafolder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
)

const (
	// SocketName is the socket's name in the data folder.
	SocketName = "admin.sock"
	// maxSocketPath is the longest path that every system takes for a socket.
	maxSocketPath = 103
)

// ListenAdmin listens on the socket of a data folder, which this process must
// hold: what lies there already was left by one that died. Only the folder's
// owner and the user of the process may connect.
func ListenAdmin(ctx context.Context, folder string) (net.Listener, error) {
	path := filepath.Join(folder, SocketName)
	if err := removeSocket(path); err != nil {
		return nil, err
	}
	owner, err := ownerOf(folder)
	if err != nil {
		return nil, err
	}
	short, release, err := shorten(folder)
	if err != nil {
		return nil, err
	}
	defer release()
	config := net.ListenConfig{Control: ownMode}
	listener, err := config.Listen(ctx, "unix", short)
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w", path, err)
	}
	if unix, ok := listener.(*net.UnixListener); ok {
		unix.SetUnlinkOnClose(false) // the short path does not outlive this function
	}
	if err := restrict(path); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return &adminListener{Listener: listener, path: path, admit: func(conn net.Conn) bool {
		uid, known := peerOf(conn)
		return !known || uid == 0 || uid == owner.uid || uid == uint32(os.Geteuid())
	}}, nil
}

// DialAdmin connects to the socket of a data folder.
func DialAdmin(ctx context.Context, folder string) (net.Conn, error) {
	short, release, err := shorten(folder)
	if err != nil {
		return nil, err
	}
	defer release()
	return new(net.Dialer).DialContext(ctx, "unix", short)
}

// shorten returns a path of the folder's socket that fits a socket's address:
// where its own does not, one through a descriptor of the folder, which is
// good until release.
func shorten(folder string) (path string, release func(), err error) {
	path = filepath.Join(folder, SocketName)
	if len(path) <= maxSocketPath {
		return path, func() {}, nil
	}
	handle, err := os.Open(folder)
	if err != nil {
		return "", nil, err
	}
	path = filepath.Join(descriptors, strconv.Itoa(int(handle.Fd())), SocketName)
	return path, func() { _ = handle.Close() }, nil
}

// removeSocket removes a socket, and nothing else.
func removeSocket(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSocket == 0 {
		return fmt.Errorf("%s is in the way of the socket for commands: it is no socket", path)
	}
	return os.Remove(path)
}

// adminListener drops connections of other users, and removes the socket when it
// is closed.
type adminListener struct {
	net.Listener

	path  string
	admit func(net.Conn) bool
}

// Accept returns the next connection of a user who may connect.
func (l *adminListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil || l.admit(conn) {
			return conn, err
		}
		_ = conn.Close()
	}
}

// Close may be called while the data folder is held only.
func (l *adminListener) Close() error {
	return errors.Join(removeSocket(l.path), l.Listener.Close())
}
