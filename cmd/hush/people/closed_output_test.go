package people_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/server/servertest"
)

// A supervisor starts the program with standard output closed. The content of a secret
// that is opened would be lost, and the program would end as if it were not.
func TestClosedOutput(t *testing.T) {
	t.Parallel()
	p := newSender(t, servertest.Start(t))
	shared := p.share("hunter2", "-")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.WriteFile(link, []byte(shared.Stdout), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"open", "@" + link}, {"open", "@" + link, "-o", "-"}, {"open", "@" + link, "--json"}, {"share", link}} {
		c := exec.CommandContext(t.Context(), "/bin/sh", slices.Concat([]string{"-c", `exec "$@" >&-`, "sh", os.Args[0]}, args)...)
		c.Env = slices.Concat([]string{servertest.AsProgram + "=1"}, p.environment)
		said, _ := c.CombinedOutput()
		if code := c.ProcessState.ExitCode(); code != command.ExitUsage || !strings.Contains(string(said), "standard output is closed") {
			t.Errorf("hush %q without standard output: got exit code %d and %q, want %d and the reason", args, code, said, command.ExitUsage)
		}
	}
	if got := p.open(shared, "").Content; string(got.Bytes) != "hunter2" {
		t.Errorf("Open: got %q, want what still waits", got.Bytes)
	}
}
