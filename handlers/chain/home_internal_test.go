package chain

import (
	"net/url"
	"strings"
	"testing"
)

func TestHomeHas(t *testing.T) {
	t.Parallel()
	const machine = "localhost localhost:80 LOCALHOST. 127.0.0.1 127.0.0.1:7143 127.9.8.7:1 [::1] [::1]:7143 [::ffff:127.0.0.1] [0:0:0:0:0:0:0:1]:80"
	for _, c := range []struct {
		base        string
		has, hasNot []string
	}{
		{
			"https://secrets.example",
			[]string{"secrets.example", "secrets.example:443", "secrets.example:8443", "SECRETS.Example", "secrets.example.", "secrets.example.:443"},
			[]string{
				"", ":443", "x.secrets.example", "secrets.example.evil.example", "evilsecrets.example", "example", "secrets.example:443:443",
				"localhost", "127.0.0.1:7143", "[::1]", "secrets.example@evil.example", "secrets..example", "secrets.example..",
			},
		},
		{"https://secrets.example:8443", []string{"secrets.example:8443", "secrets.example"}, []string{"secrets.tenant.example:8443"}},
		{"https://Bücher.example", []string{"xn--bcher-kva.example", "XN--BCHER-KVA.example:443"}, []string{"bucher.example"}},
		{"https://192.0.2.7", []string{"192.0.2.7", "192.0.2.7:443"}, []string{"192.0.2.8", "127.0.0.1", "localhost"}},
		{"https://[2001:DB8::1]", []string{"[2001:db8::1]", "[2001:db8:0::1]:443"}, []string{"[2001:db8::2]", "[::1]"}},
		{"http://127.0.0.1:7143", strings.Fields(machine), []string{"localhost.example", "127.example", "x.localhost", "128.0.0.1", "secrets.tenant.example", "0.0.0.0"}},
		{"http://localhost:3000", strings.Fields(machine), []string{"localhost.tenant.example"}},
		{"http://[::1]:7143", strings.Fields(machine), []string{"[::2]"}},
		{"https://[::]:7143", strings.Fields(machine), []string{"secrets.tenant.example", "192.0.2.7"}},
		{"https://0.0.0.0:7143", strings.Fields(machine), []string{"secrets.tenant.example"}},
	} {
		base, err := url.Parse(c.base)
		if err != nil {
			t.Fatalf("Parse(%s): got %v, want no error", c.base, err)
		}
		for _, host := range c.has {
			if !newHome(base).has(host) {
				t.Errorf("newHome(%s).has(%q): got false, want true", c.base, host)
			}
		}
		for _, host := range c.hasNot {
			if newHome(base).has(host) {
				t.Errorf("newHome(%s).has(%q): got true, want false", c.base, host)
			}
		}
	}
}
