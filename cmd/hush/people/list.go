package people

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	"hush/cli/flags"
	"hush/client"
)

const (
	// listLength is how many receipts a list has without --all.
	listLength = 50
	// maxLabelLength is how many characters of a label a table shows.
	maxLabelLength = 40
)

// listOptions is what "hush list" is told to do.
type listOptions struct {
	states      []string
	all, asJSON bool
}

// List returns "hush list": the secrets of an account.
func List(on *console.Console, environment []string) *cobra.Command {
	var l listOptions
	c := &cobra.Command{
		Use: "list", Short: "list the secrets that the account shared", Args: command.Takes(0, 0),
		Long: `List the secrets that the account shared, the newest first. It needs a profile with
a token (hush login), or HUSH_TOKEN with HUSH_SERVER.

The ID is what "hush receipt" and "hush burn" take. With --json each line also has the
key of the receipt as "receipt": anyone who has that can burn the secret.`,
		Example: `# List the newest secrets
hush list
# List all that were not opened yet, as JSON
hush list --all --state waiting --json`,
	}
	s := receiptCommand{Console: on, connector: addServerFlags(c, on, environment)}
	flags.List(&l.states, "`states` to list, separated by commas: waiting, locked, arriving, opened, delivered, lapsed, burned, expired, unknown; waiting has the locked and the arriving too, and opened the delivered and the lapsed", parseStates)(c.Flags(), "state")
	flags.Switch(&l.all, fmt.Sprintf("list all, not the newest %d", listLength))(c.Flags(), "all")
	flags.Switch(&l.asJSON, "print an object for each secret")(c.Flags(), "json")
	c.RunE = func(c *cobra.Command, _ []string) error {
		server, err := s.connector.connect(c.Context())
		if err != nil {
			return err
		}
		return s.list(c.Context(), server, l)
	}
	return c
}

// parseStates reads states, by the words that a list prints: see stateText.
func parseStates(text string) ([]string, error) {
	states := []string{
		client.StateWaiting.String(), stateLocked, stateArriving, client.StateOpened.String(), client.DeliveryConfirmed.String(),
		client.DeliveryLapsed.String(), client.StateBurned.String(), client.StateExpired.String(), client.StateUnknown.String(),
	}
	wanted := flags.SplitList(text)
	if len(wanted) == 0 { // it would list all
		return nil, errors.New("must be one of " + strings.Join(states, ", "))
	}
	for _, word := range wanted {
		if err := flags.OneOf(states)(word); err != nil {
			return nil, err
		}
	}
	return wanted, nil
}

// list prints the receipts that are wanted, page by page.
func (s receiptCommand) list(ctx context.Context, server *client.Client, l listOptions) error {
	sealed := 0
	wanted := func(yield func(client.Receipt, error) bool) {
		for r, err := range server.Receipts(ctx) {
			sealed += r.Sealed
			if (err != nil || r.Sealed == 0 && l.wants(r)) && !yield(r, err) {
				return
			}
		}
	}
	p := listPrinter[client.Receipt]{
		Console: s.Console, all: l.all, asJSON: l.asJSON, header: "ID,STATE,KIND,SHARED,EXPIRES,LABEL", row: receiptRow, object: listedJSON,
	}
	printed, more, err := p.print(wanted)
	if err != nil {
		return err
	}
	s.tellRest(printed, sealed, more)
	return nil
}

// listPrinter prints what a list has: a table, or with asJSON an object a line.
type listPrinter[T any] struct {
	*console.Console

	all, asJSON bool
	header      string // the names of the columns, separated by commas
	row         func(T) []string
	object      func(T) any
}

// print prints a sequence, as it is read, and no more than listLength unless all are
// wanted. It reads one more than it prints, to say whether there are more.
func (p *listPrinter[T]) print(from iter.Seq2[T, error]) (printed int, more bool, err error) {
	var rows [][]string
	for one, err := range from {
		if err != nil {
			return printed, false, withExitCode(err)
		}
		if more = printed == listLength && !p.all; more {
			break
		}
		printed++
		if !p.asJSON {
			rows = append(rows, p.row(one))
		} else if err := printJSON(p.Console, p.object(one)); err != nil {
			return printed, false, err
		}
	}
	if len(rows) == 0 {
		return printed, more, nil
	}
	return printed, more, p.Table(p.header, rows)
}

// wants reports whether a receipt is in a state that is listed: by the word that stands
// in the table, or by that of all secrets that wait or were opened.
func (l listOptions) wants(r client.Receipt) bool {
	return len(l.states) == 0 || slices.Contains(l.states, stateText(r)) || slices.Contains(l.states, r.State.String())
}

// listedJSON is a receipt with its key.
func listedJSON(r client.Receipt) any {
	line := newReceiptJSON(r)
	line.Receipt = r.Key.Expose()
	return line
}

// tellRest says what a list does not have.
func (s receiptCommand) tellRest(printed, sealed int, more bool) {
	s.tellSealed(sealed)
	switch {
	case more:
		s.Tellf("there are more than %d; --all lists all", printed)
	case printed == 0 && sealed == 0:
		s.Tellf("no secrets to list")
	}
}

// receiptRow is a receipt in a table.
func receiptRow(r client.Receipt) []string {
	expires := "-"
	if r.State == client.StateWaiting && !r.Expires.IsZero() {
		expires = untilText(r.Expires, time.Now())
	}
	return []string{r.ShortID, stateText(r), encryptionJSON(r.Encryption), minuteText(r.Created), expires, shortLabel(r.Label)}
}

// shortLabel shortens a label for a table.
func shortLabel(label string) string {
	runes := []rune(strings.TrimSpace(label))
	if len(runes) > maxLabelLength {
		return string(runes[:maxLabelLength-1]) + "…"
	}
	return string(runes)
}
