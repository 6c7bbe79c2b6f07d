package settings

import (
	"errors"
	"net"

	"hush/cmd/hush/flags"
	"hush/hosts"
)

// observeSettings say how an operator looks into the process.
type observeSettings struct {
	AdminListen string // as ParseAddress reads it; empty for nothing
}

func (s *observeSettings) settings() []setting {
	return []setting{
		{"admin-listen", flags.Example("127.0.0.1:7144", flags.Checked(&s.AdminListen, "",
			"`address` of this machine to serve Prometheus metrics and profiles on: a loopback address with a port, unix:PATH, or systemd:NAME for a socket that systemd opened (default: they are not served)", checkAdminListen))},
	}
}

var errNotLocal = errors.New("must be on this machine: 127.0.0.1:PORT, [::1]:PORT, localhost:PORT, unix:PATH or systemd:NAME; it asks for no password")

func checkAdminListen(text string) error {
	if text == "" {
		return nil
	}
	if err := checkAddress(text); err != nil {
		return err
	}
	kind, place := ParseAddress(text)
	if kind != ListenTCP {
		return nil
	}
	if host, _, err := net.SplitHostPort(place); err != nil || !hosts.IsLoopback(host) {
		return errNotLocal
	}
	return nil
}

// CheckAdminAddr returns an error if a socket, which systemd may have opened, can
// be reached from other machines.
func CheckAdminAddr(addr net.Addr) error {
	tcp, ok := addr.(*net.TCPAddr)
	if ok && !tcp.IP.IsLoopback() {
		return errNotLocal
	}
	return nil
}
