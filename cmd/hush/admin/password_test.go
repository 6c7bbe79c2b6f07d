package admin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/server/servertest"
)

func TestPasswordFile(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	o := servertest.Operator{T: t, Data: s.Data}
	file := filepath.Join(t.TempDir(), "password")
	for content, password := range map[string]string{
		"correct horse battery":                    "correct horse battery",
		"correct horse battery\n":                  "correct horse battery",
		"correct horse battery\r\nsecond line\n":   "correct horse battery",
		"  spaces count and so do they here  \n\n": "  spaces count and so do they here  ",
	} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		const address = "a@example.com"
		got := o.Ok("", "account", "create", "--password-file", file, address)
		if strings.Contains(got.Stdout+got.Stderr, strings.TrimSpace(password)) {
			t.Errorf("hush admin account create: got %s%s, want no password in it", got.Stdout, got.Stderr)
		}
		if err := servertest.SignIn(t, s, address, password); err != nil {
			t.Errorf("CreateSession with the password of %q: got %v, want nil", content, err)
		}
		o.Ok("", "account", "destroy", "--yes", address)
	}
}

func TestPasswordFileMistakes(t *testing.T) {
	t.Parallel()
	o := servertest.Operator{T: t, Data: servertest.NewFolder(t)}
	file := filepath.Join(t.TempDir(), "password")
	for content, want := range map[string]string{
		"":                                   "the first line is empty",
		"\nsecond line":                      "the first line is empty",
		strings.Repeat("long", 1025):         "the first line is longer than 4096 bytes",
		strings.Repeat("long", 1025) + "\nx": "the first line is longer than 4096 bytes",
	} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		o.Run("", "account", "create", "a@example.com", "--password-file", file).Want(t, "admin account create", command.ExitUsage, "--password-file: reading "+file+": "+want)
		o.Run(content, "account", "create", "a@example.com", "--password-file=-").Want(t, "admin account create", command.ExitUsage, "--password-file: "+want)
	}
	o.Run("", "account", "create", "a@example.com", "--password-file", file+"s").Want(t, "admin account create", command.ExitUsage, "no such file")
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(o.Data); err != nil || len(left) > 0 {
		t.Errorf("admin account create without a password: got %v and %v in the data folder, want nothing", left, err)
	}
	if err := os.WriteFile(file, []byte("correct horse battery\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	o.Run("", "account", "create", "a@example.com", "--password-file", file).
		Want(t, "admin account create", command.ExitOK, "every user of this machine may read "+file)
}
