package people

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	"hush/cli/flags"
	"hush/client"
)

// requestCommand is one call of "hush request".
type requestCommand struct {
	console   *console.Console
	connector *connector

	ask         client.AskRequest
	noteFile    string
	accept      string
	collectFile string
	asJSON      bool
	// collect is what follows with --watch.
	collect collectCommand
}

const requestDetails = `The link on standard output is for those who may answer. The collect link on standard
error, or in --collect-file, is for you alone: "hush collect" reads the answers with
it. No server and no account has it: without it no one can read an answer.

Title and note are encrypted, and everyone who has the link reads them. The note of
--note-file is standard input for "-". The server does not say who asks unless the
link has your --domain, or --show-address shows the address of the account.

--watch stays, shows what it waits for, and opens the answer as "hush collect" does:
with several into a folder, each as it comes, until the request is full, closed or
past. If it is cut off, "hush collect" goes on: nothing is lost. With --json each
answer is an object of its own, as that of "hush collect".

A title that is the name of a command stands behind "--".

--json prints an object instead of the link: link, collect (the collect link), id,
title, server, accepts (text, file), wanted (how many answers), ttl in seconds,
created and expires.`

// Request returns "hush request": it asks for a secret and prints the link to answer with,
// and holds the commands that list and close requests.
func Request(on *console.Console, environment []string) *cobra.Command {
	r := &requestCommand{console: on, collect: collectCommand{openCommand: openCommand{console: on, environment: environment}}}
	c := &cobra.Command{
		Use: "request TITLE", Short: "ask for a secret",
		Long: `Ask for a secret. The link that it prints is for those who may answer, with
"hush answer" or in a browser. Only a device with the collect link reads the answers.`,
		Example: `# Ask for a key within a day, and keep the collect link in a file
hush request 'Deploy key for staging' --ttl 1d --collect-file collect
# Wait for the answer, and write it to a new file
hush request 'Deploy key for staging' --collect-file collect --watch -o key
# Ask three people for a file
hush request 'Your signed contract' --answers 3 --accept file
# Take what was answered
hush collect @collect`,
		Args: r.arguments, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, args []string) error { return r.run(c.Context(), args[0]) },
	}
	r.connector = addServerFlags(c, on, environment)
	command.HoldOutput(c)
	r.addFlags(c)
	command.AddDetails(c, requestDetails)
	for _, name := range []string{"copy", "copy-for", "domain", "force", "json", "note-file", "notify", "overwrite", "passphrase-file", "show-address"} {
		command.MarkDetail(c.Flags().Lookup(name))
	}
	c.AddCommand(requestList(on, environment), requestClose(on, environment))
	return c
}

func (r *requestCommand) addFlags(c *cobra.Command) {
	set := c.Flags()
	flags.Text(&r.ask.Note, "", "`note` below the title, for those who answer")(set, "note")
	flags.Text(&r.noteFile, "", "`file` with the note; \"-\" for standard input")(set, "note-file")
	flags.Parsed(&r.ask.TTL, "`lifetime` of the request, as in 3d or 1h30m, 30 days at most (default: the server's)", parseLifetime)(set, "ttl")
	flags.Count(&r.ask.Answers, 1, client.AnswersMax, "`number` of answers that it takes")(set, "answers")
	flags.Choice(&r.accept, "what you accept", "both", "text", "file")(set, "accept")
	flags.Text(&r.ask.Domain, "", "custom `domain` of the account for the link")(set, "domain")
	flags.Switch(&r.ask.ShowAddress, "show the address of the account to those who have the link")(set, "show-address")
	flags.Switch(&r.ask.Notify, "let the server mail the account when an answer comes")(set, "notify")
	flags.Text(&r.collectFile, "", "new `file` for the collect link, which only you may read")(set, "collect-file")
	flags.Switch(&r.asJSON, "print an object instead of the link")(set, "json")
	flags.Switch(&r.collect.watch, "wait for the answers, and open them into --output")(set, "watch")
	r.collect.addPlaceFlags(c)
}

// arguments accepts TITLE. One that is nearly the name of a command is refused: the request
// would be made by mistake.
func (*requestCommand) arguments(c *cobra.Command, args []string) error {
	switch {
	case len(args) > 1:
		return command.Usage("there is more than one argument: put the title in quotes")
	case len(args) == 0:
		return command.Usage("TITLE is missing: what do you ask for?")
	case strings.Contains(args[0], "://"):
		return command.Usage("a link is no title: \"hush answer\" answers a request, and \"hush collect\" reads its answers")
	case args[0] == "":
		return command.NotEmpty(c, args)
	}
	if near := command.Nearest(args[0], []string{"list", "close"}); near != "" && c.ArgsLenAtDash() < 0 {
		return command.Usage("did you mean \"hush request %s\"? A title that is like a command stands behind --", near)
	}
	return nil
}

// check refuses flags that contradict each other, and closed streams that the links go to.
func (r *requestCommand) check() error {
	switch {
	case r.ask.Note != "" && r.noteFile != "":
		return command.Usage("choose one of --note and --note-file")
	case r.collectFile == "-":
		return command.Usage("--collect-file: \"-\" is no file: name one, or leave out the flag, and the collect link goes to standard error")
	}
	if err := command.HasFile("note-file", r.noteFile); err != nil {
		return err
	}
	if err := command.NeedOutput(r.console, "the link would be lost"); err != nil {
		return err
	}
	if r.collectFile == "" && !r.asJSON {
		if err := command.NeedMessages(r.console, "the collect link would be lost: name a file with --collect-file"); err != nil {
			return err
		}
	}
	return r.checkWatch()
}

