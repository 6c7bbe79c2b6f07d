package admin_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/routes/apitest"
	"hush/server/servertest"
)

// An operator rotates the root key while the service runs, and once more while it
// does not. Everything made before opens, and the old key stays as long as
// something needs it.
func TestKeys(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about root.key in the data folder")
	s := servertest.Start(t)
	o := servertest.Operator{T: t, Data: s.Data}
	token := o.Account("clerk@example.com")
	d := servertest.Drivers(t, s, nil)[0]
	before := apitest.MustConceal(t, d, apitest.Terms{Secret: "before"})
	first := o.ListedKeys()
	if len(first) != 1 || first[0][1] != "current" {
		t.Fatalf("hush admin keys list: got %v, want one current key", first)
	}
	o.Keys("rotate").Want(t, "admin keys rotate", command.ExitOK, "is the current one")
	wantKeyLines(t, s.Data, 2)
	after := apitest.MustConceal(t, d, apitest.Terms{Secret: "after"})
	listed := o.ListedKeys()
	if len(listed) != 2 || listed[0][1] != "current" || listed[1] != [2]string{first[0][0], "old"} {
		t.Fatalf("hush admin keys list: got %v, want a new current key before %v", listed, first)
	}
	old := listed[1][0]
	o.Keys("retire", old).Want(t, "admin keys retire", command.ExitFailure, "another root key took the place of "+old)
	s.Stop(t)
	o.Keys("rotate").Want(t, "admin keys rotate", command.ExitOK, "is the current one")
	wantKeyLines(t, s.Data, 3)

	s = servertest.StartOn(t, s.Data)
	d = servertest.Drivers(t, s, nil)[0]
	for key, want := range map[string]string{before.SecretKey: "before", after.SecretKey: "after"} {
		d.Reveal(t.Context(), key, "").WantValue(t, "reveal", want)
	}
	if got, err := servertest.Custid(t, s, token); got != "clerk@example.com" || err != nil {
		t.Errorf("Authcheck(token of before): got %q, %v, want the account", got, err)
	}
	if err := servertest.SignIn(t, s, "clerk@example.com", "correct horse battery"); err != nil {
		t.Errorf("CreateSession(account of before): got %v, want nil", err)
	}
	wantKeysJSON(t, o)
	exported := servertest.Call(t, nil, "", "admin", "audit", "export", "--kind=root-key-rotated", "--data", s.Data).Want(t, "admin audit export", command.ExitOK)
	for i, line := range auditLines(t, exported.Stdout) {
		if want := o.ListedKeys()[1-i][0]; line["subject_type"] != "root key" || line["subject"] != want {
			t.Errorf("hush admin audit export: got %v, want the rotation to the root key %s", line, want)
		}
	}
	if got := strings.Count(exported.Stdout, "\n"); got != 2 {
		t.Errorf("hush admin audit export: got %d rotations, want 2", got)
	}
}

func wantKeyLines(t *testing.T, folder string, want int) {
	t.Helper()
	path := filepath.Join(folder, "root.key")
	text, err := os.ReadFile(path)
	if got := regexp.MustCompile(`(?m)^[0-9a-f]{64}$`).FindAll(text, -1); err != nil || len(got) != want {
		t.Errorf("root.key: got %d keys, %v, want %d", len(got), err, want)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o400 {
		t.Errorf("Stat(root.key): got %v, %v, want the mode 0400", info, err)
	}
}

func wantKeysJSON(t *testing.T, o servertest.Operator) {
	t.Helper()
	var list struct {
		Keys []struct {
			State string
			Uses  []struct {
				Kind, Ends string
				Count      int
			}
		}
	}
	got := o.Keys("list", "--json").Want(t, "admin keys list --json", command.ExitOK)
	if err := json.Unmarshal([]byte(got.Stdout), &list); err != nil || len(list.Keys) != 3 || list.Keys[0].State != "current" {
		t.Errorf("hush admin keys list --json: got %v and %s, want three keys, the current one first", err, got.Stdout)
	}
	kind := regexp.MustCompile("^[a-z_]+$") // as in hush_old_root_key_uses
	for _, key := range list.Keys {
		for _, use := range key.Uses {
			if !kind.MatchString(use.Kind) || use.Ends == "" || use.Count == 0 {
				t.Errorf("hush admin keys list --json: got %+v, want what depends on the key and how it ends", use)
			}
		}
	}
}

// The root key file is the operator's. It must have the new key first, and what is
// missing is named.
func TestKeysOfTheOperator(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about root.key in the data folder")
	folder := t.TempDir()
	path, data := filepath.Join(folder, "root.key"), filepath.Join(folder, "data")
	servertest.Call(t, nil, "", "admin", "keygen", path).Want(t, "admin keygen", command.ExitOK)
	only, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := servertest.StartOn(t, data, "--root-key-file", path)
	d := servertest.Drivers(t, s, nil)[0]
	before := apitest.MustConceal(t, d, apitest.Terms{Secret: "before"})
	o := servertest.Operator{T: t, Data: data}
	o.Keys("rotate").Want(t, "admin keys rotate", command.ExitFailure, "hush admin keygen --add")
	servertest.Call(t, nil, "", "admin", "keygen", "--add", path).Want(t, "admin keygen --add", command.ExitOK, "hush admin keys rotate")
	s.Stop(t)
	servertest.Call(t, nil, "", "admin", "keys", "rotate", "--data", data, "--root-key-file", path).Want(t, "admin keys rotate", command.ExitOK, "is the current one")

	both, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	servertest.Replace(t, path, []byte(strings.Replace(string(both), string(only), "", 1)))
	servertest.Call(t, nil, "", "admin", "keys", "list", "--data", data, "--root-key-file", path).
		Want(t, "admin keys list", command.ExitFailure, "the root key file lacks the root key ")
	servertest.Replace(t, path, both)
	s = servertest.StartOn(t, data, "--root-key-file", path)
	servertest.Drivers(t, s, nil)[0].Reveal(t.Context(), before.SecretKey, "").WantValue(t, "reveal", "before")
}
