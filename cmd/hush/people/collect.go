package people

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	"hush/cli/flags"
	"hush/client"
	"hush/cmd/hush/people/pending"
)

// collectCommand is one call of "hush collect".
type collectCommand struct {
	openCommand

	chosen, burned         int // answers by their number in the list; 0 for none
	all, watch, list, sure bool
}

// Collect returns "hush collect": it lists the answers to a request, and opens them as
// "hush open" opens a secret.
func Collect(on *console.Console, environment []string) *cobra.Command {
	o := &collectCommand{openCommand: openCommand{console: on, environment: environment}}
	c := &cobra.Command{
		Use: "collect [LINK]", Short: "open the answers to a request",
		Long: `Open the answer to a request and print it, or write it to a file. An answer opens
once, and only with the collect link that "hush request" printed.

LINK is the collect link, "-" to read it from standard input, or @FILE to read it
from a file. Without it the command asks for the link, so that neither the history
of the shell nor other users of this machine see it.`,
		Example: `# Open the only answer that waits, and write it to a new file
hush collect @collect --output key.txt
# Wait for the answer first
hush collect @collect --watch --output key.txt
# List the answers, and open none
hush collect @collect --list
# Open the second answer, or save all that wait to a folder
hush collect @collect --answer 2
hush collect @collect --all --output answers`,
		Args: command.Takes(0, 1),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args) },
	}
	command.AddDetails(c, `Without --answer and --all the only answer that waits is opened. If several wait, the
command lists them and opens none. If none waits, it ends with exit code 9 as long as
one may still come, and with 4 if none will. --watch waits instead, with --all until
the request is over, and Ctrl-C leaves everything as it was.

The content goes where "hush open" would put it: see "hush open --help-all". The
server keeps an answer until it is safe here. If this run is cut off, run it again
with the same link within two minutes: nothing is lost.

With --json each answer that is opened is an object as that of "hush open", and has
its number as answer. With --list it is one object: title, note, state (open, full,
past, closed or withdrawn), link (the request link), server, created, expires,
wanted, answered and answers, each with number, state, delivery, has_passphrase,
size (as it is encrypted), file_name, created, expires and opens (whether this run
could open it).`)
	o.addPlaceFlags(c)
	define := func(name string, define flags.Define) { define(c.Flags(), name) }
	define("answer", flags.Parsed(&o.chosen, "open the answer with this `number` in the list", parseAnswerNumber))
	define("all", flags.Switch(&o.all, "open all answers that wait, into the folder of --output"))
	define("watch", flags.Switch(&o.watch, "wait for an answer; with --all until the request is over"))
	define("list", flags.Switch(&o.list, "list the answers, and open none"))
	define("burn", flags.Parsed(&o.burned, "destroy the answer with this `number` unread", parseAnswerNumber))
	define("yes", flags.Switch(&o.sure, "burn without a question"))
	define("json", flags.Switch(&o.asJSON, "print objects"))
	o.connector = addServerFlags(c, on, environment)
	for _, name := range []string{"burn", "copy-for", "force", "overwrite", "passphrase-file", "yes"} {
		command.MarkDetail(c.Flags().Lookup(name))
	}
	command.HoldOutput(c)
	command.MarkExits(c, command.ExitOK, command.ExitFailure, command.ExitUsage, command.ExitGone, command.ExitPassphrase,
		command.ExitLocked, command.ExitRefused, command.ExitNetwork, command.ExitNotYet)
	return c
}

// parseAnswerNumber reads the number of an answer in the list.
func parseAnswerNumber(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > client.AnswersMax {
		return 0, fmt.Errorf("must be a number from 1 to %d", client.AnswersMax)
	}
	return n, nil
}

func (o *collectCommand) run(ctx context.Context, args []string) error {
	if err := o.check(args); err != nil {
		return err
	}
	link, err := readLink(ctx, o.console, args, "Collect link: ", client.ParseCollectLink)
	if err != nil {
		return err
	}
	x, err := o.newCollector(ctx, link)
	if err != nil {
		return err
	}
	switch {
	case o.list:
		return o.show(ctx, x)
	case o.burned > 0:
		return o.burn(ctx, x)
	default:
		return o.collect(ctx, x)
	}
}

// check refuses flags and arguments that do not go together.
func (o *collectCommand) check(args []string) error {
	placed := o.output != "" || o.copy || o.force || o.overwrite || o.passphraseFile != ""
	modes := 0
	for _, on := range []bool{o.list, o.burned > 0, o.all, o.chosen > 0} {
		if on {
			modes++
		}
	}
	switch {
	case modes > 1:
		return command.Usage("choose one of --answer, --all, --list and --burn")
	case (o.list || o.burned > 0) && (placed || o.watch):
		return command.Usage("--list and --burn open no answer: leave out the flags for that")
	case o.sure && o.burned == 0:
		return command.Usage("--yes is for --burn")
	case o.burned > 0 && !o.sure && !o.console.CanAsk():
		return command.Usage("there is no terminal to ask on whether to burn; add --yes to confirm")
	case o.passphraseFile == "-" && len(args) > 0 && args[0] == "-":
		return command.Usage("the link and the passphrase cannot both come from standard input")
	case o.list || o.burned > 0:
		return nil
	}
	return o.checkCollecting()
}

// checkCollecting refuses flags for the place of answers that do not go together.
func (o *collectCommand) checkCollecting() error {
	toFiles := o.output != "" && o.output != "-"
	switch {
	case o.all && o.passphraseFile == "-":
		return command.Usage("--passphrase-file - is read once, and --all may need it again: name a file")
	case o.all && o.overwrite:
		return command.Usage("--all takes a free name for each answer: leave out --overwrite")
	case o.all && o.copy:
		return command.Usage("--all is for files: leave out --copy")
	case o.all && !toFiles && !o.asJSON:
		return command.Usage("--all needs --output with a folder, or --json")
	}
	if err := o.checkPlace(); err != nil {
		return err
	}
	if o.all && toFiles && !isFolder(o.output) {
		return command.Usage("--all needs --output with a folder, and %s is none", o.output)
	}
	return nil
}

