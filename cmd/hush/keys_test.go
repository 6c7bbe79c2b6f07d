package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/routes/apitest"
)

// keys calls a command of "hush admin keys" on the data folder.
func (o operator) keys(args ...string) result {
	o.t.Helper()
	return call(o.t, nil, "", append(append([]string{"admin", "keys"}, args...), append([]string{"--data", o.data}, storeFlags(o.t, o.data, args)...)...)...)
}

// listedKeys are the columns KEY and STATE of "hush admin keys list".
func (o operator) listedKeys() (listed [][2]string) {
	o.t.Helper()
	got := o.keys("list").want(o.t, "admin keys list", command.ExitOK)
	for line := range strings.Lines(got.stdout) {
		if fields := strings.Fields(line); fields[0] != "KEY" {
			listed = append(listed, [2]string{fields[0], fields[1]})
		}
	}
	return listed
}

// An operator rotates the root key while the service runs, and once more while it
// does not. Everything made before opens, and the old key stays as long as
// something needs it.
func TestKeys(t *testing.T) {
	t.Parallel()
	runOnce(t, "about root.key in the data folder")
	s := startHush(t)
	o := operator{t, s.data}
	token := o.account("clerk@example.com")
	d := newDrivers(t, s, nil)[0]
	before := apitest.MustConceal(t, d, apitest.Wish{Secret: "before"})
	first := o.listedKeys()
	if len(first) != 1 || first[0][1] != "current" {
		t.Fatalf("hush admin keys list: got %v, want one current key", first)
	}
	o.keys("rotate").want(t, "admin keys rotate", command.ExitOK, "is the current one")
	wantKeyLines(t, s.data, 2)
	after := apitest.MustConceal(t, d, apitest.Wish{Secret: "after"})
	listed := o.listedKeys()
	if len(listed) != 2 || listed[0][1] != "current" || listed[1] != [2]string{first[0][0], "old"} {
		t.Fatalf("hush admin keys list: got %v, want a new current key before %v", listed, first)
	}
	old := listed[1][0]
	o.keys("retire", old).want(t, "admin keys retire", command.ExitFailure, "another root key took the place of "+old)
	s.stop(t)
	o.keys("rotate").want(t, "admin keys rotate", command.ExitOK, "is the current one")
	wantKeyLines(t, s.data, 3)

	s = startHushOn(t, s.data)
	d = newDrivers(t, s, nil)[0]
	for key, want := range map[string]string{before.SecretKey: "before", after.SecretKey: "after"} {
		d.Reveal(t.Context(), key, "").WantValue(t, "reveal", want)
	}
	if got, err := custid(t, s, token); got != "clerk@example.com" || err != nil {
		t.Errorf("Authcheck(token of before): got %q, %v, want the account", got, err)
	}
	if err := signIn(t, s, "clerk@example.com", "correct horse battery"); err != nil {
		t.Errorf("CreateSession(account of before): got %v, want nil", err)
	}
	wantKeysJSON(t, o)
	exported := call(t, nil, "", "admin", "audit", "export", "--kind=root-key-rotated", "--data", s.data).want(t, "admin audit export", command.ExitOK)
	for i, line := range auditLines(t, exported.stdout) {
		if want := o.listedKeys()[1-i][0]; line["subject_type"] != "root key" || line["subject"] != want {
			t.Errorf("hush admin audit export: got %v, want the rotation to the root key %s", line, want)
		}
	}
	if got := strings.Count(exported.stdout, "\n"); got != 2 {
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

func wantKeysJSON(t *testing.T, o operator) {
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
	got := o.keys("list", "--json").want(t, "admin keys list --json", command.ExitOK)
	if err := json.Unmarshal([]byte(got.stdout), &list); err != nil || len(list.Keys) != 3 || list.Keys[0].State != "current" {
		t.Errorf("hush admin keys list --json: got %v and %s, want three keys, the current one first", err, got.stdout)
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
	runOnce(t, "about root.key in the data folder")
	folder := t.TempDir()
	path, data := filepath.Join(folder, "root.key"), filepath.Join(folder, "data")
	call(t, nil, "", "admin", "keygen", path).want(t, "admin keygen", command.ExitOK)
	only, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := startHushOn(t, data, "--root-key-file", path)
	d := newDrivers(t, s, nil)[0]
	before := apitest.MustConceal(t, d, apitest.Wish{Secret: "before"})
	o := operator{t, data}
	o.keys("rotate").want(t, "admin keys rotate", command.ExitFailure, "hush admin keygen --add")
	call(t, nil, "", "admin", "keygen", "--add", path).want(t, "admin keygen --add", command.ExitOK, "hush admin keys rotate")
	s.stop(t)
	call(t, nil, "", "admin", "keys", "rotate", "--data", data, "--root-key-file", path).want(t, "admin keys rotate", command.ExitOK, "is the current one")

	both, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	replaceKeyFile(t, path, []byte(strings.Replace(string(both), string(only), "", 1)))
	call(t, nil, "", "admin", "keys", "list", "--data", data, "--root-key-file", path).
		want(t, "admin keys list", command.ExitFailure, "the root key file lacks the root key ")
	replaceKeyFile(t, path, both)
	s = startHushOn(t, data, "--root-key-file", path)
	newDrivers(t, s, nil)[0].Reveal(t.Context(), before.SecretKey, "").WantValue(t, "reveal", "before")
}

func replaceKeyFile(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o400); err != nil {
		t.Fatal(err)
	}
}
