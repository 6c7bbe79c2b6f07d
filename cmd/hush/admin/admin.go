// Package admin is "hush admin", and "hush healthcheck": the commands of those who run a
// service. A file holds the commands for one noun. Those for accounts and secrets call
// the service that holds the data folder over its socket, or, where none runs, the same
// handlers on the folder itself (service.go). The others work on files and whole stores.
package admin

import (
	"context"
	"errors"
	"fmt"

	"connectrpc.com/connect"
	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	"hush/cli/flags"
	"hush/server/settings"
)

// administrator is who calls a command: the streams are theirs, and so is the
// service.
type administrator struct {
	*console.Console

	release string // of the program
}

// The administrator's commands for a noun.
type (
	accounts struct{ administrator }
	invites  struct{ administrator }
	tokens   struct{ administrator }
	domains  struct{ administrator }
	places   struct{ administrator }
	backups  struct{ administrator }
	stores   struct{ administrator }
	rootKeys struct{ administrator }
)

// serviceHelp is the help that the commands of this package share.
const serviceHelp = `

This works whether or not the service is running. Without --data, --store,
--root-key-file and --config it is the service of /etc/hush/hush.yaml, where that
file can be read. If the data is in PostgreSQL, name the data folder of a running
node, or else the --store and the root key of the nodes. Run as root, it keeps
files with the owner of the data folder.`

// Command returns "hush admin" of a release of the program. The reader is that of the
// settings of this call, for "hush admin config". Most of the commands stood below "hush"
// once.
func Command(c *console.Console, release string, reader *settings.Reader) *cobra.Command {
	a := administrator{c, release}
	group := command.Sections(&cobra.Command{
		Use: "admin", Short: "look after a service: accounts, data and settings",
		Long: "Look after a service: its accounts and secrets, its data, and its settings.",
		Example: `# Create an administrator's account
hush admin account create --role colonel you@example.com
# Examine the data
hush admin doctor`,
	},
		command.Section{Title: "Accounts and secrets", Commands: []*cobra.Command{
			accounts{a}.command(), tokens{a}.command(), domains{a}.command(), places{a}.command(), a.burnCommand(), a.auditCommand(),
		}},
		command.Section{Title: "Data", Commands: []*cobra.Command{
			backups{a}.command(), a.restoreCommand(), a.doctorCommand(), a.compactCommand(),
			a.migrateCommand(), stores{a}.command(), rootKeys{a}.command(), a.keygenCommand(),
		}},
		command.Section{Title: "Settings", Commands: []*cobra.Command{configs{a, reader}.command(), a.routesCommand()}},
	)
	command.MarkMoved(group, "account", "token", "domain", "place", "audit", "backup", "restore", "doctor", "compact", "migrate", "store", "keys", "keygen", "config", "routes")
	return group
}

// serviceFlags are the flags of every command that uses the service, with more
// of the one list.
func serviceFlags(more ...string) []string {
	return append([]string{"data", "root-key-file", "store", "spent-log"}, more...)
}

// serviceError reduces a refusal to its message.
func serviceError(err error) error {
	return refusal(err, connect.CodeUnavailable, "the service cannot store anything now, or cannot reach its database: see its log, and try again")
}

// refusal reduces the refusal of a service to its message, and one of that code to a text
// that says what to do. It returns other errors as they are.
func refusal(err error, code connect.Code, text string) error {
	coded, ok := errors.AsType[*connect.Error](err)
	switch {
	case ok && coded.Code() == code:
		return errors.New(text)
	case ok:
		return errors.New(coded.Message())
	}
	return err
}

// orNotFound replaces a not-found error by one that names what the command was given.
func orNotFound(err error, format string, args ...any) error {
	if connect.CodeOf(err) == connect.CodeNotFound {
		return fmt.Errorf(format, args...)
	}
	return err
}

func passwordFile(at *string) flags.Define {
	return flags.Text(at, "", "`file` whose first line is the password; - is standard input")
}

// password reads the password from the file of passwordFile, or asks for it.
func (a accounts) password(ctx context.Context, file string) (string, error) {
	password, err := a.Password(ctx, file)
	if file != "" {
		err = command.InFlag("password-file", err)
	}
	return password, err
}
