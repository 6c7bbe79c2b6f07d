package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/activation"

	"hush/server/settings"
)

const (
	// groupMode lets the group of a socket connect, such as a proxy that is in it,
	// and ownerMode only its owner and root.
	groupMode = 0o660
	ownerMode = 0o600
	// portInterval is how often a taken port is tried again.
	portInterval = 100 * time.Millisecond
)

// sockets opens what the service listens on.
type sockets struct {
	// passed are the sockets that systemd opened for this process, by their names.
	// The sockets of one unit have one name.
	passed map[string][]net.Listener
	wait   time.Duration // for a port that another process has
	log    *slog.Logger
}

// newSockets takes the sockets that systemd passed to this process.
func newSockets(wait time.Duration, log *slog.Logger) (*sockets, error) {
	passed, err := activation.ListenersWithNames()
	if err != nil {
		return nil, fmt.Errorf("taking the sockets of systemd: %w", err)
	}
	return &sockets{passed: passed, wait: wait, log: log}, nil
}

// open listens on an address. A socket that it creates in the file system has the
// mode.
func (k *sockets) open(ctx context.Context, address string, mode os.FileMode) (net.Listener, error) {
	switch kind, place := settings.ParseAddress(address); kind {
	case settings.ListenSystemd:
		listener, err := k.take(place)
		if err != nil {
			return nil, fmt.Errorf("listening on %s: %w", address, err)
		}
		return listener, nil
	case settings.ListenUnix:
		return listenUnix(ctx, place, mode)
	default:
		return k.listenTCP(ctx, place)
	}
}

// listenTCP listens on host:port. It waits for the process that it takes over
// from.
func (k *sockets) listenTCP(ctx context.Context, address string) (net.Listener, error) {
	until := time.Now().Add(k.wait)
	told := k.wait == 0
	for {
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
		if err == nil {
			return listener, nil
		}
		if !errors.Is(err, syscall.EADDRINUSE) || time.Now().After(until) || ctx.Err() != nil {
			return nil, fmt.Errorf("listening: %w", err)
		}
		if !told {
			k.log.Warn("waiting for the process that listens there", "address", address, "at_most", k.wait)
			told = true
		}
		time.Sleep(portInterval)
	}
}

// take returns the socket that systemd passed with a name or a port. An empty one
// takes the only socket.
func (k *sockets) take(which string) (net.Listener, error) {
	var found []taken
	for name, listeners := range k.passed {
		for i, listener := range listeners {
			if which == "" || which == name || which == portOf(listener.Addr()) {
				found = append(found, taken{name, i})
			}
		}
	}
	if len(found) != 1 {
		return nil, k.notOne(which, len(found))
	}
	listener := k.remove(found[0])
	if unix, ok := listener.(*net.UnixListener); ok {
		unix.SetUnlinkOnClose(false) // systemd keeps it
		return localListener{unix}, nil
	}
	return listener, nil
}

// taken is where a socket of systemd is.
type taken struct {
	name string
	at   int
}

func (k *sockets) remove(t taken) net.Listener {
	listener := k.passed[t.name][t.at]
	k.passed[t.name] = slices.Delete(k.passed[t.name], t.at, t.at+1)
	return listener
}

// notOne returns the error for a number of sockets that is not one.
func (k *sockets) notOne(which string, n int) error {
	there := k.unused()
	if len(there) == 0 {
		return errors.New("systemd passed no socket; start the service by its .socket unit")
	}
	if which == "" {
		return fmt.Errorf("systemd passed %d sockets: choose one by its name (FileDescriptorName=) or its port, as in systemd:443; there are %s", n, strings.Join(there, ", "))
	}
	return fmt.Errorf("systemd passed %d sockets with the name (FileDescriptorName=) or port %s; there are %s", n, which, strings.Join(there, ", "))
}

// unused returns the names and ports of the sockets that were passed and not
// taken.
func (k *sockets) unused() (names []string) {
	for _, name := range slices.Sorted(maps.Keys(k.passed)) {
		for _, listener := range k.passed[name] {
			if port := portOf(listener.Addr()); port != "" {
				names = append(names, name+" (port "+port+")")
				continue
			}
			names = append(names, name)
		}
	}
	return names
}

// portOf returns the port of an address, or the empty string if it has none.
func portOf(addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok {
		return strconv.Itoa(tcp.Port)
	}
	return ""
}

// listenUnix listens on a socket in the file system, in the place of one that a
// process that died has left.
func listenUnix(ctx context.Context, path string, mode os.FileMode) (net.Listener, error) {
	if err := removeStale(ctx, path); err != nil {
		return nil, err
	}
	config := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		// On Linux this is the mode of the name, so that it never has a wider one.
		return raw.Control(func(fd uintptr) { _ = syscall.Fchmod(int(fd), uint32(mode)) })
	}}
	listener, err := config.Listen(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("listening: %w", err)
	}
	unix, ok := listener.(*net.UnixListener)
	if !ok {
		return nil, errors.Join(errors.ErrUnsupported, listener.Close())
	}
	if err := os.Chmod(path, mode); err != nil {
		return nil, errors.Join(fmt.Errorf("listening: %w", err), unix.Close())
	}
	return localListener{unix}, nil
}

// removeStale removes a socket on which no process listens.
func removeStale(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	if info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("listening: %s exists and is not a socket", path)
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err == nil {
		return errors.Join(fmt.Errorf("listening: another process listens on %s", path), conn.Close())
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	return nil
}

// localListener accepts connections from this machine. They count as those of
// 127.0.0.1, which --trusted-proxies can name.
type localListener struct{ *net.UnixListener }

// Accept implements net.Listener.
func (l localListener) Accept() (net.Conn, error) {
	conn, err := l.AcceptUnix()
	if err != nil {
		return nil, err
	}
	return localConn{conn}, nil
}

// localConn is a connection from this machine.
type localConn struct{ *net.UnixConn }

// RemoteAddr implements net.Conn.
func (localConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
