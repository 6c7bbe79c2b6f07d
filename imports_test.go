package hush_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "hush"

// directions has the packages of this module that each package may import,
// outside its tests. Names are paths below the module; "x/..." is x and
// everything below it. The longest matching name applies to a package, and a
// package without one is an error.
//
// Above all: the vault knows no wire format, storage knows no vault, routes
// reach the vault only through the handlers' chain, the chain knows no service,
// and nothing imports a command.
var directions = map[string][]string{
	"cmd/hush": {
		"cmd/hush/admin", "cmd/hush/command", "cmd/hush/config", "cmd/hush/console", "cmd/hush/data", "cmd/hush/process", "cmd/hush/server",
		"cmd/hush/backup", "cmd/hush/compact", "cmd/hush/doctor", "cmd/hush/login", "cmd/hush/migrate", "cmd/hush/open", "cmd/hush/receipt", "cmd/hush/restore", "cmd/hush/run", "cmd/hush/settings", "cmd/hush/share", "cmd/hush/store", "handlers", "routes", "seal",
	},
	"cmd/hush/admin": {
		"cmd/hush/command", "cmd/hush/console", "cmd/hush/data", "cmd/hush/flags", "cmd/hush/settings", "crash",
		"gen/...", "handlers", "resolver", "vault", "vault/place",
	},
	"cmd/hush/backup": {
		"backup", "cmd/hush/command", "cmd/hush/console", "cmd/hush/data", "cmd/hush/settings", "gen/...", "seal", "vault/transfer",
	},
	"cmd/hush/command": {"cmd/hush/flags"},
	"cmd/hush/config":  {"cmd/hush/command", "cmd/hush/console", "cmd/hush/flags", "cmd/hush/server", "cmd/hush/settings"},
	"cmd/hush/console": {},
	"cmd/hush/data": {
		"backup", "cmd/hush/console", "cmd/hush/process", "cmd/hush/settings", "seal", "storage", "storage/bolt",
		"storage/memory", "storage/postgres", "storage/spentlog", "vault", "vault/rows", "vault/shares", "vault/spent", "vault/transfer",
	},
	"cmd/hush/store":   {"cmd/hush/command", "cmd/hush/console", "cmd/hush/data", "cmd/hush/settings", "seal", "storage", "vault/transfer"},
	"cmd/hush/compact": {"cmd/hush/command", "cmd/hush/console", "cmd/hush/data", "cmd/hush/settings", "storage/bolt", "vault/doctor", "vault/rows"},
	"cmd/hush/migrate": {"cmd/hush/command", "cmd/hush/console", "cmd/hush/data", "cmd/hush/settings", "storage", "vault", "vault/doctor", "vault/rows"},
	"cmd/hush/doctor": {
		"certificates", "cmd/hush/command", "cmd/hush/console", "cmd/hush/data", "cmd/hush/settings", "seal", "storage/bolt", "storage/postgres", "vault/doctor",
	},
	"cmd/hush/restore": {"backup", "cmd/hush/command", "cmd/hush/console", "cmd/hush/data", "cmd/hush/settings", "seal", "storage", "storage/bolt", "storage/spentlog", "vault", "vault/restoration", "vault/rows", "vault/spent"},
	"cmd/hush/share":   {"client", "cmd/hush/command", "cmd/hush/console", "cmd/hush/flags", "cmd/hush/receipt", "cmd/hush/remote", "web"},
	"cmd/hush/remote":  {"client", "cmd/hush/command", "cmd/hush/console", "cmd/hush/flags", "cmd/hush/profile"},
	"cmd/hush/receipt": {"client", "cmd/hush/command", "cmd/hush/console", "cmd/hush/flags", "cmd/hush/remote"},
	"cmd/hush/pending": {"client"},
	"cmd/hush/reveal":  {"client", "cmd/hush/command", "cmd/hush/console", "cmd/hush/pending", "cmd/hush/remote"},
	"cmd/hush/open":    {"client", "cmd/hush/command", "cmd/hush/console", "cmd/hush/flags", "cmd/hush/pending", "cmd/hush/remote", "cmd/hush/reveal"},
	"cmd/hush/run":     {"client", "cmd/hush/command", "cmd/hush/console", "cmd/hush/flags", "cmd/hush/pending", "cmd/hush/remote", "cmd/hush/reveal"},
	"cmd/hush/login":   {"client", "cmd/hush/command", "cmd/hush/console", "cmd/hush/flags", "cmd/hush/profile", "cmd/hush/remote"},
	"cmd/hush/profile": {"client", "cmd/hush/command", "cmd/hush/console"},
	"client":           {"gen/...", "seal", "seal/chunked", "seal/endtoend"},
	"client/otstest":   {},
	"cmd/hush/flags":   {},
	"cmd/hush/process": {},
	"cmd/hush/server": {
		"backup",
		"certificates", "cmd/hush/console", "cmd/hush/data", "cmd/hush/process", "cmd/hush/settings", "connections", "crash", "handlers",
		"hosts", "locale", "mail", "metrics", "resolver", "routes", "vault", "vault/outbox", "vault/refusal",
	},
	"cmd/hush/settings":     {"backup", "cmd/hush/command", "cmd/hush/flags", "cmd/hush/process", "handlers", "hosts", "mail", "vault/caller", "vault/email"},
	"cmd/hush-load":         {"gen/..."},
	"cmd/hush-openapi":      {"gen/...", "handlers", "openapi/recorded", "routes"},
	"cmd/hush-powerloss":    {"seal", "storage", "storage/bolt", "vault", "vault/caller", "vault/refusal", "vault/secret"},
	"cmd/hush-postgres":     {"storage/postgres/postgrestest"},
	"certificates":          {"crash"},
	"certificates/acmetest": {"resolver/resolvertest"},
	"connections":           {},
	"hosts":                 {},
	"openapi":               {},
	"openapi/recorded":      {},
	"routes":                {"gen/...", "handlers", "handlers/chain", "locale", "routes/call", "routes/pages", "routes/params", "routes/refusal"},
	"routes/call":           {"gen/...", "handlers/chain", "locale", "routes/params", "routes/refusal"},
	"routes/pages":          {"gen/...", "handlers", "handlers/chain", "locale", "openapi", "routes/call", "routes/params", "routes/refusal", "web"},
	"routes/params":         {"routes/refusal"},
	"routes/refusal":        {"gen/...", "locale"},
	"web":                   {},
	"handlers": {
		"gen/...", "handlers/chain", "hosts", "locale", "vault", "vault/account", "vault/caller", "vault/challenge",
		"vault/credential", "vault/domain", "vault/feedback", "vault/outbox", "vault/place", "vault/refusal", "vault/rootkey",
		"vault/secret", "vault/session",
	},
	"handlers/chain": {
		"crash", "gen/...", "hosts", "locale", "vault/account", "vault/budget", "vault/caller", "vault/domain", "vault/email",
		"vault/refusal", "vault/session",
	},
	"crash":                 {},
	"testtier":              {},
	"scripts/testreport":    {},
	"locale":                {},
	"mail":                  {"hosts", "locale"},
	"metrics":               {"storage"},
	"mail/mailtest":         {},
	"resolver":              {},
	"resolver/resolvertest": {},
	"vault":                 {"crash", "seal", "storage", "vault/account", "vault/budget", "vault/caller", "vault/challenge", "vault/credential", "vault/domain", "vault/email", "vault/feedback", "vault/guess", "vault/outbox", "vault/place", "vault/refusal", "vault/rootkey", "vault/rows", "vault/secret", "vault/session", "vault/shares", "storage/spentlog", "vault/spent", "vault/watch", "vault/claim"},
	"vault/refusal":         {"storage"},
	"vault/caller":          {"seal", "seal/chunked", "seal/padme", "vault/refusal"},
	"vault/rows":            {"seal", "storage", "vault/caller", "vault/refusal"},
	"vault/guess":           {"seal", "vault/caller", "vault/refusal", "vault/rows"},
	"vault/budget":          {"seal", "storage", "vault/caller", "vault/exam", "vault/refusal", "vault/rows"},
	"vault/transfer":        {"crash", "seal", "storage", "vault/account", "vault/budget", "vault/challenge", "vault/credential", "vault/domain", "vault/feedback", "vault/outbox", "vault/place", "vault/rows", "vault/secret", "vault/shares", "vault/spent", "vault/claim", "vault/usage"},
	"vault/exam":            {"seal", "storage", "vault/rows"},
	"vault/doctor":          {"seal", "storage", "vault/account", "vault/budget", "vault/challenge", "vault/credential", "vault/domain", "vault/exam", "vault/feedback", "vault/outbox", "vault/place", "vault/rows", "vault/secret", "vault/shares", "vault/spent", "vault/claim"},
	"vault/rootkey":         {"seal", "storage", "vault/account", "vault/credential", "vault/feedback", "vault/outbox", "vault/rows", "vault/secret", "vault/shares", "vault/claim"},
	"vault/shares":          {"crash", "seal", "storage", "vault/exam", "vault/refusal", "vault/rows", "vault/spent"},
	"vault/spent":           {"storage", "storage/spentlog", "vault/exam", "vault/refusal", "vault/rows"},
	"vault/email":           {"vault/caller", "vault/refusal"},
	"vault/restoration":     {"storage", "vault/account", "vault/credential", "vault/outbox", "vault/rows", "vault/secret", "vault/shares", "vault/spent", "vault/usage"},
	"vault/faulttest":       {},
	"vault/vaulttest":       {"seal", "seal/endtoend", "storage", "storage/bolt", "storage/memory", "storage/postgres/...", "vault", "vault/account", "vault/caller", "vault/credential", "vault/domain", "vault/feedback", "vault/outbox", "vault/refusal", "vault/rootkey", "vault/rows", "vault/secret", "vault/session", "vault/shares", "storage/spentlog", "vault/spent"},
	"vault/challenge":       {"seal", "storage", "vault/caller", "vault/exam", "vault/refusal", "vault/rows"},
	"vault/feedback":        {"seal", "storage", "vault/caller", "vault/challenge", "vault/exam", "vault/refusal", "vault/rows"},
	"vault/outbox":          {"crash", "seal", "storage", "vault/caller", "vault/email", "vault/exam", "vault/refusal", "vault/rows", "vault/shares", "vault/spent"},
	"vault/place":           {"storage", "vault/exam", "vault/refusal", "vault/rows"},
	"vault/recordtest":      {"seal", "vault/rows"},
	"vault/account":         {"seal", "storage", "vault/caller", "vault/challenge", "vault/credential", "vault/email", "vault/guess", "vault/outbox", "vault/exam", "vault/refusal", "vault/rows", "vault/spent"},
	"vault/credential":      {"seal", "storage", "vault/caller", "vault/exam", "vault/refusal", "vault/rows", "vault/spent"},
	"vault/domain":          {"crash", "storage", "vault/account", "vault/caller", "vault/outbox", "vault/exam", "vault/refusal", "vault/rows"},
	"vault/claim":           {"seal", "storage", "vault/exam", "vault/refusal", "vault/rows", "vault/shares", "vault/spent"},
	"vault/usage":           {"seal", "storage", "vault/exam", "vault/rows"},
	"vault/secret":          {"seal", "storage", "vault/account", "vault/caller", "vault/challenge", "vault/credential", "vault/domain", "vault/email", "vault/guess", "vault/outbox", "vault/exam", "vault/refusal", "vault/rows", "vault/session", "vault/shares", "vault/spent", "vault/watch", "vault/claim", "vault/usage"},
	"vault/watch":           {"seal", "storage", "vault/account", "vault/caller", "vault/credential", "vault/rows"},
	"vault/session":         {"seal", "storage", "vault/account", "vault/caller", "vault/credential", "vault/email", "vault/refusal", "vault/rows", "vault/spent"},
	"backup":                {"storage"},
	"storage":               {},
	"storage/bolt/pages":    {},
	"storage/bolt":          {"storage", "storage/bolt/pages", "storage/syncer"},
	"storage/memory":        {"storage"},
	"storage/spentlog":      {"storage", "storage/syncer"},
	"storage/syncer":        {},
	"storage/postgres/...":  {"storage"},
	"storage/storagetest":   {"storage"},
	"seal":                  {},
	"seal/chunked":          {},
	"seal/endtoend":         {"gen/...", "seal", "seal/chunked", "seal/padme"},
	"seal/padme":            {},
	"gen/...":               {"gen/..."},
}

