package people_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"hush/cli/command"
	"hush/server/servertest"
)

// A sender calls a file .profile. The reader opens it at home and accepts the name with
// Enter: the next shell would run what is in it.
func TestNameThatIsAcceptedHidesNothing(t *testing.T) {
	t.Parallel()
	p := newSender(t, servertest.Start(t))
	shared := p.share("touch pwned\n", "--name", ".profile", "-")
	folder := t.TempDir()
	c := exec.CommandContext(t.Context(), os.Args[0], "open")
	c.Env, c.Dir = slices.Concat([]string{servertest.AsProgram + "=1", "TERM=xterm"}, p.environment), folder
	s := servertest.StartOnTerminal(t, c)
	s.Types("Link: ", shared.Stdout)
	s.Types("If it is a file, save it as (Enter for its own name in this folder, - to print it): ", "\n")
	if code := s.Ends(); code != command.ExitOK {
		t.Errorf("hush open: got exit code %d, want 0; it showed:\n%s", code, s.Shown)
	}
	if _, err := os.Stat(filepath.Join(folder, "profile")); err != nil {
		t.Errorf("hush open: got %v, want the file without its dot", err)
	}
	if _, err := os.Lstat(filepath.Join(folder, ".profile")); err == nil {
		t.Error("hush open: got the file .profile, want none that hides")
	}
}
