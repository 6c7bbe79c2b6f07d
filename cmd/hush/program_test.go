package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// result is what a run of the program left.
type result struct {
	code           int
	stdout, stderr string
}

// call runs the program in this process. What it is told to do ends by itself.
func call(t testing.TB, environment []string, stdin string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var stdout, stderr bytes.Buffer
	code := run(ctx, args, environment, strings.NewReader(stdin), &stdout, &stderr)
	return result{code, stdout.String(), stderr.String()}
}

// want fails the test unless the run ended with code and wrote the words.
func (r result) want(t testing.TB, call string, code int, stderr ...string) result {
	t.Helper()
	if r.code != code {
		t.Errorf("hush %s: got exit code %d, want %d; it wrote:\n%s", call, r.code, code, r.stderr)
	}
	for _, words := range stderr {
		if !strings.Contains(r.stderr, words) {
			t.Errorf("hush %s: got %q, want %q in it", call, r.stderr, words)
		}
	}
	return r
}

// A mistake in a command line or the environment stops the start and names
// itself, so that nobody runs for a year with a limit that he misspelled.
func TestUsage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args        string
		environment []string
		want        string
	}{
		"no command":                 {"", nil, "a command is missing"},
		"unknown command":            {"server", nil, `unknown command "server"; did you mean "serve"?`},
		"unknown flag":               {"serve --lisen=:1", nil, "unknown flag: --lisen"},
		"flag of another command":    {"keygen --listen=:1", nil, "unknown flag: --listen"},
		"stray argument":             {"serve now", nil, `hush serve: unexpected argument "now"`},
		"listen without a port":      {"serve --listen=localhost", nil, `invalid argument "localhost" for "--listen" flag: must be host:port`},
		"listen with a bad port":     {"serve --listen=localhost:65536", nil, "port must be 0 to 65535"},
		"listen with a port's name":  {"serve --listen=localhost:http", nil, "port must be 0 to 65535"},
		"base URL without a scheme":  {"serve --base-url=hush.example", nil, "for \"--base-url\" flag: must be http:// or https://"},
		"base URL with a path":       {"serve --base-url=https://hush.example/x", nil, "for \"--base-url\" flag"},
		"base URL with a password":   {"serve --base-url=https://a:b@hush.example", nil, "for \"--base-url\" flag"},
		"base URL with a query":      {"serve --base-url=https://hush.example?x", nil, "for \"--base-url\" flag"},
		"rate limits":                {"serve --rate-limits=none", nil, "for \"--rate-limits\" flag: must be one of on, off"},
		"log format":                 {"serve --log-format=xml", nil, "for \"--log-format\" flag: must be one of text, json"},
		"log level":                  {"serve --log-level=loud", nil, "for \"--log-level\" flag: must be one of info, debug, warn, error"},
		"trusted proxies":            {"serve --trusted-proxies=10.0.0.0/8,proxy", nil, "for \"--trusted-proxies\" flag: must be addresses or networks"},
		"store":                      {"serve --store=disk", nil, "for \"--store\" flag: must be one of bolt, memory"},
		"too little memory":          {"serve --memory-limit=64MiB", nil, "for \"--memory-limit\" flag: must be 128MiB or more"},
		"memory in the environment":  {"serve", []string{"HUSH_MEMORY_LIMIT=1"}, "HUSH_MEMORY_LIMIT: must be 128MiB or more"},
		"no bytes":                   {"serve --max-bytes=0", nil, "for \"--max-bytes\" flag: must be a number of bytes"},
		"negative bytes":             {"serve --max-bytes=-1", nil, "for \"--max-bytes\" flag: must be a number of bytes"},
		"bytes without end":          {"serve --max-bytes=99999999999GiB", nil, "for \"--max-bytes\" flag: must be a number of bytes"},
		"TLS without a key":          {"serve --tls-cert=cert.pem", nil, "--tls-cert and --tls-key go together"},
		"unknown variable":           {"serve", []string{"HUSH_LISEN=:1"}, "unknown variable HUSH_LISEN in the environment"},
		"unknown variable elsewhere": {"version", []string{"HUSH_PASSWORD=x"}, "unknown variable HUSH_PASSWORD"},
		"lower-case variable":        {"version", []string{"HUSH_data=x"}, "unknown variable HUSH_data"},
		"bad variable":               {"serve", []string{"HUSH_LISTEN=nowhere"}, "HUSH_LISTEN: must be host:port"},
		"bad variable of a number":   {"serve", []string{"HUSH_MAX_BYTES=much"}, "HUSH_MAX_BYTES: must be a number of bytes"},
		"keygen with two files":      {"keygen a b", nil, "expected at most 1 argument, got 2"},
		"mistyped command":           {"sevre", nil, `hush: unknown command "sevre"; did you mean "serve"?`},
		"flag with one dash":         {"serve -listen=:1", nil, "hush serve: flags begin with two dashes: --listen"},
		"moved command":              {"account create --password-file=- a@example.com", nil, `hush: the command "hush account" is now "hush admin account"`},
		"help of no command":         {"help me", nil, `unknown command "me"`},
		"completion for no shell":    {"completion ksh", nil, `hush completion: unknown command "ksh"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(c.args)
			if len(args) > 0 && args[0] == "serve" {
				// If it starts after all, nothing of this folder changes.
				args = slices.Insert(args, 1, "--data="+filepath.Join(t.TempDir(), "data"))
			}
			got := call(t, c.environment, "", args...).want(t, c.args, exitUsage, c.want, "Try: hush ", "--help")
			if got.stdout != "" {
				t.Errorf("hush %s: got %q on standard output, want nothing", c.args, got.stdout)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"help", "--help", "-h"} {
		got := call(t, nil, "", word).want(t, word, exitOK)
		for _, want := range []string{"Usage: hush COMMAND", "hush serve", "curl -d secret=hello", "HUSH_BASE_URL", "\nAdministration:\n  admin ", "routes", "keygen", "healthcheck", "version", "completion"} {
			if !strings.Contains(got.stdout, want) {
				t.Errorf("hush %s: got %q, want %q in it", word, got.stdout, want)
			}
		}
	}
	for command, wants := range map[string][]string{
		"serve": {
			"Network:\n  --listen host:port   (HUSH_LISTEN)\n", "127.0.0.1:7143", "\nData:\n  --data folder   (HUSH_DATA)\n", "./hush-data", "--root-key-file",
			"\nLimits:\n", "--rate-limits on|off   (HUSH_RATE_LIMITS)\n", "\nMail:\n", "\nProcess:\n", "--log-format", "--log-level", "--trusted-proxies", "--base-url",
		},
		"admin":                {"  account ", "  burn LINK|- ", "while the service runs and while it does not"},
		"admin account":        {"  create ADDRESS ", "  role ADDRESS customer|colonel ", "while the service runs and while it does not"},
		"admin account create": {"[FLAGS] ADDRESS", "\nFlags:\n", "--password-file file\n", "--role customer|colonel\n", "--data folder   (HUSH_DATA)"},
		"admin token":          {"  create ADDRESS ", "  revoke ADDRESS ID|NAME "},
		"admin token create":   {"--scope scopes\n", "--ttl"},
		"admin domain verify":  {"hush admin domain verify [FLAGS] NAME", "--account address\n", "--resolver host:port   (HUSH_RESOLVER)", "HUSH_BASE_URL"},
		"admin burn":           {"LINK|-"},
		"admin place import":   {"--data", "[FLAGS] FILE.csv|-", "--replace\n", "name, latitude (degrees) and altitude"},
		"keygen":               {"[FILE]"},
		"version":              {"Usage: hush version"},
		"routes":               {"Usage: hush routes"},
		"healthcheck":          {"--listen"},
		"completion bash":      {"source <(hush completion bash)"},
	} {
		for _, args := range [][]string{append(strings.Fields(command), "--help"), append([]string{"help"}, strings.Fields(command)...)} {
			got := call(t, nil, "", args...).want(t, strings.Join(args, " "), exitOK)
			for _, want := range wants {
				if !strings.Contains(got.stdout, want) {
					t.Errorf("hush %s: got %q, want %q in it", strings.Join(args, " "), got.stdout, want)
				}
			}
		}
	}
}

// What Kubernetes injects for a Service called hush is nobody's setting, and
// variables of other commands are known to all.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	environment := []string{
		"HUSH_SERVICE_HOST=10.0.0.1", "HUSH_SERVICE_PORT=7143", "HUSH_SERVICE_PORT_HTTP=7143", "HUSH_PORT=tcp://10.0.0.1:7143",
		"HUSH_PORT_7143_TCP=tcp://10.0.0.1:7143", "HUSH_PORT_7143_TCP_ADDR=10.0.0.1", "HUSH_LISTEN=:1", "HUSHED=1", "PATH=/bin",
	}
	got := call(t, environment, "", "version").want(t, "version", exitOK)
	if got.stdout != version+"\n" {
		t.Errorf("hush version: got %q, want %q", got.stdout, version+"\n")
	}
	if got := call(t, environment, "", "--version").want(t, "--version", exitOK); got.stdout != "hush "+version+"\n" {
		t.Errorf("hush --version: got %q, want %q", got.stdout, "hush "+version+"\n")
	}
	data := filepath.Join(t.TempDir(), "by variable")
	call(t, []string{"HUSH_DATA=" + data}, "", "admin", "place", "list").want(t, "admin place list", exitOK, "created the data folder "+data)
	// A flag wins over its variable, even over a bad one.
	other := filepath.Join(t.TempDir(), "by flag")
	call(t, []string{"HUSH_DATA=" + data}, "", "admin", "place", "list", "--data", other).want(t, "admin place list", exitOK, "created the data folder "+other)
}

func TestKeygen(t *testing.T) {
	t.Parallel()
	first, second := call(t, nil, "", "keygen").stdout, call(t, nil, "", "keygen").stdout
	if len(first) != 65 || first == second {
		t.Errorf("hush keygen: got %d characters, equal %t, want 64 digits and a newline, never the same", len(first), first == second)
	}
	path := filepath.Join(t.TempDir(), "key")
	call(t, nil, "", "keygen", path).want(t, "keygen", exitOK, "wrote a root key to "+path)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o400 {
		t.Errorf("hush keygen FILE: got mode %v and %v, want 0400", info.Mode(), err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	call(t, nil, "", "keygen", path).want(t, "keygen", exitFailure, "file exists")
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("hush keygen over a key: got %v and another content, want the old one", err)
	}
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	got := call(t, nil, "", "routes").want(t, "routes", exitOK)
	for _, want := range []string{"/api/v1/share", "/api/v2/secret/conceal", "/api/v1/private/recent", "/secret/{key}", "ConcealSecret", "RevealSecret"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("hush routes: got no %s, want it in:\n%s", want, got.stdout)
		}
	}
}

func TestHealthcheck(t *testing.T) {
	t.Parallel()
	s := startHush(t)
	got := call(t, nil, "", "healthcheck", "--listen", s.addr).want(t, "healthcheck", exitOK)
	if got.stdout != "ok\n" {
		t.Errorf("hush healthcheck: got %q, want ok", got.stdout)
	}
	s.stop(t)
	call(t, nil, "", "healthcheck", "--listen", s.addr).want(t, "healthcheck", exitFailure, "no answer")
}

// An operator starts the service twice. The second process must not touch what
// the first one holds, and say so at once.
func TestSecondProcessIsRefused(t *testing.T) {
	t.Parallel()
	s := startHush(t)
	self, err := os.Executable()
	if err != nil {
		t.Skip("needs executable: " + err.Error())
	}
	cmd := exec.CommandContext(t.Context(), self, "serve", "--listen", "127.0.0.1:0", "--data", s.data)
	cmd.Env = []string{asProgram + "=1"}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitFailure {
		t.Errorf("hush serve: got %v, want exit code %d", err, exitFailure)
	}
	if !strings.Contains(string(out), "the data folder "+s.data+" is in use by another hush: stop that one first") {
		t.Errorf("hush serve: got %q, want it to say who holds the folder", out)
	}
	mustConceal(t, newDrivers(t, s, nil)[0], wish{secret: "still served"})
}
