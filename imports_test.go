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
		"cmd/hush/admin", "cmd/hush/command", "cmd/hush/console", "cmd/hush/data", "cmd/hush/process", "cmd/hush/server",
		"cmd/hush/settings", "handlers", "routes", "seal",
	},
	"cmd/hush/admin": {
		"cmd/hush/command", "cmd/hush/console", "cmd/hush/data", "cmd/hush/flags", "cmd/hush/settings", "gen/...",
		"handlers", "resolver", "vault", "vault/place",
	},
	"cmd/hush/command": {"cmd/hush/flags"},
	"cmd/hush/console": {},
	"cmd/hush/data": {
		"cmd/hush/console", "cmd/hush/process", "cmd/hush/settings", "seal", "storage", "storage/bolt", "storage/memory", "vault",
	},
	"cmd/hush/flags":   {},
	"cmd/hush/process": {},
	"cmd/hush/server": {
		"cmd/hush/console", "cmd/hush/data", "cmd/hush/process", "cmd/hush/settings", "connections", "crash", "handlers",
		"hosts", "locale", "mail", "resolver", "routes", "vault", "vault/outbox", "vault/refusal",
	},
	"cmd/hush/settings":  {"cmd/hush/command", "cmd/hush/flags", "cmd/hush/process", "handlers", "mail", "vault/caller", "vault/email"},
	"cmd/hush-load":      {"gen/..."},
	"cmd/hush-openapi":   {"gen/...", "handlers", "openapi/recorded", "routes"},
	"cmd/hush-powerloss": {"seal", "storage", "storage/bolt", "vault", "vault/caller", "vault/refusal", "vault/secret"},
	"connections":        {},
	"hosts":              {},
	"openapi":            {},
	"openapi/recorded":   {},
	"routes":             {"gen/...", "handlers", "handlers/chain", "locale", "routes/call", "routes/pages", "routes/params", "routes/refusal"},
	"routes/call":        {"gen/...", "handlers/chain", "locale", "routes/params", "routes/refusal"},
	"routes/pages":       {"gen/...", "handlers", "handlers/chain", "locale", "openapi", "routes/call", "routes/params", "routes/refusal", "web"},
	"routes/params":      {"routes/refusal"},
	"routes/refusal":     {"gen/...", "locale"},
	"web":                {},
	"handlers": {
		"gen/...", "handlers/chain", "hosts", "locale", "vault", "vault/account", "vault/caller", "vault/challenge",
		"vault/credential", "vault/domain", "vault/feedback", "vault/outbox", "vault/place", "vault/refusal",
		"vault/secret", "vault/session",
	},
	"handlers/chain": {
		"crash", "gen/...", "hosts", "locale", "vault/account", "vault/caller", "vault/domain", "vault/email",
		"vault/refusal", "vault/session",
	},
	"crash":                 {},
	"locale":                {},
	"mail":                  {"hosts", "locale"},
	"mail/mailtest":         {},
	"resolver":              {},
	"resolver/resolvertest": {},
	"vault":                 {"crash", "seal", "storage", "vault/account", "vault/caller", "vault/challenge", "vault/credential", "vault/domain", "vault/email", "vault/feedback", "vault/guess", "vault/outbox", "vault/place", "vault/refusal", "vault/rows", "vault/secret", "vault/session", "vault/shares"},
	"vault/refusal":         {"storage"},
	"vault/caller":          {"seal", "vault/refusal"},
	"vault/rows":            {"seal", "storage", "vault/caller", "vault/refusal"},
	"vault/guess":           {"seal", "vault/caller", "vault/refusal", "vault/rows"},
	"vault/shares":          {"crash", "seal", "storage", "vault/refusal", "vault/rows"},
	"vault/email":           {"vault/caller", "vault/refusal"},
	"vault/vaulttest":       {"seal", "storage", "storage/bolt", "vault", "vault/account", "vault/caller", "vault/credential", "vault/domain", "vault/feedback", "vault/outbox", "vault/refusal", "vault/rows", "vault/secret", "vault/session", "vault/shares"},
	"vault/challenge":       {"seal", "storage", "vault/caller", "vault/refusal", "vault/rows"},
	"vault/feedback":        {"seal", "storage", "vault/caller", "vault/challenge", "vault/refusal", "vault/rows"},
	"vault/outbox":          {"crash", "seal", "storage", "vault/caller", "vault/email", "vault/refusal", "vault/rows", "vault/shares"},
	"vault/place":           {"storage", "vault/refusal", "vault/rows"},
	"vault/recordtest":      {"seal", "vault/rows"},
	"vault/account":         {"seal", "storage", "vault/caller", "vault/challenge", "vault/credential", "vault/email", "vault/guess", "vault/outbox", "vault/refusal", "vault/rows"},
	"vault/credential":      {"seal", "storage", "vault/caller", "vault/refusal", "vault/rows"},
	"vault/domain":          {"crash", "storage", "vault/account", "vault/caller", "vault/outbox", "vault/refusal", "vault/rows"},
	"vault/secret":          {"seal", "storage", "vault/account", "vault/caller", "vault/challenge", "vault/credential", "vault/domain", "vault/email", "vault/guess", "vault/outbox", "vault/refusal", "vault/rows", "vault/session", "vault/shares"},
	"vault/session":         {"seal", "storage", "vault/account", "vault/caller", "vault/credential", "vault/email", "vault/refusal", "vault/rows"},
	"storage":               {},
	"storage/bolt":          {"storage"},
	"storage/memory":        {"storage"},
	"storage/postgres":      {"storage"},
	"storage/storagetest":   {"storage"},
	"seal":                  {},
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
		{"mail", "mail/mailtest"},
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
		{"cmd/hush", "cmd/hush-powerloss"},
		{"cmd/hush-powerloss", "handlers"},
		{"cmd/hush", "vault/vaulttest"},
		{"cmd/hush", "vault"},
		{"vault", "cmd/hush"},
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
