package people

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	"hush/cli/flags"
	"hush/client"
)

// requestState is what "hush request list" and "hush request close" print of a request: a
// line of JSON with --json. Its names are stable; a time that is unknown is null.
type requestState struct {
	ID          string     `json:"id"`
	State       string     `json:"state"`
	Wanted      int        `json:"wanted"`
	Answered    int        `json:"answered"`
	Waiting     int        `json:"waiting"`
	Created     *time.Time `json:"created"`
	Updated     *time.Time `json:"updated"`
	Expires     *time.Time `json:"expires"`
	Forgotten   *time.Time `json:"forgotten"`
	Domain      string     `json:"domain"`
	Notify      bool       `json:"notify"`
	ShowAddress bool       `json:"show_address"`
	// Burned is how many answers were burned with it.
	Burned *int `json:"burned,omitempty"`
}

func newRequestState(r client.Request) requestState {
	return requestState{
		ID: r.ID, State: r.State.String(), Wanted: r.Answers, Answered: r.Answered, Waiting: r.Waiting,
		Created: timeJSON(r.Created), Updated: timeJSON(r.Updated), Expires: timeJSON(r.Expires), Forgotten: timeJSON(r.Forgotten),
		Domain: r.Domain, Notify: r.Notify, ShowAddress: r.ShowAddress,
	}
}

// requestList returns "hush request list": the requests of an account.
func requestList(on *console.Console, environment []string) *cobra.Command {
	var all, asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "list the requests of the account", Args: command.Takes(0, 0),
		Long: `List the requests of the account, the newest first: their states alone. What was asked
for and what was answered stands nowhere but behind the links. It needs a profile
with a token (hush login), or HUSH_TOKEN with HUSH_SERVER.

The ID is what "hush request close" takes.`,
		Example: `# List the newest requests
hush request list
# List all that the server still knows, as JSON
hush request list --all --json`,
	}
	x := addServerFlags(c, on, environment)
	flags.Switch(&all, fmt.Sprintf("list all, not the newest %d", listLength))(c.Flags(), "all")
	flags.Switch(&asJSON, "print an object for each request")(c.Flags(), "json")
	c.RunE = func(c *cobra.Command, _ []string) error {
		server, err := x.connect(c.Context())
		if err != nil {
			return err
		}
		return listRequests(c.Context(), on, server, all, asJSON)
	}
	return c
}

// listRequests prints requests, page by page.
func listRequests(ctx context.Context, on *console.Console, server *client.Client, all, asJSON bool) error {
	requests, err := server.Requests()
	if err != nil {
		return withExitCode(err)
	}
	p := listPrinter[client.Request]{
		Console: on, all: all, asJSON: asJSON, header: "ID,STATE,ANSWERED,WAITING,ASKED,ENDS",
		row:    func(r client.Request) []string { return requestRow(r, time.Now()) },
		object: func(r client.Request) any { return newRequestState(r) },
	}
	printed, more, err := p.print(requests.ListRequests(ctx))
	switch {
	case err != nil:
		return err
	case more:
		on.Tellf("there are more than %d; --all lists all", printed)
	case printed == 0:
		on.Tellf("no requests to list")
	}
	return nil
}

// requestRow is a request in a table.
func requestRow(r client.Request, now time.Time) []string {
	ends := "-"
	if r.State == client.RequestOpen {
		ends = untilText(r.Expires, now)
	}
	return []string{r.ID, r.State.String(), fmt.Sprintf("%d of %d", r.Answered, r.Answers), strconv.Itoa(r.Waiting), minuteText(r.Created), ends}
}

// closing is one call of "hush request close".
type closing struct {
	console   *console.Console
	connector *connector

	burn, yes, asJSON bool
}

// requestClose returns "hush request close": it ends a request.
func requestClose(on *console.Console, environment []string) *cobra.Command {
	r := &closing{console: on}
	c := &cobra.Command{
		Use: "close [LINK|ID]", Short: "close a request: it takes no more answers", Args: command.Takes(0, 1),
		Long: `Close a request: it takes no more answers. Those that came wait as they did, unless
--burn-answers destroys them unread, which their senders see in the receipts.

LINK is the collect link, "-" to read it from standard input, or @FILE to read it
from a file. ID is what "hush request list" shows. Without either the command asks
for the link.`,
		Example: `# Close a request by the collect link in a file
hush request close @collect
# Close one of the account, and burn what came, without a question
hush request close ID --burn-answers --yes`,
		RunE: func(c *cobra.Command, args []string) error { return r.run(c.Context(), args) },
	}
	r.connector = addServerFlags(c, on, environment)
	flags.Switch(&r.burn, "burn the answers that wait, too")(c.Flags(), "burn-answers")
	flags.Switch(&r.yes, "burn without a question")(c.Flags(), "yes")
	flags.Switch(&r.asJSON, "print an object about the request")(c.Flags(), "json")
	return c
}

func (r *closing) run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 0 && !r.console.CanAsk():
		return command.Usage("LINK or ID is missing: \"-\" reads a link from standard input, @FILE from a file")
	case r.yes && !r.burn:
		return command.Usage("--yes is for --burn-answers: closing asks nothing")
	case r.burn && !r.yes && !r.console.CanAsk():
		return command.Usage("there is no terminal to ask on whether to burn; add --yes to confirm")
	}
	text, err := askLinkText(ctx, r.console, args, "Collect link: ")
	if err != nil {
		return err
	}
	isID := len(args) > 0 && !strings.Contains(text, "/")
	if r.burn && !r.yes {
		sure, err := r.console.Confirm(ctx, "Close the request, and burn the answers that wait, unread?")
		if err == nil && !sure {
			err = errors.New("nothing was closed")
		}
		if err != nil {
			return err
		}
	}
	closed, err := r.close(ctx, text, isID)
	if err != nil {
		return withExitCode(err)
	}
	if r.asJSON {
		line := newRequestState(closed.Request)
		line.Burned = &closed.Burned
		return printJSON(r.console, line)
	}
	r.console.Tellf("the request is %s", requestText(closed.Request, time.Now()))
	if closed.Burned > 0 {
		r.console.Tellf("burned %s", console.Count(closed.Burned, "answers"))
	}
	return nil
}

// close closes a request at the server of its link, or at that of the account.
func (r *closing) close(ctx context.Context, text string, isID bool) (client.Closed, error) {
	if isID {
		server, err := r.connector.connect(ctx)
		if err != nil {
			return client.Closed{}, err
		}
		requests, err := server.Requests()
		if err != nil {
			return client.Closed{}, err
		}
		return requests.CloseRequestByID(ctx, strings.TrimSpace(text), r.burn)
	}
	link, err := client.ParseCollectLink(text)
	if err != nil {
		return client.Closed{}, err
	}
	server, err := r.connector.connectToLink(ctx, client.Link{Server: link.Server})
	if err != nil {
		return client.Closed{}, err
	}
	requests, err := server.Requests()
	if err != nil {
		return client.Closed{}, err
	}
	return requests.CloseRequest(ctx, link, r.burn)
}
