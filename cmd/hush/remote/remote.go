// Package remote is what the commands that call a server share: which server they
// call and as whom, their LINK and RECEIPT arguments, and the exit code and words
// for each error of package client.
package remote

import (
	"context"

	"github.com/spf13/cobra"

	"hush/client"
	"hush/cmd/hush/console"
)

// Choice is which server a command calls: the flags --profile, --server,
// --protocol, --ca-file and --timeout, the variables HUSH_PROFILE, HUSH_SERVER,
// HUSH_PROTOCOL and HUSH_TOKEN, and the profiles.
type Choice struct {
	console     *console.Console
	environment []string
}

// AddFlags gives a command the flags of a Choice.
func AddFlags(c *cobra.Command, on *console.Console, environment []string) *Choice {
	return &Choice{console: on, environment: environment}
}

// Connect returns a client of the chosen server, with the credentials of its
// profile. Without any choice it asks on a terminal which server to use, once, and
// keeps the answer as a profile; elsewhere it returns a usage error that says how
// to choose. A v1 or v2 server is used only if the profile or --protocol says so,
// or after an explicit yes on a terminal, which the profile keeps.
func (x *Choice) Connect(ctx context.Context) (*client.Client, error) { panic("to be written") }

// ConnectTo returns a client of the server of a link, to open it. Against Hush it
// has no credentials, which opening does not need; against the v1 or v2 server of
// a profile it has those of the profile.
func (x *Choice) ConnectTo(ctx context.Context, link client.Link) (*client.Client, error) {
	panic("to be written")
}

// ConnectToReceipt returns a client for the server of a receipt. Where the receipt
// is a bare key it is that of Connect. It has the credentials of a profile for the
// same server only.
func (x *Choice) ConnectToReceipt(ctx context.Context, receipt client.ReceiptLink) (*client.Client, error) {
	panic("to be written")
}

// ReadLink reads a LINK argument: the link, "-" for the first line of standard
// input, or @FILE for that of a file.
func (x *Choice) ReadLink(argument string) (client.Link, error) { panic("to be written") }

// ReadReceipt reads a RECEIPT argument: "-" for the first line of standard input,
// @FILE for that of a file, and nothing for a prompt on a terminal, which does not
// show what is pasted. A receipt itself is refused: other users of the machine can
// see it in the list of processes, and the shell's history keeps it.
func (x *Choice) ReadReceipt(ctx context.Context, args []string) (client.ReceiptLink, error) {
	panic("to be written")
}

// Fail returns what ends the program for an error of package client: the exit code
// of its kind, and the words for people. It returns other errors, and nil, as they
// are.
func Fail(err error) error { panic("to be written") }

// PrintJSON prints a value to standard output as a line of JSON.
func PrintJSON(on *console.Console, value any) error { panic("to be written") }
