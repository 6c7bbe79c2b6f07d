package hush_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// clientImports are the packages that the client may import, of this module and of
// others, directly or through its imports. A program that shares a secret does
// not have to contain a server. Names are those of packages; "x/..." is x and
// everything below it.
var clientImports = []string{
	"hush/client", "hush/client/attempt", "hush/client/hush", "hush/client/onetime", "hush/client/protocols",
	"hush/gen/hush/v1/...", "hush/seal", "hush/seal/chunked", "hush/seal/endtoend", "hush/seal/request",
	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate",
	"connectrpc.com/connect/...",
	"github.com/altcha-org/altcha-lib-go",
	"golang.org/x/crypto/argon2", "golang.org/x/crypto/blake2b", "golang.org/x/sys/cpu",
	"golang.org/x/text/transform", "golang.org/x/text/unicode/norm",
	"google.golang.org/genproto/googleapis/rpc/errdetails", "google.golang.org/protobuf/...",
}

func TestClientImportsNoServer(t *testing.T) {
	readFolders(t)
	all := allImports(goPackages(t), goPackages(t)["hush/client/protocols"].Imports)
	if !slices.Contains(all, "hush/seal/endtoend") {
		t.Fatalf("allImports: got %q, want what client/protocols imports", all)
	}
	for _, name := range strangersOf(all) {
		t.Errorf("client must not import %s", name)
	}
}

// The check must be able to fail: the tests of client/protocols start a server, and
// with them it imports all of these.
func TestImportsOfAServerAreNamed(t *testing.T) {
	readFolders(t)
	client := goPackages(t)["hush/client/protocols"]
	strangers := strangersOf(allImports(goPackages(t), slices.Concat(client.TestImports, client.XTestImports)))
	for _, name := range []string{
		"hush/handlers", "hush/vault", "hush/storage", "hush/vault/vaulttest", "github.com/go-chi/chi/v5",
		"go.etcd.io/bbolt", "buf.build/go/protovalidate",
	} {
		if !slices.Contains(strangers, name) {
			t.Errorf("got no word about %s, want it named", name)
		}
	}
	others := []string{"hush/cli/command", "hush/client/otstest", "hush/clients", "github.com/spf13/cobra", "github.com/prometheus/client_golang/prometheus", "golang.org/x/crypto/ssh"}
	if got := strangersOf(slices.Concat(others, []string{"fmt", "net/http", "vendor/golang.org/x/net/idna", "hush/seal"})); !slices.Equal(got, others) {
		t.Errorf("strangersOf: got %q, want %q", got, others)
	}
}

// strangersOf returns the packages that the client must not import. Those of the
// standard library have no dot in the first part of their name.
func strangersOf(imports []string) []string {
	return slices.DeleteFunc(slices.Clone(imports), func(name string) bool {
		host, _, _ := strings.Cut(name, "/")
		isStandard := host != module && !strings.Contains(host, ".")
		return isStandard || slices.ContainsFunc(clientImports, func(pattern string) bool { return matches(pattern, name) })
	})
}

// allImports returns the named packages and what they import, directly or not.
func allImports(packages map[string]goPackage, names []string) (all []string) {
	seen := map[string]bool{}
	for rest := names; len(rest) > 0; {
		name := rest[len(rest)-1]
		rest = rest[:len(rest)-1]
		if seen[name] {
			continue
		}
		seen[name] = true
		rest = slices.Concat(rest, packages[name].Imports)
	}
	return slices.Sorted(maps.Keys(seen))
}
