package server

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"

	"hush/server/settings"
)

func TestMain(m *testing.M) {
	if os.Getenv(asConfined) != "" {
		tryConfined()
	}
	os.Exit(m.Run())
}

// settingsOf returns the settings of a server with flags.
func settingsOf(t testing.TB, args ...string) *settings.Settings {
	t.Helper()
	c := &cobra.Command{}
	s := settings.Add(c, settings.Names()...)
	if err := c.ParseFlags(args); err != nil {
		t.Fatalf("ParseFlags(%q): got %v, want nil", args, err)
	}
	return s
}

func TestSpamKeyFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("the key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	made, mistakes := newParts(t.Context(), settingsOf(t, "--spam-key-file", file))
	if len(mistakes) > 0 || made.spamKey != "the key" {
		t.Errorf("newParts(t.Context(), --spam-key-file): got %+v and %v, want the file's line", made, mistakes)
	}
}
