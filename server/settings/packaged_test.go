package settings

import (
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"
)

// A command that names no place looks after the service that a package installed. One that
// names a place must not get the root key or the log of that service.
func TestUsePackaged(t *testing.T) {
	t.Parallel()
	path := writeConfig(t, "data: /var/lib/hush\nspent-log: /mnt/log\n")
	for name, c := range map[string]struct {
		path        string
		environment []string
		args        []string
		want        string // the data folder
	}{
		"no place":         {path, nil, nil, "/var/lib/hush"},
		"a folder":         {path, nil, []string{"--data=x"}, "x"},
		"a database":       {path, nil, []string{"--store=postgres://db/x"}, "./hush-data"},
		"a key":            {path, nil, []string{"--root-key-file=x"}, "./hush-data"},
		"a variable":       {path, []string{"HUSH_DATA=y"}, nil, "y"},
		"another file":     {path, []string{"HUSH_CONFIG=" + writeConfig(t, "data: z")}, nil, "z"},
		"no file":          {filepath.Join(t.TempDir(), "none"), nil, nil, "./hush-data"},
		"another variable": {path, []string{"HUSH_LISTEN=:80"}, nil, "/var/lib/hush"},
	} {
		command := &cobra.Command{}
		s := AddExisting(command, "data", "root-key-file", "store", "spent-log")
		if err := command.ParseFlags(c.args); err != nil {
			t.Fatal(err)
		}
		reader := NewReader(c.environment)
		reader.UsePackaged(command.Flags(), c.path)
		_, err := reader.Apply(t.Context(), command.Flags())
		if logged := s.SpentLog != ""; err != nil || s.Data != c.want || logged != (c.want == "/var/lib/hush") {
			t.Errorf("%s: got %v, the data %q and the log %q, want the data %q", name, err, s.Data, s.SpentLog, c.want)
		}
	}
}