// newCollector returns the collector of a link. Like opening, collecting needs no account.
func (o *collectCommand) newCollector(ctx context.Context, link client.CollectLink) (*collector, error) {
	server, err := o.connector.connectToLink(ctx, client.Link{Server: link.Server})
	if err != nil {
		return nil, err
	}
	return newCollector(o.console, server, link, pending.NewStore(o.environment, time.Now))
}

// collect opens the answers that were asked for.
func (o *collectCommand) collect(ctx context.Context, x *collector) error {
	if o.copy {
		if err := o.console.CanCopy(ctx); err != nil {
			return err
		}
	}
	if o.all {
		return o.collectAll(ctx, x)
	}
	wants := func(number int, _ client.Answer) bool { return o.chosen == 0 || o.chosen == number }
	found, ready, finished, err := o.begin(ctx, x, wants)
	if finished || err != nil {
		return err
	}
	if len(ready) == 0 && o.watch {
		if found, ready, err = x.next(ctx, true, wants); err != nil {
			return err
		}
	}
	switch {
	case len(ready) == 0:
		return nothingToOpen(found, o.chosen)
	case len(ready) > 1:
		if err := x.tell(found); err != nil {
			return err
		}
		return command.Usage("%s wait: choose one with --answer, or open them all with --all and a folder", console.Count(len(ready), "answers"))
	}
	_, err = o.openAnswer(ctx, x, found, ready[0])
	return err
}

// begin returns the collection as it is now, and the wanted answers that can be opened. It
// finishes what earlier runs were cut off from, and reports whether that was this very call.
func (o *collectCommand) begin(ctx context.Context, x *collector, wants wanting) (found client.Collection, ready []int, finished bool, err error) {
	if found, ready, err = x.next(ctx, false, wants); err != nil {
		return found, nil, false, err
	}
	finished, err = o.finishEarlier(x, found, wants)
	x.sweep(found)
	return found, ready, finished, err
}

// collectAll opens all answers that wait, and with --watch those that come later, until no
// other can. One that fails does not keep it from the others. But one that was opened and
// did not reach its place ends a watch: a later run gets its content only soon after that.
func (o *collectCommand) collectAll(ctx context.Context, x *collector) error {
	tried := map[client.AnswerNumber]bool{} // the server orders the list
	wants := func(_ int, a client.Answer) bool { return !tried[a.Number] }
	found, ready, finished, err := o.begin(ctx, x, wants)
	if err != nil {
		return err
	}
	var failed error
	for {
		for _, number := range ready {
			tried[found.Answers[number-1].Number] = true
			waits, err := o.openAnswer(ctx, x, found, number)
			if ctx.Err() != nil || waits && o.watch {
				return err
			}
			if err != nil {
				o.console.Fail(err)
				failed = exitCodeAlone(withCode(err))
			}
		}
		if !o.watch {
			break
		}
		if found, ready, err = x.next(ctx, true, wants); err != nil {
			return err
		}
		if len(ready) == 0 {
			break
		}
	}
	switch {
	case len(tried) == 0 && !finished:
		return nothingToOpen(found, 0)
	case o.watch:
		o.console.Tellf("the request is %s", requestText(found.Request, time.Now()))
	}
	return failed
}

// withCode returns an error with the exit code that it ends the program with.
func withCode(err error) error {
	if _, ok := errors.AsType[*command.ExitError](err); ok {
		return err
	}
	code := command.ExitFailure
	if _, ok := errors.AsType[*command.UsageError](err); ok {
		code = command.ExitUsage
	}
	return &command.ExitError{Code: code, Cause: err}
}

// openAnswer opens an answer as openLink does.
func (o *collectCommand) openAnswer(ctx context.Context, x *collector, found client.Collection, number int) (waits bool, err error) {
	answer, one := found.Answers[number-1], o.openCommand
	one.answer = number
	if o.all && !answer.HasPassphrase {
		one.passphraseFile = ""
	}
	return one.openLink(ctx, x.options(found, number))
}

// finishEarlier removes what earlier runs kept for answers that they passed on, and of which
// the server has nothing more: they were cut off when all was done, or nearly all. It reports
// whether one of them had saved an answer to the very place of this run, and says so. The
// claim on an answer that was not passed on stays, whatever the server says of it.
func (o *collectCommand) finishEarlier(x *collector, found client.Collection, wants wanting) (finished bool, failed error) {
	for i, a := range found.Answers {
		if !wants(i+1, a) || a.State != client.StateOpened || a.CanOpen() {
			continue
		}
		s := &revealer{revealOptions: x.options(found, i+1), consumed: true, about: client.Secret{Encryption: client.EncryptionEndToEnd}}
		s.place, s.link.Server = o.claimPlace(), x.link.Server
		if s.claim = x.claims.TakeAnswer(s.answer); s.claim == nil {
			continue
		}
		one := o.openCommand
		one.answer = i + 1
		switch {
		case s.wasSavedTo() && o.isFile():
			s.claim.DropTemporaries()
			finished, failed = true, errors.Join(failed, one.tellFinished(s))
		case s.wasSavedTo() && o.all && s.place != "":
			s.claim.DropTemporaries()
			finished = true
			s.tellf("an earlier run saved the answer to a file in %q", o.output)
		case s.wasSaved():
			s.tellf("an earlier run passed the content of an answer on")
		default:
			s.release()
			continue
		}
		s.removeClaim()
	}
	return finished, failed
}
