package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/server/servertest"
)

// A wrong value of a flag or variable prevents the start and names itself, so
// that no service runs for a year with a limit that does not apply. The other
// errors of a command line are in testdata/script/usage.txt.
func TestWrongValues(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args        string
		environment []string
		want        string
	}{
		"listen without a port":     {"serve --listen=localhost", nil, `invalid argument "localhost" for "--listen" flag: must be host:port`},
		"listen with a bad port":    {"serve --listen=localhost:65536", nil, "port must be 0 to 65535"},
		"listen with a port's name": {"serve --listen=localhost:http", nil, "port must be 0 to 65535"},
		"base URL without a scheme": {"serve --base-url=hush.example", nil, "for \"--base-url\" flag: must be http:// or https://"},
		"base URL with a path":      {"serve --base-url=https://hush.example/x", nil, "for \"--base-url\" flag"},
		"base URL with a password":  {"serve --base-url=https://a:b@hush.example", nil, "for \"--base-url\" flag"},
		"base URL with a query":     {"serve --base-url=https://hush.example?x", nil, "for \"--base-url\" flag"},
		"rate limits":               {"serve --rate-limits=none", nil, "for \"--rate-limits\" flag: must be one of on, off"},
		"log format":                {"serve --log-format=xml", nil, "for \"--log-format\" flag: must be one of text, json"},
		"log level":                 {"serve --log-level=loud", nil, "for \"--log-level\" flag: must be one of info, debug, warn, error"},
		"trusted proxies":           {"serve --trusted-proxies=10.0.0.0/8,proxy", nil, "for \"--trusted-proxies\" flag: must be addresses or networks"},
		"store":                     {"serve --store=disk", nil, "for \"--store\" flag: must be bolt, memory, or a URL"},
		"too little memory":         {"serve --memory-limit=64MiB", nil, "for \"--memory-limit\" flag: must be 128MiB or more"},
		"memory in the environment": {"serve", []string{"HUSH_MEMORY_LIMIT=1"}, "HUSH_MEMORY_LIMIT: must be 128MiB or more"},
		"identity as a recipient":   {"serve --backup-recipient=AGE-SECRET-KEY-1", nil, "invalid argument for \"--backup-recipient\" flag: must be recipients"},
		"no bytes":                  {"serve --max-bytes=0", nil, "for \"--max-bytes\" flag: must be a number of bytes"},
		"negative bytes":            {"serve --max-bytes=-1", nil, "for \"--max-bytes\" flag: must be a number of bytes"},
		"bytes without end":         {"serve --max-bytes=99999999999GiB", nil, "for \"--max-bytes\" flag: must be a number of bytes"},
		"no room for a secret":      {"serve --max-bytes=2047KiB", nil, "for \"--max-bytes\" flag: must be 2MiB or more"},
		"no room of an account":     {"serve --max-account-bytes=64", nil, "for \"--max-account-bytes\" flag: must be 2MiB or more"},
		"no room of a network":      {"serve", []string{"HUSH_MAX_NETWORK_BYTES=1MiB"}, "HUSH_MAX_NETWORK_BYTES: must be 2MiB or more"},
		"bad variable of a number":  {"serve", []string{"HUSH_MAX_BYTES=much"}, "HUSH_MAX_BYTES: must be a number of bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// If it starts after all, nothing of this folder changes.
			args := append(strings.Fields(c.args), "--data="+filepath.Join(t.TempDir(), "data"))
			got := servertest.Call(t, c.environment, "", args...).Want(t, c.args, command.ExitUsage, c.want, "Try: hush ", "--help")
			if got.Stdout != "" {
				t.Errorf("hush %s: got %q on standard output, want nothing", c.args, got.Stdout)
			}
		})
	}
}

func TestKeygen(t *testing.T) {
	t.Parallel()
	first, second := servertest.Call(t, nil, "", "admin", "keygen").Stdout, servertest.Call(t, nil, "", "admin", "keygen").Stdout
	if len(first) != 65 || first == second {
		t.Errorf("hush admin keygen: got %d characters, equal %t, want 64 digits and a newline, never the same", len(first), first == second)
	}
	path := filepath.Join(t.TempDir(), "key")
	servertest.Call(t, nil, "", "admin", "keygen", path).Want(t, "admin keygen", command.ExitOK, "wrote a root key to "+path)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o400 {
		t.Errorf("hush admin keygen FILE: got mode %v and %v, want 0400", info.Mode(), err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	servertest.Call(t, nil, "", "admin", "keygen", path).Want(t, "admin keygen", command.ExitFailure, "hush: the file "+path+" exists already, and keygen overwrites none")
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("hush admin keygen over a key: got %v and another content, want the old one", err)
	}
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	got := servertest.Call(t, nil, "", "admin", "routes").Want(t, "admin routes", command.ExitOK)
	for _, want := range []string{"/api/v1/share", "/api/v2/secret/conceal", "/api/v1/private/recent", "/secret/{key}", "ConcealSecret", "RevealSecret"} {
		if !strings.Contains(got.Stdout, want) {
			t.Errorf("hush admin routes: got no %s, want it in:\n%s", want, got.Stdout)
		}
	}
}

func TestHealthcheck(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	got := servertest.Call(t, nil, "", "healthcheck", "--listen", s.Addr).Want(t, "healthcheck", command.ExitOK)
	if got.Stdout != "ok\n" {
		t.Errorf("hush healthcheck: got %q, want ok", got.Stdout)
	}
	s.Stop(t)
	servertest.Call(t, nil, "", "healthcheck", "--listen", s.Addr).Want(t, "healthcheck", command.ExitFailure, "no response")
}
