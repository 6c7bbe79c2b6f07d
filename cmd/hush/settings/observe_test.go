package settings

import (
	"net"
	"testing"
)

func TestAdminListenIsLocal(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"127.0.0.1:0": true, "127.1.2.3:7144": true, "[::1]:7144": true, "localhost:7144": true,
		"unix:/run/hush/metrics.sock": true, "systemd": true, "systemd:metrics": true, "systemd:7144": true, "": true,
		"0.0.0.0:7144": false, "[::]:7144": false, ":7144": false, "10.0.0.1:7144": false, "hush.example:7144": false,
		"localhost.example:7144": false, "127.0.0.1": false, "127.0.0.1:x": false, "unix:": false,
	} {
		if _, err := parse(nil, "--admin-listen="+address); (err == nil) != want {
			t.Errorf("--admin-listen=%s: got %v, want it accepted %t", address, err, want)
		}
	}
	if _, err := parse(nil, "--listen=127.0.0.1:1", "--admin-listen=127.0.0.1:1"); err == nil {
		t.Error("--admin-listen like --listen: got nil, want an error")
	}
}

// A socket that systemd opened may be on another address.
func TestCheckAdminAddr(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		addr net.Addr
		want bool
	}{
		{&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, true}, {&net.TCPAddr{IP: net.IPv6loopback}, true},
		{&net.UnixAddr{Name: "/run/hush/metrics.sock"}, true},
		{&net.TCPAddr{IP: net.IPv4(192, 0, 2, 1)}, false}, {&net.TCPAddr{IP: net.IPv6zero}, false}, {&net.TCPAddr{}, false},
	} {
		if err := CheckAdminAddr(c.addr); (err == nil) != c.want {
			t.Errorf("CheckAdminAddr(%v): got %v, want it accepted %t", c.addr, err, c.want)
		}
	}
}
