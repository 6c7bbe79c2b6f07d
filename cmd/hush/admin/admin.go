// Package admin is "hush admin": the commands of those who run a service. A file
// holds the commands for one noun. They call the service that holds the data
// folder over its socket, or, where none runs, the same handlers on the folder
// itself. The commands that work on files and whole stores are constructors of their
// own, which the program hands over.
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
	rootKeys struct{ administrator }
)

// about is the help that the commands of this package share.
const about = `

This works whether or not the service is running. Without --data, --store,
--root-key-file and --config it is the service of /etc/hush/hush.yaml, where that
file can be read. If the data is in PostgreSQL, name the data folder of a running
node, or else the --store and the root key of the nodes. Run as root, it keeps
files with the owner of the data folder.`

// Command returns "hush admin": the commands of those who run a service, in
// sections. More of them follow those of accounts and secrets.
func Command(c *console.Console, release string, more ...command.Section) *cobra.Command {
	a := administrator{c, release}
	own := command.Section{Title: "Accounts and secrets", Commands: []*cobra.Command{
		accounts{a}.command(), tokens{a}.command(), domains{a}.command(), places{a}.command(), a.burnCommand(), a.auditCommand(),
	}}
	return command.Sections(&cobra.Command{
		Use: "admin", Short: "look after a service: accounts, data and settings",
		Long: "Look after a service: its accounts and secrets, its data, and its settings.",
	}, append([]command.Section{own}, more...)...)
}

// serviceFlags are the flags of every command that uses the service, with more
// of the one list.
func serviceFlags(more ...string) []string {
	return append([]string{"data", "root-key-file", "store", "spent-log"}, more...)
}

// plainly reduces a refusal to its message.
func plainly(err error) error {
	coded, ok := errors.AsType[*connect.Error](err)
	switch {
	case ok && coded.Code() == connect.CodeUnavailable:
		return errors.New("the service cannot store anything now, or cannot reach its database: see its log, and try again")
	case ok:
		return errors.New(coded.Message())
	}
	return err
}

// named replaces a not-found error by one that names what the command was given.
func named(err error, format string, args ...any) error {
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
