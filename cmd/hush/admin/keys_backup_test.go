package admin_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/routes/apitest"
	"hush/server/servertest"
)

// Backups of before and after a rotation, each restored with the key file of before, of
// after, and without the old key: the data is served with all keys that the backup needs,
// and otherwise nothing is restored, and a key that is missing is named.
func TestRestoreAroundARotation(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about data folders")
	dir, data := t.TempDir(), filepath.Join(t.TempDir(), "data")
	s := servertest.StartOn(t, data)
	o, d := servertest.Operator{T: t, Data: data}, servertest.Drivers(t, s, nil)[0]
	secrets := []apitest.Answer{apitest.MustConceal(t, d, apitest.Terms{Secret: "before"})}
	keyFiles := map[string][]byte{"old key": readKeyFile(t, data)}
	back := func(name string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		servertest.Call(t, nil, "", "admin", "backup", "--plain", "--data", data, "-o", file).Want(t, "admin backup", command.ExitOK)
		return file
	}
	before := back("before")
	old := o.ListedKeys()[0][0]
	o.Keys("rotate").Want(t, "admin keys rotate", command.ExitOK)
	secrets = append(secrets, apitest.MustConceal(t, d, apitest.Terms{Secret: "after"}))
	after := back("after")
	current := o.ListedKeys()[0][0]
	keyFiles["both keys"] = readKeyFile(t, data)
	keyFiles["new key"] = []byte(strings.Replace(string(keyFiles["both keys"]), string(keyFiles["old key"]), "", 1))
	s.Stop(t)
	for i, c := range []struct {
		backup, keys string
		opens        int
		want         string
	}{
		{before, "old key", 1, ""},
		{before, "both keys", 1, ""},
		{before, "new key", 0, "the root key is not the one that the backup was made with; nothing was restored"},
		{after, "both keys", 2, ""},
		{after, "old key", 0, "the root key file lacks the root key " + current + ", which the backup needs; nothing was restored"},
		{after, "new key", 0, "the root key file lacks the root key " + old + ", which the backup needs; nothing was restored"},
	} {
		name, restored := fmt.Sprintf("%s with %s", filepath.Base(c.backup), c.keys), filepath.Join(dir, fmt.Sprint("restored", i))
		file := filepath.Join(restored, "root.key")
		if err := errors.Join(os.Mkdir(restored, 0o700), os.WriteFile(file, keyFiles[c.keys], 0o400)); err != nil {
			t.Fatal(err)
		}
		if c.want != "" {
			verified := servertest.Call(t, nil, "", "admin", "backup", "verify", "--root-key-file", file, c.backup)
			said, _, _ := strings.Cut(c.want, ";")
			said = strings.Replace(said, "that the backup was made with", "of the backup", 1)
			verified.Want(t, "admin backup verify of "+name, command.ExitFailure, said)
			servertest.Call(t, nil, "", "admin", "restore", "--accept-resurrection", "--data", restored, c.backup).Want(t, "admin restore of "+name, command.ExitFailure, c.want)
			if entries, err := os.ReadDir(restored); err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == "hush.db" }) {
				t.Errorf("folder of %s: got %v, %v, want no data", name, entries, err)
			}
			continue
		}
		servertest.Call(t, nil, "", "admin", "backup", "verify", "--root-key-file", file, c.backup).Want(t, "admin backup verify of "+name, command.ExitOK)
		servertest.Call(t, nil, "", "admin", "restore", "--accept-resurrection", "--data", restored, c.backup).Want(t, "admin restore of "+name, command.ExitOK)
		again := servertest.StartOn(t, restored)
		opened := servertest.Drivers(t, again, nil)[0]
		for n, value := range []string{"before", "after"}[:c.opens] {
			opened.Reveal(t.Context(), secrets[n].SecretKey, "").WantValue(t, "reveal of "+name, value)
		}
		again.Stop(t)
	}
}

func readKeyFile(t *testing.T, data string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(data, "root.key"))
	if err != nil {
		t.Fatal(err)
	}
	return content
}
