package people

import (
	"context"
	"iter"
	"time"

	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	"hush/cli/flags"
	"hush/client"
)

// receiptHelp is what the help of these commands says of the argument RECEIPT.
const receiptHelp = `RECEIPT is the link of the receipt, or its key: "-" reads it from standard input, and
@FILE from a file. Without it the program asks for it on a terminal. It is not taken
from the command line, where other users of the machine see it and the history of
the shell keeps it: anyone who has it can burn the secret. The ID that "hush list"
shows, eight characters, is no secret and is taken.`

// Receipt returns "hush receipt": it shows what became of a secret, and follows it.
func Receipt(on *console.Console, environment []string) *cobra.Command {
	var watch, asJSON bool
	c := &cobra.Command{
		Use: "receipt [RECEIPT]", Short: "show what became of a secret", Args: command.Takes(0, 1),
		Long: `Show what became of a secret that was shared: whether it waits, was opened, burned or
has expired, and whether its content arrived.

` + receiptHelp + `

With --watch it ends once nothing can change any more: with exit code 0 if the
secret was opened, and with 4 if it was burned, has expired, or was opened by a
device that never confirmed that it has the content.`,
		Example: `# Show the receipt of an ID that "hush list" shows
hush receipt m9h31x5l
# Follow that in a file, and delete the original once the content has arrived
hush receipt --watch @receipt && rm .env`,
	}
	s := receiptCommand{Console: on, connector: addServerFlags(c, on, environment)}
	flags.Switch(&watch, "follow the receipt until nothing of it can change any more")(c.Flags(), "watch")
	flags.Switch(&asJSON, "print an object for each receipt, and with --watch for each change")(c.Flags(), "json")
	c.RunE = func(c *cobra.Command, args []string) error {
		server, keys, err := s.find(c.Context(), args)
		if err != nil {
			return err
		}
		if watch {
			return s.watch(c.Context(), server, keys, asJSON)
		}
		return s.show(c.Context(), server, keys, asJSON)
	}
	return c
}

// receiptCommand is what the commands share that take a receipt: receipt, burn and list.
type receiptCommand struct {
	*console.Console

	connector *connector
}

func (s receiptCommand) watch(ctx context.Context, server *client.Client, keys []client.Text, asJSON bool) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	receipts := make([]iter.Seq2[client.Receipt, error], len(keys))
	for i, key := range keys {
		receipts[i] = server.Watch(ctx, key)
	}
	return receiptView{to: s.Out, asJSON: asJSON, messages: s.Console}.follow(ctx, receipts...)
}

func (s receiptCommand) show(ctx context.Context, server *client.Client, keys []client.Text, asJSON bool) error {
	for i, key := range keys {
		r, err := server.Receipt(ctx, key)
		if err != nil {
			return withExitCode(err)
		}
		if err := s.print(r, asJSON, i > 0); err != nil {
			return err
		}
	}
	return nil
}

// print prints a receipt, for people behind an empty line if it follows another.
func (s receiptCommand) print(r client.Receipt, inJSON, follows bool) error {
	if inJSON {
		return printJSON(s.Console, newReceiptJSON(r))
	}
	if follows {
		if _, err := s.Out.Write([]byte("\n")); err != nil {
			return err
		}
	}
	return s.Facts(receiptFields(r, time.Now()))
}
