package datafolder_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"hush/server/datafolder"
	"hush/server/settings"
)

// What keeps the data from being opened is named with its setting, without
// opening or creating anything.
func TestCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	err := errors.Join(
		os.Mkdir(in("new"), 0o700), os.Mkdir(in("keyless"), 0o700), os.Mkdir(in("public"), 0o700), os.Symlink("new", in("link")),
		os.WriteFile(in("keyless/"+datafolder.DatabaseName), nil, 0o600), os.WriteFile(in("key"), nil, 0o400),
		os.WriteFile(in("public/"+datafolder.RootKeyName), nil, 0o600), os.Chmod(in("public/"+datafolder.RootKeyName), 0o644),
	)
	if err != nil {
		t.Fatal(err)
	}
	const database = "postgres://hush:geheim@db.example.com/x"
	for name, c := range map[string]struct {
		args []string
		want string // the beginning of the only mistake; empty for none
	}{
		"nothing":             {[]string{"--data", in("missing")}, ""},
		"new folder":          {[]string{"--data", in("new")}, ""},
		"key elsewhere":       {[]string{"--data", in("keyless"), "--root-key-file", in("key")}, ""},
		"memory":              {[]string{"--store=memory", "--data", in("key"), "--root-key-file", in("nothing")}, ""},
		"database":            {[]string{"--store", database, "--data", in("keyless")}, ""},
		"file":                {[]string{"--data", in("key")}, "--data: "},
		"no key beside data":  {[]string{"--data", in("keyless")}, "--data: the root key "},
		"key of everybody":    {[]string{"--data", in("public")}, "--data: every user of this machine may read the root key"},
		"no key file":         {[]string{"--data", in("new"), "--root-key-file", in("nothing")}, "--root-key-file: there is no root key file"},
		"key file is folder":  {[]string{"--data", in("new"), "--root-key-file", in("new")}, "--root-key-file: "},
		"key file, database":  {[]string{"--store", database, "--data", in("new"), "--root-key-file", in("nothing")}, "--root-key-file: there is no root key file"},
		"file, database":      {[]string{"--store", database, "--data", in("key")}, "--data: "},
		"weak TLS":            {[]string{"--store", database + "?sslmode=require", "--data", in("new")}, "--store: opening the database \"x\" on db.example.com: Hush does not use"},
		"unescaped":           {[]string{"--store=postgres://hush:g@e/heim@db.example.com/hush", "--data", in("new")}, "--store: opening the database: the connection string"},
		"metrics":             {[]string{"--data", in("new"), "--admin-listen", "unix:" + in("new/admin.sock")}, "--admin-listen=unix:"},
		"metrics over link":   {[]string{"--data", in("new"), "--admin-listen", "unix:" + in("link/admin.sock")}, "--admin-listen=unix:"},
		"metrics, new folder": {[]string{"--data", in("missing"), "--admin-listen", "unix:" + in("new/../missing/admin.sock")}, "--admin-listen=unix:"},
		"log":                 {[]string{"--data", in("new"), "--spent-log", in("log")}, ""},
		"log is data folder":  {[]string{"--data", in("new"), "--spent-log", in("link")}, "--spent-log: " + in("link") + " is in the data folder"},
		"log in data folder":  {[]string{"--data", in("new"), "--spent-log", in("link/log")}, "--spent-log: " + in("link/log") + " is in the data folder"},
		"log is a file":       {[]string{"--data", in("new"), "--spent-log", in("key")}, "--spent-log: " + in("key") + " is not a folder"},
		"service":             {[]string{"--data", in("new"), "--listen", "unix:" + in("new/admin.sock")}, "--listen=unix:"},
		"another socket":      {[]string{"--data", in("new"), "--admin-listen", "unix:" + in("new/metrics.sock"), "--listen", "unix:" + in("admin.sock")}, ""},
	} {
		command := &cobra.Command{}
		s := settings.Add(command, settings.Names()...)
		if err := command.ParseFlags(c.args); err != nil {
			t.Fatal(err)
		}
		got := datafolder.Check(s)
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0].Error(), c.want)) {
			t.Errorf("%s: Check(%q): got %v, want %q", name, c.args, got, c.want)
		}
		for _, err := range got {
			if strings.Contains(err.Error(), "heim") {
				t.Errorf("%s: Check(%q): got a part of the password in %v", name, c.args, err)
			}
		}
	}
	if _, err := os.Lstat(in("missing")); err == nil {
		t.Error("Check(): got a data folder, want none")
	}
}
