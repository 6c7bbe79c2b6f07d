package people

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	"hush/cli/flags"
	"hush/client"
	"hush/cmd/hush/people/pending"
)

// runner is one run of the command.
type runner struct {
	console     *console.Console
	environment []string
	choice      *Choice

	sources     []secretSource
	passphrases []assignment
}

// Run returns "hush run": it starts another program with secrets in its environment, or
// in files that are only in memory. It consumes nothing before all that could go wrong
// was tried, and tells the server that the secrets arrived once the program runs.
func Run(on *console.Console, environment []string) *cobra.Command {
	r := &runner{console: on, environment: environment}
	c := &cobra.Command{
		Use: "run -- COMMAND [ARGUMENT]...", Short: "run a program with secrets",
		Long: `Run a program with secrets that are opened for it.

--secret puts the text of a secret into the environment variable NAME, without a
line break at its end: it removes one, and no more. --file, on Linux, puts the content
as it is into a file in memory that is sealed and has no name on any disk, and the
path of that file into NAME. The path is good in the program, and in programs that
inherit its open files, as long as they run as the same user: a program that changes
its user reads the file before.

LINK is the link, "-" to read it from standard input, or @FILE to read it from a
file. First all secrets are looked at, and passphrases are asked for; the program is
looked up in PATH. Only then are the secrets opened, each once. If one cannot be
opened, or the program does not start, run the same again within two minutes:
nothing is lost. Servers that speak v1 or v2 cannot do that.

The program gets the environment without HUSH_TOKEN, the standard streams, and the
signals that this command gets, except those of Ctrl-C and Ctrl-\ on a terminal,
which sends them to the program itself. The exit code is that of the program, or 128
and the number of the signal that ended it; 125 if hush fails, 126 if the program
cannot be executed, 127 if it is not found.`,
		Args: cobra.ArbitraryArgs, ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault),
		RunE: func(c *cobra.Command, args []string) error { return ownFailure(r.run(c.Context(), args)) },
	}
	c.Flags().SetInterspersed(false) // what follows COMMAND is for it
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return ownFailure(c.Parent().FlagErrorFunc()(c, err)) })
	define := func(name string, define flags.Define) { flags.Unrepeated(define)(c.Flags(), name) }
	define("secret", flags.Repeated(&r.sources, "put the text of a secret into a variable, as `NAME=LINK`", parseSource(false)))
	define("file", flags.Repeated(&r.sources, "put a secret into a file in memory and its path into a variable, as `NAME=LINK` (Linux)", parseSource(true)))
	define("passphrase-file", flags.Repeated(&r.passphrases, "read the passphrase of a secret from the first line of a file, as `NAME=FILE`, \"-\" for standard input", parseAssignments))
	r.choice = AddFlags(c, on, environment)
	command.HoldOutput(c)
	command.MarkExits(c, command.ExitRun, command.ExitNotExecutable, command.ExitNotFound)
	return c
}

// ownFailure gives an error of this command the code that no error of the program
// has, unless it has one of env(1) already.
func ownFailure(err error) error {
	exit, ok := errors.AsType[*command.ExitError](err)
	switch {
	case err == nil:
		return nil
	case !ok:
		return &command.ExitError{Code: command.ExitRun, Cause: err}
	case exit.Code == command.ExitNotFound, exit.Code == command.ExitNotExecutable, exit.Cause == nil:
		return err
	default:
		return &command.ExitError{Code: command.ExitRun, Cause: err}
	}
}

func (r *runner) run(ctx context.Context, args []string) error {
	signals := catch()
	defer signals.release()
	if err := r.check(args); err != nil {
		return err
	}
	path, err := lookUpProgram(args[0], r.environment)
	if err != nil {
		return err
	}
	if err := r.readLinks(ctx); err != nil {
		return err
	}
	secrets, err := r.look(ctx)
	defer secrets.release()
	if err != nil {
		return err
	}
	if err := secrets.ask(ctx); err != nil {
		return err
	}
	if err := r.tryMemory(); err != nil {
		return err
	}
	values, err := secrets.open(ctx)
	defer values.discard()
	if err != nil {
		return secrets.keep(ctx, err)
	}
	return r.start(ctx, path, args, secrets, values, signals)
}

