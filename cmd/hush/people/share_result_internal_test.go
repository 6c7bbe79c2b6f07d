package people

import (
	"strings"
	"testing"
)

func TestElsewhere(t *testing.T) {
	t.Parallel()
	const (
		leads = "the link leads to "
		plain = "the link begins with http://"
	)
	for name, c := range map[string]struct{ link, server, domain, want string }{
		"the server":              {"https://hush.example", "https://hush.example", "", ""},
		"in capitals":             {"https://HUSH.example", "https://hush.example", "", ""},
		"another port and path":   {"https://hush.example/a", "https://hush.example:8443", "", ""},
		"the domain":              {"https://secrets.example", "https://hush.example", " Secrets.Example. ", ""},
		"this machine":            {"http://127.0.0.1:7143", "http://127.0.0.1:7143", "", ""},
		"https at last":           {"https://hush.example", "http://hush.example", "", ""},
		"another host":            {"https://evil.example", "https://hush.example", "", leads + "evil.example, although the server is hush.example: "},
		"another host and port":   {"https://evil.example:1", "http://127.0.0.1:7143", "", leads + "evil.example:1, although the server is 127.0.0.1:7143: "},
		"the name in it":          {"https://hush.example.evil.example", "https://hush.example", "", leads + "hush.example.evil.example, "},
		"not the domain":          {"https://evil.example", "https://hush.example", "secrets.example", leads + "evil.example, "},
		"no TLS any more":         {"http://hush.example", "https://hush.example", "", plain},
		"another host and no TLS": {"http://evil.example", "https://hush.example", "", leads + "evil.example, "},
	} {
		got := linkHostWarning(c.link, c.server, c.domain)
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("linkHostWarning, %s: got %q, want %q", name, got, c.want)
		}
	}
}
