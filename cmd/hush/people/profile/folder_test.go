package profile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A named pipe in place of a file waits for a program that writes to it, and there
// may be none.
func TestNamedPipesAreRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"profiles.yaml", "credentials.yaml"} {
		s, _ := newStore(t, noKeyring())
		if err := os.MkdirAll(s.folder, 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(s.folder, name)
		if err := unix.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := s.Load()
		if name == "credentials.yaml" {
			_, err = s.Token(t.Context(), Profile{Name: "default", Server: hushExample, Token: PlaceFile})
		}
		if err == nil || !strings.Contains(err.Error(), path+" is not a file") {
			t.Errorf("named pipe as %s: got %v, want an error that names it", name, err)
		}
	}
}
