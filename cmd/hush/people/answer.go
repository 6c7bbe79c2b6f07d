package people

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	"hush/cli/flags"
	"hush/client"
)

// answerCommand is one call of "hush answer".
type answerCommand struct {
	contentReader

	connector        *connector
	passphraseFile   string
	passphrasePrompt bool
	receiptFile      string
	asJSON, yes      bool
}

const answerDetails = `Title and note are the words of the requester: read them as such. The server knows who
asks only where it says so. The command shows the request before it takes the
content, and consumes nothing with that. What is typed at the prompt is sent at its
end; otherwise the command asks on a terminal, without --yes, whether to send.

FILE is a file with its name. Standard input and what is typed are a text, or a file
with --name. With --text, FILE is a text. The request says which of them it accepts.

A lost connection takes no second place in the request: the same answer is sent
again for two minutes. Another run is another answer.

The receipt goes to standard error or to --receipt-file. It says when the answer was
opened, and burns it until then: see "hush receipt" and "hush burn".

--json prints an object: title, receipt, short_id, server, has_passphrase, expires,
and file_name for a file.`

// Answer returns "hush answer": it answers a request with a text or a file, which only the
// requester's device can read. The content comes from standard input, a file or a prompt,
// and never from the command line.
func Answer(on *console.Console, environment []string) *cobra.Command {
	a := &answerCommand{contentReader: contentReader{console: on, call: "hush answer LINK", use: "answer with"}}
	c := &cobra.Command{
		Use: "answer [LINK] [FILE|-]", Short: "answer a request for a secret",
		Long: `Answer a request for a secret: show what is asked for, and send a text or a file that
only the requester's device can read, once.

LINK is the link of the request, "-" to read it from standard input, or @FILE to
read it from a file. Without it the command asks for the link. The content is FILE,
standard input, or what you type at a prompt that does not show it.`,
		Example: `# Show what is asked for, and type the answer
hush answer https://hush.example/q#KEYR
# Answer with a file, with a link that is in another one
hush answer @link id_ed25519
# Answer from a pipe: printf adds no line break, as echo does
printf %s "$DB_PASSWORD" | hush answer @link`,
		Args: a.arguments, ValidArgsFunction: completeAnswer,
		RunE: func(c *cobra.Command, args []string) error { return a.run(c.Context(), args) },
	}
	a.connector = addServerFlags(c, on, environment)
	command.HoldOutput(c)
	set := c.Flags()
	flags.Switch(&a.passphrasePrompt, "ask for a passphrase that the requester needs too")(set, "passphrase-prompt")
	flags.Text(&a.passphraseFile, "", "`file` whose first line is the passphrase; \"-\" for standard input")(set, "passphrase-file")
	flags.Text(&a.name, "", "`name` of the file for the requester")(set, "name")
	flags.Switch(&a.asText, "answer with FILE as a text, without its name")(set, "text")
	flags.Text(&a.receiptFile, "", "new `file` for the link of the receipt, which only you may read")(set, "receipt-file")
	flags.Switch(&a.yes, "send without a question")(set, "yes")
	flags.Switch(&a.asJSON, "print an object about the answer")(set, "json")
	command.AddDetails(c, answerDetails)
	c.SetFlagErrorFunc(a.flagError)
	return c
}

// completeAnswer completes FILE.
func completeAnswer(c *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		args = args[1:]
	}
	return command.CompleteFiles(c, args, word)
}

// arguments accepts LINK and FILE. It does not repeat what may be a secret.
func (a *answerCommand) arguments(c *cobra.Command, args []string) error {
	if len(args) > 2 {
		return command.Usage("there are more than two arguments; %s", a.howToPipe())
	}
	return command.NotEmpty(c, args)
}

// check refuses flags and arguments that contradict each other.
func (a *answerCommand) check(args []string) error {
	linkFromInput := len(args) > 0 && args[0] == "-"
	contentFromInput := len(args) < 2 || args[1] == "-"
	switch {
	case a.passphrasePrompt && a.passphraseFile != "":
		return command.Usage("choose one of --passphrase-prompt and --passphrase-file")
	case a.asText && a.name != "":
		return command.Usage("a text has no name: leave out --name or --text")
	case linkFromInput && contentFromInput && !a.console.InIsTerminal():
		return command.Usage("the link and the content cannot both come from standard input: name a file with one of them")
	case a.passphraseFile == "-" && (linkFromInput || contentFromInput):
		return command.Usage("--passphrase-file: standard input has the link or the content; name a file")
	case a.receiptFile == "-":
		return command.Usage("--receipt-file: \"-\" is no file: name one, or leave out the flag, and the receipt goes to standard error")
	case len(args) == 0 && !a.console.CanAsk():
		return command.Usage("LINK is missing: \"-\" reads it from standard input, @FILE from a file")
	}
	if err := a.checkStreams(); err != nil {
		return err
	}
	return command.HasFile("passphrase-file", a.passphraseFile)
}