func TestImportsGoOneWay(t *testing.T) {
	readFolders(t)
	packages := listPackages(t)
	if len(packages) == 0 {
		t.Fatal("go list named no package")
	}
	for _, from := range slices.Sorted(maps.Keys(packages)) {
		for _, violation := range violations(from, packages[from]) {
			t.Error(violation)
		}
	}
}

// The check must be able to fail: it must name each of these edges.
func TestForbiddenImportsAreNamed(t *testing.T) {
	for _, edge := range []struct{ from, to string }{
		{"vault", "gen/hush/v1"},
		{"vault", "handlers"},
		{"storage", "vault"},
		{"storage", "storage/bolt"},
		{"storage/bolt", "vault"},
		{"storage/bolt", "storage/postgres"},
		{"routes", "vault"},
		{"routes", "storage"},
		{"handlers", "storage"},
		{"handlers", "routes"},
		{"handlers/chain", "handlers"},
		{"handlers/chain", "vault"},
		{"handlers", "vault/vaulttest"},
		{"vault", "locale"},
		{"vault", "mail"},
		{"vault", "resolver"},
		{"locale", "vault"},
		{"mail", "vault"},
		{"metrics", "vault"},
		{"handlers/chain", "metrics"},
		{"storage/bolt", "metrics"},
		{"mail", "mail/mailtest"},
		{"certificates", "certificates/acmetest"},
		{"cmd/hush/server", "certificates/acmetest"},
		{"resolver", "vault"},
		{"resolver", "resolver/resolvertest"},
		{"routes", "mail"},
		{"handlers", "mail"},
		{"cmd/hush/server", "mail/mailtest"},
		{"cmd/hush/server", "cmd/hush/admin"},
		{"cmd/hush/admin", "cmd/hush/server"},
		{"cmd/hush/settings", "cmd/hush/data"},
		{"cmd/hush/command", "cmd/hush/admin"},
		{"seal", "storage"},
		{"gen/hush/v1", "vault"},
		{"cmd/hush", "cmd/hush-load"},
		{"cmd/hush", "openapi/recorded"},
		{"cmd/hush", "client/otstest"},
		{"client", "client/otstest"},
		{"cmd/hush", "cmd/hush-powerloss"},
		{"cmd/hush-powerloss", "handlers"},
		{"cmd/hush", "vault/vaulttest"},
		{"cmd/hush", "vault"},
		{"vault", "cmd/hush"},
		{"vault", "certificates"},
		{"certificates", "vault"},
	} {
		want := edge.from + " must not import " + edge.to
		got := violations(edge.from, []string{"fmt", path.Join(module, edge.to)})
		if !slices.Equal(got, []string{want}) {
			t.Errorf("violations: got %q, want %q", got, want)
		}
	}
	for _, unknown := range []string{"utils", "vault/internal", "generated"} {
		if got := violations(unknown, nil); len(got) != 1 {
			t.Errorf("violations(%s): got %q, want it refused as unknown", unknown, got)
		}
	}
}

