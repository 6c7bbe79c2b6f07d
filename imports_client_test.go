package hush_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// clientImports are the packages that package client may import, of this module and
// of others, directly or through its imports. A program that shares a secret does
// not have to contain a server. Names are those of packages; "x/..." is x and
// everything below it.
var clientImports = []string{
	"hush/client", "hush/gen/hush/v1/...", "hush/seal", "hush/seal/chunked", "hush/seal/endtoend", "hush/seal/padme",
	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate",
	"connectrpc.com/connect/...",
	"github.com/altcha-org/altcha-lib-go",
	"golang.org/x/crypto/argon2", "golang.org/x/crypto/blake2b", "golang.org/x/sys/cpu",
	"golang.org/x/text/transform", "golang.org/x/text/unicode/norm",
	"google.golang.org/genproto/googleapis/rpc/errdetails", "google.golang.org/protobuf/...",
}

func TestClientImportsNoServer(t *testing.T) {
	readFolders(t)
	all := listImports(t, "./client")
	if !slices.Contains(all, "hush/seal/endtoend") {
		t.Fatalf("go list: got %q, want what client imports", all)
	}
	for _, name := range strangersOf(all) {
		t.Errorf("client must not import %s", name)
	}
}

// The check must be able to fail: the tests of package client start a server, and
// with them it imports all of these.
func TestImportsOfAServerAreNamed(t *testing.T) {
	readFolders(t)
	strangers := strangersOf(listImports(t, "-test", "./client"))
	for _, name := range []string{
		"hush/handlers", "hush/vault", "hush/storage", "hush/vault/vaulttest", "github.com/go-chi/chi/v5",
		"go.etcd.io/bbolt", "buf.build/go/protovalidate",
	} {
		if !slices.Contains(strangers, name) {
			t.Errorf("got no word about %s, want it named", name)
		}
	}
	others := []string{"hush/cmd/hush/command", "hush/clients", "github.com/spf13/cobra", "github.com/prometheus/client_golang/prometheus", "golang.org/x/crypto/ssh"}
	if got := strangersOf(slices.Concat(others, []string{"fmt", "net/http", "vendor/golang.org/x/net/idna", "hush/seal"})); !slices.Equal(got, others) {
		t.Errorf("strangersOf: got %q, want %q", got, others)
	}
}

// strangersOf returns the packages that package client must not import. Those of the
// standard library have no dot in the first part of their name.
func strangersOf(imports []string) []string {
	return slices.DeleteFunc(slices.Clone(imports), func(name string) bool {
		host, _, _ := strings.Cut(name, "/")
		isStandard := host != module && !strings.Contains(host, ".")
		return isStandard || slices.ContainsFunc(clientImports, func(pattern string) bool { return matches(pattern, name) })
	})
}

// listImports returns what packages import, directly or not, with themselves.
func listImports(t *testing.T, packages ...string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"list", "-deps"}, packages...)...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	return strings.Fields(string(out))
}