func (r *requestCommand) run(ctx context.Context, title string) error {
	r.ask.Title, r.ask.Text, r.ask.File = title, r.accept != "file", r.accept != "text"
	if err := r.check(); err != nil {
		return err
	}
	if r.collect.copy {
		if err := r.console.CanCopy(ctx); err != nil {
			return err
		}
	}
	if err := r.readNote(ctx); err != nil {
		return err
	}
	if _, err := r.ask.Normalized(); err != nil {
		return withExitCode(err)
	}
	server, err := r.connector.connect(ctx)
	if err != nil {
		return err
	}
	requests, err := server.Requests()
	if err != nil {
		return withExitCode(err)
	}
	file, err := createLinkFile("collect-file", r.collectFile)
	if err != nil {
		return err
	}
	asked, err := requests.Ask(ctx, r.ask)
	if err != nil {
		if failed := file.remove(); failed != nil {
			r.console.Fail(failed)
		}
		return withExitCode(err)
	}
	if err := r.tell(ctx, server, requests, asked, file); err != nil {
		return err
	}
	return r.after(ctx, server, asked)
}

// noteMax is how many bytes are read of the file of a note: more than one has.
const noteMax = 64 << 10

// readNote reads the file of the note.
func (r *requestCommand) readNote(ctx context.Context) error {
	if r.noteFile == "" {
		return nil
	}
	file, done, err := r.console.Open(ctx, r.noteFile)
	if err != nil {
		return command.InFlag("note-file", err)
	}
	defer done()
	note, err := io.ReadAll(io.LimitReader(file, noteMax))
	r.ask.Note = string(note)
	return command.InFlag("note-file", err)
}

// tell puts the collect link into its place and prints the request link after that. A
// request whose collect link has no place is closed: no one could read its answers.
func (r *requestCommand) tell(ctx context.Context, server *client.Client, requests client.Requests, asked client.Asked, file *linkFile) error {
	if text := linkHostWarning(asked.Link.Server, server.Server(), r.ask.Domain); text != "" {
		r.console.Tellf("%s", text)
	}
	err := r.keepCollect(asked, file)
	if err == nil && r.asJSON {
		err = printJSON(r.console, newAskedJSON(asked, server))
	} else if err == nil {
		_, err = fmt.Fprintln(r.console.Out, asked.Link.Expose())
	}
	if err != nil {
		return r.withdraw(ctx, requests, asked, file, err)
	}
	times := "one answer"
	if asked.Card.Answers > 1 {
		times = console.Count(asked.Card.Answers, "answers")
	}
	r.console.Tellf("%s takes %s, until %s (%s)", quoted(asked.Card.Title), times, endText(asked.Card.Latest), spanText(asked.Request.Expires.Sub(asked.Request.Created)))
	return nil
}

// keepCollect puts the collect link into its file, or tells it.
func (r *requestCommand) keepCollect(asked client.Asked, file *linkFile) error {
	switch {
	case file != nil:
		if err := errors.Join(file.write(asked.Collect.Expose()), file.file.Close()); err != nil {
			return fmt.Errorf("--collect-file: %w", errors.Join(err, os.Remove(r.collectFile)))
		}
		r.console.Tellf("the collect link is in %s: without it no one can read an answer", r.collectFile)
		return nil
	case r.asJSON:
		return nil
	default:
		return r.console.TryTellf("collect link, for you alone: %s", asked.Collect.Expose())
	}
}

// withdraw closes a request whose links were not passed on.
func (r *requestCommand) withdraw(ctx context.Context, requests client.Requests, asked client.Asked, file *linkFile, why error) error {
	what := "the request was made, and its links could not be passed on; it was closed again"
	if _, err := requests.CloseRequest(ctx, asked.Collect, true); err != nil {
		what = "the request was made, its links could not be passed on, and it could not be closed"
	} else if file != nil { // its link is dead; it may be gone already
		_ = os.Remove(r.collectFile)
	}
	return fmt.Errorf("%s: %w", what, why)
}

// askedJSON is what --json prints for a request.
type askedJSON struct {
	Link    string     `json:"link"`
	Collect string     `json:"collect"`
	ID      string     `json:"id,omitempty"`
	Title   string     `json:"title"`
	Server  string     `json:"server"`
	Accepts []string   `json:"accepts"`
	Wanted  int        `json:"wanted"`
	TTL     int64      `json:"ttl"`
	Created *time.Time `json:"created"`
	Expires *time.Time `json:"expires"`
}

func newAskedJSON(asked client.Asked, server *client.Client) askedJSON {
	line := askedJSON{
		Link: asked.Link.Expose(), Collect: asked.Collect.Expose(), ID: asked.Request.ID, Title: asked.Card.Title, Server: server.Server(),
		Wanted: asked.Card.Answers, TTL: int64(asked.Request.Expires.Sub(asked.Request.Created) / time.Second),
		Created: timeJSON(asked.Request.Created), Expires: timeJSON(asked.Request.Expires),
	}
	if asked.Card.Text {
		line.Accepts = append(line.Accepts, "text")
	}
	if asked.Card.File {
		line.Accepts = append(line.Accepts, "file")
	}
	return line
}
