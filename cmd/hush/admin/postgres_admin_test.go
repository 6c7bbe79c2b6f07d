package admin_test

import (
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/server/servertest"
)

// An operator calls commands on any machine that has the root key, while nodes
// run and while none does.
func TestOperatorCommandsOnADatabase(t *testing.T) {
	t.Parallel()
	store, key := servertest.NewDatabase(t), servertest.NodeKey(t)
	away := filepath.Join(t.TempDir(), "none")
	at := func(args ...string) servertest.Result {
		t.Helper()
		return servertest.Call(t, nil, "correct horse battery\n", append([]string{"admin"}, append(args, "--store", store, "--root-key-file", key, "--data", away)...)...)
	}
	at("account", "list").Want(t, "admin account list", command.ExitFailure, "holds no data of Hush yet", "hush serve")
	at("account", "create", "first@example.com", "--password-file=-").Want(t, "admin account create", command.ExitOK, "created the account first@example.com")

	s := servertest.Start(t, "--store", store, "--root-key-file", key)
	at("account", "create", "second@example.com", "--password-file=-").Want(t, "admin account create beside a node", command.ExitOK)
	token := strings.TrimSpace(at("token", "create", "second@example.com").Want(t, "admin token create", command.ExitOK).Stdout)
	if got, err := servertest.Custid(t, s, token); err != nil || got != "second@example.com" {
		t.Errorf("token made beside a node: got %q and %v, want it to be good at once", got, err)
	}
	// Through the socket of the node, which needs neither address nor key.
	got := servertest.Call(t, nil, "", "admin", "account", "list", "--data", s.Data).Want(t, "admin account list", command.ExitOK)
	for _, want := range []string{"first@example.com", "second@example.com"} {
		if !strings.Contains(got.Stdout, want) {
			t.Errorf("hush admin account list: got %s, want %s in it", got.Stdout, want)
		}
	}
	s.Stop(t)
	for name, c := range map[string]struct {
		args, environment []string
		want              string
	}{
		"no key":      {[]string{"--store", store}, nil, "there is no root key " + filepath.Join(away, "root.key") + ": name that of the nodes with --root-key-file"},
		"another key": {[]string{"--root-key-file", servertest.NodeKey(t)}, []string{"HUSH_STORE=" + store}, "is not the one that the database"},
		"memory":      {[]string{"--store=memory"}, nil, "a store in memory belongs to the service"},
	} {
		args := append([]string{"admin", "account", "list", "--data", away}, c.args...)
		servertest.Call(t, c.environment, "", args...).Want(t, name, command.ExitFailure, c.want)
	}
}
