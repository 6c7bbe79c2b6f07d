package datafolder

import (
	"os"
	"path/filepath"
	"testing"
)

// Root hands the data folder to the service's user, who put links to files of
// root's there as a trap.
func TestHandOverFollowsNoLink(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("needs root: nobody else gives files away")
	}
	const user = 12345
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	trap := filepath.Join(t.TempDir(), "trap")
	for _, lay := range []func(string, string) error{os.Symlink, os.Link} {
		if err := lay(outside, trap); err != nil {
			t.Fatal(err)
		}
		if err := handOverFile(trap, owner{user, user}); err != nil {
			t.Errorf("handOverFile(link): got %v, want nil", err)
		}
		if got, err := ownerOf(outside); err != nil || got.uid != 0 {
			t.Errorf("what a link leads to: got owner %v and %v, want root", got, err)
		}
		if err := os.Remove(trap); err != nil {
			t.Fatal(err)
		}
	}
}
