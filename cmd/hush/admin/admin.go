// Package admin is "hush admin": the commands of those who run a service. A file
// holds the commands for one noun. They call the service that holds the data
// folder over its socket, or, where none runs, the same handlers on the folder
// itself.
package admin

import (
	"errors"
	"fmt"

	"connectrpc.com/connect"
	"github.com/spf13/cobra"

	"hush/cmd/hush/command"
	"hush/cmd/hush/console"
	"hush/cmd/hush/flags"
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

// about is the help that the commands of "hush admin" share.
const about = `

This works whether or not the service is running. If the data is in PostgreSQL,
name the data folder of a running node, or else the --store and the root key of
the nodes. Run as root, it keeps files with the owner of the data folder.`

// Command returns "hush admin": the commands of those who run a service.
func Command(c *console.Console, release string) *cobra.Command {
	a := administrator{c, release}
	return command.Group(&cobra.Command{
		Use: "admin", Short: "manage accounts, API tokens, domains, places and secrets",
		Long: "Manage the accounts, API tokens, domains, places and secrets of a service." + about,
	}, accounts{a}.command(), tokens{a}.command(), domains{a}.command(), places{a}.command(), a.burnCommand())
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