// checkStreams refuses a closed stream that the receipt goes to.
func (a *answerCommand) checkStreams() error {
	const lost = "the receipt would be lost: name a file with --receipt-file"
	switch {
	case a.receiptFile != "":
		return nil
	case a.asJSON:
		return command.NeedOutput(a.console, lost)
	default:
		return command.NeedMessages(a.console, lost)
	}
}

func (a *answerCommand) run(ctx context.Context, args []string) error {
	if err := a.check(args); err != nil {
		return err
	}
	link, err := readLink(ctx, a.console, args, "Link: ", client.ParseRequestLink)
	if err != nil {
		return err
	}
	from, err := a.openSource(ctx, args[min(len(args), 1):])
	if err != nil {
		return err
	}
	defer from.done()
	server, err := a.connector.connectToLink(ctx, client.Link{Server: link.Server})
	if err != nil {
		return err
	}
	requests, err := server.Requests()
	if err != nil {
		return withExitCode(err)
	}
	question, err := requests.Request(ctx, link)
	if err == nil {
		err = question.Request.Ended()
	}
	if err != nil {
		return withExitCode(err)
	}
	if err := a.tellQuestion(question); err != nil {
		return err
	}
	sealed, name, err := a.seal(ctx, server, requests, question, from)
	if err != nil && ctx.Err() != nil {
		return console.ErrInterrupted
	}
	if err != nil {
		return withExitCode(err)
	}
	file, err := createLinkFile("receipt-file", a.receiptFile)
	if err != nil {
		return err
	}
	return a.send(ctx, requests, answerToSend{SealedAnswer: sealed, title: question.Card.Title, name: name}, file)
}

// seal reads the content and encrypts it. Its name is that of a file; empty for others.
func (a *answerCommand) seal(ctx context.Context, server *client.Client, requests client.Requests, question client.Question, from contentSource) (sealed client.SealedAnswer, name string, err error) {
	var passphrase client.Text
	if !a.passphrasePrompt { // before the content is typed
		if passphrase, err = a.passphrase(ctx); err != nil {
			return sealed, "", err
		}
	}
	content, err := a.readContent(ctx, from, question.AnswerMax, server)
	if err != nil {
		return sealed, "", err
	}
	defer clear(content.Bytes)
	if err := a.fits(question.Card, content); err != nil {
		return sealed, "", err
	}
	if a.passphrasePrompt {
		if passphrase, err = a.passphrase(ctx); err != nil {
			return sealed, "", err
		}
	}
	if err := a.confirm(ctx, from); err != nil {
		return sealed, "", err
	}
	sealed, err = requests.SealAnswer(question, *content, passphrase)
	return sealed, content.FileName, err
}

func (a *answerCommand) passphrase(ctx context.Context) (client.Text, error) {
	var text string
	var err error
	switch {
	case a.passphrasePrompt:
		text, err = askNewPassphrase(ctx, a.console)
	case a.passphraseFile != "":
		text, err = a.console.SecretLine(ctx, a.passphraseFile)
		err = command.InFlag("passphrase-file", err)
	}
	return client.Hide(text), err
}

// fits refuses a content of a kind that the requester does not accept, with what makes it
// the other one.
func (a *answerCommand) fits(card client.Card, content *client.Content) error {
	switch {
	case content.IsFile && !card.File:
		return &client.Error{Kind: client.KindRefused, Message: "the requester accepts a text, and this is a file: --text sends a file as a text; nothing was sent"}
	case !content.IsFile && !card.Text:
		return &client.Error{Kind: client.KindRefused, Message: "the requester accepts a file, and this is a text: --name makes it a file; nothing was sent"}
	default:
		return nil
	}
}

// confirm asks whether to send what was not typed after the request was shown.
func (a *answerCommand) confirm(ctx context.Context, from contentSource) error {
	if a.yes || from.from == nil || !a.console.CanAsk() {
		return nil
	}
	sure, err := a.console.Confirm(ctx, "Send the answer?")
	if err == nil && !sure {
		return errors.New("nothing was sent")
	}
	return err
}

// tellQuestion shows on standard error what is asked for.
func (a *answerCommand) tellQuestion(q client.Question) error {
	columns := columnsOfConsole(a.console.Err)
	var facts []console.Fact
	name := "from"
	for _, row := range wrapped(askerText(q), columns-factIndent) { // the requester chose the address
		facts, name = append(facts, console.Fact{Name: name, Value: row}), ""
	}
	facts = append(facts, cardFacts(q.Card, columns)...)
	facts = append(facts,
		console.Fact{Name: "accepts", Value: acceptsText(q.Card)},
		console.Fact{Name: "until", Value: endText(q.Card.Latest) + " (" + untilText(q.Card.Latest, time.Now()) + ")"},
	)
	if console.IsClosed(a.console.Err) {
		return nil
	}
	return (&console.Console{Out: a.console.Err}).Facts(facts)
}
