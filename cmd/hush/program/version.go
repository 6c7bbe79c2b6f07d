package program

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"hush/cli/command"
)

// version is the release. A build may set another with -ldflags -X.
var version = "0.2.0"

// Version returns the release of this build.
func Version() string { return version }

func (p program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "print the version, and the commit that it was built from", Args: command.Takes(0, 0),
		Example: `# Print the version and the commit
hush version`,
		RunE: func(*cobra.Command, []string) error {
			info, _ := debug.ReadBuildInfo()
			return writeVersion(p.console.Out, info)
		},
	}
}

// writeVersion writes the release, and the commit with its date if the toolchain
// recorded them, which it does in a clone only.
func writeVersion(w io.Writer, info *debug.BuildInfo) error {
	text := version + "\n"
	if info != nil {
		stamp := map[string]string{}
		for _, setting := range info.Settings {
			stamp[setting.Key] = setting.Value
		}
		if revision := stamp["vcs.revision"]; revision != "" {
			if stamp["vcs.modified"] == "true" {
				revision += " with changes"
			}
			text += fmt.Sprintf("commit %s\ndate %s\n", revision, stamp["vcs.time"])
		}
	}
	_, err := io.WriteString(w, text)
	return err
}