// violations names what is wrong with the imports of one package.
func violations(from string, imports []string) []string {
	allowed, known := directionsOf(from)
	if !known {
		return []string{from + " is not in the table of directions"}
	}
	var found []string
	for _, imported := range imports {
		to, ours := strings.CutPrefix(imported, module+"/")
		fits := func(pattern string) bool { return matches(pattern, to) }
		if ours && !slices.ContainsFunc(allowed, fits) {
			found = append(found, from+" must not import "+to)
		}
	}
	return found
}

// directionsOf returns what from may import.
func directionsOf(from string) (allowed []string, known bool) {
	longest := -1
	for pattern, to := range directions {
		if matches(pattern, from) && len(pattern) > longest {
			allowed, known, longest = to, true, len(pattern)
		}
	}
	return allowed, known
}

func matches(pattern, name string) bool {
	below, tree := strings.CutSuffix(pattern, "/...")
	return name == below || tree && strings.HasPrefix(name, below+"/")
}

// listPackages returns the imports of every package, by its path below the
// module. It leaves out the module's root, which has only tests. Packages that
// do not compile are listed too (-e), since the compiler reports that.
func listPackages(t *testing.T) map[string][]string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Imports", "./...")
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &complaints)
	}
	packages := make(map[string][]string)
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatalf("output of go list: %v", err)
		}
		if name, below := strings.CutPrefix(p.ImportPath, module+"/"); below {
			packages[name] = p.Imports
		}
	}
}

// readFolders opens every folder of the module. The go command repeats a cached
// result while the files that a test opened are unchanged, and cannot know
// which files a child process read.
func readFolders(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if name != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules") {
			return fs.SkipDir
		}
		_, err = os.ReadDir(name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
