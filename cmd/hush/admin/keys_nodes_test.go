package admin_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/routes/apitest"
	"hush/server/servertest"
)

// keyNodes are nodes of one database, each with root.key in its own folder.
type keyNodes struct {
	store string
	dir   string
}

func (k keyNodes) folder(name string) string { return filepath.Join(k.dir, name) }

// give puts the keys of node a into the file of another.
func (k keyNodes) give(t *testing.T, to string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(k.folder("a"), "root.key"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(k.folder(to), "root.key")
	if err := errors.Join(os.MkdirAll(k.folder(to), 0o700), os.WriteFile(file+".copy", content, 0o400), os.Rename(file+".copy", file)); err != nil {
		t.Fatal(err)
	}
}

func (k keyNodes) flags(name string) []string {
	return []string{"--store", k.store, "--node-name", name, "--rate-limits=off"}
}

// keys calls a command of "hush admin keys" on a node.
func (k keyNodes) keys(t *testing.T, node string, args ...string) servertest.Result {
	t.Helper()
	return servertest.Call(t, nil, "", append(append([]string{"admin", "keys"}, args...), "--data", k.folder(node), "--store", k.store)...)
}

// uses returns how many secrets a root key sealed.
func (k keyNodes) uses(t *testing.T, kid string) int {
	t.Helper()
	listed := k.keys(t, "a", "list").Want(t, "admin keys list", command.ExitOK).Stdout
	match := regexp.MustCompile(`(?m)^` + kid + ` .* (\d+) secrets`).FindStringSubmatch(listed)
	if match == nil {
		return 0
	}
	n, _ := strconv.Atoi(match[1]) // digits
	return n
}

// Two nodes serve while their root key is rotated. It is refused until both hold the new
// key. Then both open all, and seal with the new key, without a restart. A node without
// it does not start.
func TestKeysOfNodes(t *testing.T) {
	t.Parallel()
	k := keyNodes{servertest.NewDatabase(t), t.TempDir()}
	path := servertest.Build(t)
	servertest.Call(t, nil, "", "admin", "keygen", filepath.Join(k.folder(""), "first.key")).Want(t, "admin keygen", command.ExitOK)
	if err := errors.Join(os.Mkdir(k.folder("a"), 0o700), os.Rename(k.folder("first.key"), filepath.Join(k.folder("a"), "root.key"))); err != nil {
		t.Fatal(err)
	}
	k.give(t, "b")
	k.give(t, "late")
	a := servertest.Drivers(t, servertest.StartProcess(t, path, k.folder("a"), k.flags("a")...).Server, nil)[0]
	b := servertest.Drivers(t, servertest.StartProcess(t, path, k.folder("b"), k.flags("b")...).Server, nil)[0]
	before := apitest.MustConceal(t, a, apitest.Terms{Secret: "before"})

	added := servertest.Call(t, nil, "", "admin", "keygen", "--add", filepath.Join(k.folder("a"), "root.key")).Want(t, "admin keygen --add", command.ExitOK)
	kid := regexp.MustCompile(`root key ([0-9a-f]{8}) `).FindStringSubmatch(added.Stderr)[1]
	refused := k.keys(t, "a", "rotate").Want(t, "admin keys rotate", command.ExitFailure, "not all nodes hold the root key "+kid, `"b" (number`)
	if strings.Contains(refused.Stderr, `"a" (number`) {
		t.Errorf("hush admin keys rotate: got %q, want only the node that lacks the key", refused.Stderr)
	}
	k.give(t, "b")
	servertest.WaitUntil(t, "node b to hold the new key", func() bool { return k.keys(t, "a", "rotate").Code == command.ExitOK })
	for _, pair := range [][2]apitest.Driver{{a, b}, {b, a}} {
		kept := apitest.MustConceal(t, pair[0], apitest.Terms{Secret: "kept"})
		pair[1].Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal on the other node", "kept")
	}
	b.Reveal(t.Context(), before.SecretKey, "").WantValue(t, "reveal of before", "before")
	servertest.WaitUntil(t, "node b to seal with the new key", func() bool {
		n := k.uses(t, kid)
		apitest.MustConceal(t, b, apitest.Terms{Secret: "fresh"})
		return k.uses(t, kid) == n+1
	})
	k.keys(t, "b", "rotate", "00000000").Want(t, "admin keys rotate", command.ExitFailure, `no key "00000000" that is not in use yet`)

	late := append([]string{"serve", "--listen=127.0.0.1:0", "--data", k.folder("late")}, k.flags("late")...)
	servertest.Call(t, nil, "", late...).Want(t, "serve", command.ExitFailure, "the root key file lacks the root key "+kid, "put the line with that key into the file")
	k.give(t, "late")
	c := servertest.Drivers(t, servertest.StartProcess(t, path, k.folder("late"), k.flags("late")...).Server, nil)[0]
	kept := apitest.MustConceal(t, c, apitest.Terms{Secret: "kept"})
	a.Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal of what the late node concealed", "kept")
}
