package admin_test

import (
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/console"
	"hush/cmd/hush/admin"
	"hush/server/settings"
)

// Standard input has one thing: what is read first takes all of it, and the rest would
// look damaged.
func TestStandardInputIsGivenOnce(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"- -i -":          "--identity: standard input has the backup; name a file",
		"- -i id -i -":    "--identity: standard input has the backup; name a file",
		"file -i - -i -":  "--identity: standard input was given twice; name a file",
		"file -i - -i id": "--identity=-: the file has no identity",
	} {
		c := admin.Command(&console.Console{In: strings.NewReader("")}, "", settings.NewReader(nil))
		c.SilenceErrors, c.SilenceUsage = true, true
		c.SetArgs(append(strings.Fields("restore "+args), "--data", filepath.Join(t.TempDir(), "data")))
		if err := c.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("restore %s: got %v, want %s", args, err, want)
		}
	}
}