// tryMemory shows that there can be files in memory, before anything is opened for one.
func (r *runner) tryMemory() error {
	if !slices.ContainsFunc(r.sources, func(s secretSource) bool { return s.isFile }) {
		return nil
	}
	file, err := newMemoryFile(nil)
	file.close()
	return err
}

// look looks at all secrets.
func (r *runner) look(ctx context.Context) (secrets, error) {
	claims := pending.NewStore(r.environment, time.Now)
	var links []client.Link
	for _, from := range r.sources {
		links = append(links, from.link)
	}
	for _, text := range claims.Sweep(links...) {
		r.console.Tellf("%s", text)
	}
	var looked secrets
	for _, from := range r.sources {
		calls, err := r.choice.ConnectTo(ctx, from.link)
		if err != nil {
			return looked, err
		}
		s, err := Look(ctx, Options{
			Console: r.console, Client: calls, Link: from.link, Claims: claims,
			Name: from.name, PassphraseFile: r.passphraseFile(from.name), Place: from.name,
		})
		if err != nil {
			return looked, err
		}
		s.Describe()
		looked = append(looked, &secret{Secret: s, source: from})
	}
	return looked, nil
}

// secret is one that is opened for the program.
type secret struct {
	*Secret

	source secretSource
	opened bool
	// content is kept until the program has it: when the others are opened, no later
	// run may get it again.
	content []byte
}

// secrets are all of them.
type secrets []*secret

func (all secrets) release() {
	for _, s := range all {
		s.Release()
	}
}

// ask gets the passphrases of all secrets, and keeps their claims, which may need a yes.
func (all secrets) ask(ctx context.Context) error {
	for _, s := range all {
		if err := s.ReadPassphrase(ctx); err != nil {
			return err
		}
	}
	for _, s := range all {
		if err := s.KeepClaim(ctx); err != nil {
			return err
		}
	}
	return nil
}

// open opens all secrets: first those whose passphrase may be wrong, and last those
// that open only once.
func (all secrets) open(ctx context.Context) (values, error) {
	var opened values
	ordered := slices.SortedStableFunc(slices.Values(all), func(a, b *secret) int { return a.rank() - b.rank() })
	for _, s := range ordered {
		content, err := s.Open(ctx)
		if err != nil {
			return opened, err
		}
		s.opened = true
		s.content = bytes.Clone(content.Content.Bytes)
		v, err := newValue(s.source, content.Content)
		clear(content.Content.Bytes)
		if err != nil {
			return opened, fmt.Errorf("%s: %w", s.source.name, err)
		}
		opened = append(opened, v)
	}
	return opened, nil
}

// rank is the place of a secret in the order of opening.
func (s *secret) rank() int {
	switch {
	case s.Client.Protocol() != client.ProtocolHush:
		return 2
	case s.HasPassphrase():
		return 0
	default:
		return 1
	}
}

// forget overwrites what was kept of contents.
func (all secrets) forget() {
	for _, s := range all {
		clear(s.content)
	}
}

// keep adds to an error what became of the secrets that were opened. What no later run
// gets again is saved, since the program does not get it.
func (all secrets) keep(ctx context.Context, err error) error {
	defer all.forget()
	var kept, lost []string
	left := client.ClaimTime
	for _, s := range all {
		if s.opened {
			err = WithoutPromise(err)
		}
		switch {
		case !s.opened:
			continue
		case s.CanRepeat():
			kept, left = append(kept, s.source.name), min(left, s.Left())
			continue
		}
		if where, saved := s.Save(ctx, s.content, s.source.name); saved {
			err = fmt.Errorf("%w; %s cannot be opened again, and its content is %s", err, s.source.name, where)
			continue
		}
		lost = append(lost, s.source.name)
	}
	if len(kept) > 0 {
		err = fmt.Errorf("%w; run the same again within %s: the content of %s waits for this device", err, left, join(kept))
	}
	if len(lost) > 0 {
		err = fmt.Errorf("%w; the content of %s is lost", err, join(lost))
	}
	return err
}

// join lists names in a sentence.
func join(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
