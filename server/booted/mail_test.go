package booted_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/server/servertest"
)

// A mistake in the settings of mail stops the start.
func TestMailMistakes(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("hunter2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"--smtp-host=smtp.example.com:25 --mail-from=a@example.com --smtp-tls=none":                                      "--smtp-tls: mail without TLS",
		"--smtp-host=smtp.example.com:25 --mail-from=nobody":                                                             "--mail-from: mail sender is not one address",
		"--smtp-host=smtp.example.com:25 --mail-from=a@example.com --smtp-user=me --smtp-password-file=" + file + ".not": "no such file",
	} {
		data := filepath.Join(t.TempDir(), "data")
		flags := append([]string{"serve", "--listen=127.0.0.1:0", "--data", data}, strings.Fields(args)...)
		got := servertest.Call(t, nil, "", flags...).Want(t, "serve "+args, command.ExitFailure, want)
		if strings.Contains(got.Stderr, "hunter2") {
			t.Errorf("hush serve: got %s, want no password in it", got.Stderr)
		}
		if _, err := os.Stat(data); err == nil {
			t.Errorf("hush serve %s: got a data folder, want nothing done", args)
		}
	}
}
