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

// runCommand is one call of "hush run".
type runCommand struct {
	console     *console.Console
	environment []string
	connector   *connector

	sources     []secretSource
	passphrases []assignment
	requestTTL  time.Duration

	claims *pending.Store
}

// Run returns "hush run": it starts another program with secrets in its environment, or
// in files that are only in memory. It consumes nothing before all that could go wrong
// was tried, and tells the server that the secrets arrived once the program runs.
func Run(on *console.Console, environment []string) *cobra.Command {
	r := &runCommand{console: on, environment: environment, claims: pending.NewStore(environment, time.Now)}
	c := &cobra.Command{
		Use: "run -- COMMAND [ARGUMENT]...", Short: "run a program with secrets",
		Long: `Run a program with secrets that are opened for it, each once. LINK is the link, "-"
to read it from standard input, or @FILE to read it from a file. With --request the
command asks a person for a secret, and waits for the answer.`,
		Example: `# Start a program with a password, whose link is in a file
hush run --secret DB_PASSWORD=@link -- ./orders --port 8080
# Read the link from a pipe
echo "$LINK" | hush run --secret DB_PASSWORD=- -- ./orders
# Put a second secret into a file in memory
hush run --secret DB_PASSWORD=@link --file TLS_KEY_FILE=@key-link -- ./orders
# Ask a person for it: the link to answer with goes to standard error
hush run --request DB_PASSWORD='Password of the database' -- ./orders`,
		Args: cobra.ArbitraryArgs, ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault),
		RunE: func(c *cobra.Command, args []string) error { return withRunExitCode(r.run(c.Context(), args)) },
	}
	command.AddDetails(c, `--secret puts the text of a secret into the environment variable NAME, without a
line break at its end: it removes one, and no more. --file, on Linux, puts the content
as it is into a file in memory that is sealed and has no name on any disk, and the
path of that file into NAME. The path is good in the program, and in programs that
inherit its open files, as long as they run as the same user: a program that changes
its user reads the file before.

First all secrets are looked at, and passphrases are asked for; the program is
looked up in PATH. Only then are the secrets opened, each once. If one cannot be
opened, or the program does not start, run the same again within two minutes:
nothing is lost. Servers that speak v1 or v2 cannot do that.

--request makes a request with a TITLE, prints its link on standard error, waits for
the answer, and puts that into NAME without printing it. Send the link to those alone
who shall answer. The collect link is kept in a file of the folder for states, for its
owner only, and the command names that file: if the run is cut off, a run with
--secret NAME=@FILE in the place of --request waits on, and "hush collect" takes the
answer. LINK may be any collect link in the same way. The file is removed once the
program has the answer, and stays where a request ends without one.

The program gets the environment without HUSH_TOKEN, the standard streams, and the
signals that this command gets, except those of Ctrl-C and Ctrl-\ on a terminal,
which sends them to the program itself. The exit code is that of the program, or 128
and the number of the signal that ended it; 125 if hush fails, 126 if the program
cannot be executed, 127 if it is not found.`)
	c.Flags().SetInterspersed(false) // what follows COMMAND is for it
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return withRunExitCode(c.Parent().FlagErrorFunc()(c, err)) })
	define := func(name string, define flags.Define) { flags.Unrepeated(define)(c.Flags(), name) }
	define("secret", flags.Repeated(&r.sources, "put the text of a secret into a variable, as `NAME=LINK`", parseSecretSource(false)))
	define("file", flags.Repeated(&r.sources, "put a secret into a file in memory and its path into a variable, as `NAME=LINK` (Linux)", parseSecretSource(true)))
	define("request", flags.Repeated(&r.sources, "ask for a secret, and put the text of the answer into a variable, as `NAME=TITLE`", parseRequestSource))
	define("request-ttl", flags.Parsed(&r.requestTTL, "`lifetime` of the requests of --request, as in 2h or 1d (default: the server's)", parseLifetime))
	define("passphrase-file", flags.Repeated(&r.passphrases, "read the passphrase of a secret from the first line of a file, as `NAME=FILE`, \"-\" for standard input", parseAssignments))
	r.connector = addServerFlags(c, on, environment)
	command.HoldOutput(c)
	command.MarkExits(c, command.ExitRun, command.ExitNotExecutable, command.ExitNotFound)
	return c
}

// withRunExitCode gives an error of this command the code that no error of the program
// has, unless it has one of env(1) already.
func withRunExitCode(err error) error {
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

func (r *runCommand) run(ctx context.Context, args []string) error {
	signals := catchSignals()
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
	secrets, err := r.prepareSecrets(ctx)
	defer secrets.release()
	if err != nil {
		return err
	}
	values, err := secrets.open(ctx)
	defer values.discard()
	if err != nil {
		return secrets.rescue(ctx, err)
	}
	return r.start(ctx, path, args, secrets, values, signals)
}

// prepareSecrets does all that comes before the first secret is opened. The answers of
// requests are waited for when all else is there. It returns what is to be released.
func (r *runCommand) prepareSecrets(ctx context.Context) (runSecrets, error) {
	secrets, err := r.lookAtSecrets(ctx)
	if err == nil {
		err = secrets.readPassphrases(ctx)
	}
	if err == nil {
		err = r.checkMemoryFiles()
	}
	if err == nil {
		err = r.ask(ctx)
	}
	if err != nil {
		return secrets, err
	}
	answers, err := r.lookAtAnswers(ctx)
	secrets = append(secrets, answers...)
	if err == nil {
		err = answers.readPassphrases(ctx)
	}
	if err == nil {
		err = secrets.storeClaims(ctx)
	}
	return secrets, err
}

// checkMemoryFiles shows that there can be files in memory, before anything is opened for one.
func (r *runCommand) checkMemoryFiles() error {
	if !slices.ContainsFunc(r.sources, func(s secretSource) bool { return s.isFile }) {
		return nil
	}
	file, err := newMemoryFile(nil)
	file.close()
	return err
}

// lookAtSecrets looks at all secrets whose links are known.
func (r *runCommand) lookAtSecrets(ctx context.Context) (looked runSecrets, err error) {
	var links []client.Link
	for _, from := range r.sources {
		links = append(links, from.link)
	}
	for _, text := range r.claims.Sweep(links...) {
		r.console.Tellf("%s", text)
	}
	for _, from := range r.sources {
		if from.title != "" || from.isAwaited() {
			continue
		}
		one, err := r.lookAt(ctx, from)
		if err != nil {
			return looked, err
		}
		looked = append(looked, one)
	}
	return looked, nil
}

// lookAt looks at a secret.
func (r *runCommand) lookAt(ctx context.Context, from secretSource) (*runSecret, error) {
	calls, err := r.connector.connectToLink(ctx, from.link)
	if err != nil {
		return nil, err
	}
	s, err := lookAtSecret(ctx, revealOptions{
		console: r.console, client: calls, link: from.link, claims: r.claims, answer: from.answer,
		name: from.name, passphraseFile: r.passphraseFile(from.name), place: from.name,
	})
	if err != nil {
		return nil, err
	}
	if err := s.refuseInParts(); err != nil {
		s.release()
		return nil, err
	}
	s.describe()
	return &runSecret{revealer: s, source: from}, nil
}

// runSecret is one that is opened for the program.
type runSecret struct {
	*revealer

	source secretSource
	// content is kept until the program has it: when the others are opened, no later
	// run may get it again.
	content []byte
}

// runSecrets are all of them.
type runSecrets []*runSecret

func (all runSecrets) release() {
	for _, s := range all {
		s.release()
	}
}

// readPassphrases gets the passphrases of all secrets.
func (all runSecrets) readPassphrases(ctx context.Context) error {
	for _, s := range all {
		if err := s.readPassphrase(ctx); err != nil {
			return err
		}
	}
	return nil
}

// storeClaims keeps the claims of all secrets, which may need a yes.
func (all runSecrets) storeClaims(ctx context.Context) error {
	for _, s := range all {
		if err := s.storeClaim(ctx); err != nil {
			return err
		}
	}
	return nil
}

// open opens all secrets: first those whose passphrase may be wrong, and last those
// that open only once.
func (all runSecrets) open(ctx context.Context) (programValues, error) {
	var opened programValues
	ordered := slices.SortedStableFunc(slices.Values(all), func(a, b *runSecret) int { return a.rank() - b.rank() })
	for _, s := range ordered {
		content, err := s.open(ctx)
		if err != nil {
			return opened, err
		}
		s.content = bytes.Clone(content.Content.Bytes)
		v, err := newProgramValue(s.source, content.Content)
		clear(content.Content.Bytes)
		if err != nil {
			return opened, fmt.Errorf("%s: %w", s.source.name, err)
		}
		opened = append(opened, v)
	}
	return opened, nil
}

// rank is the place of a secret in the order of opening.
func (s *runSecret) rank() int {
	switch {
	case s.client.Protocol() != client.ProtocolHush:
		return 2
	case s.hasPassphrase():
		return 0
	default:
		return 1
	}
}

// forget overwrites what was kept of contents.
func (all runSecrets) forget() {
	for _, s := range all {
		clear(s.content)
	}
}

// rescue adds to an error what became of the secrets that were opened. What no later run
// gets again is saved, since the program does not get it.
func (all runSecrets) rescue(ctx context.Context, err error) error {
	defer all.forget()
	var repeatable, lost []string
	left := client.ClaimTime
	for _, s := range all {
		if s.opened {
			err = withoutPromise(err)
		}
		switch {
		case !s.opened:
			continue
		case s.canRepeat():
			repeatable, left = append(repeatable, s.source.name), min(left, s.timeLeft())
			continue
		}
		if where, saved := s.save(ctx, s.content, s.source.name); saved {
			err = fmt.Errorf("%w; %s cannot be opened again, and its content is %s", err, s.source.name, where)
			continue
		}
		lost = append(lost, s.source.name)
	}
	if len(repeatable) > 0 {
		err = fmt.Errorf("%w; run the same again within %s%s: the content of %s waits for this device", err, left, all.insteadOfRequests(), joinNames(repeatable))
	}
	if len(lost) > 0 {
		err = fmt.Errorf("%w; the content of %s is lost", err, joinNames(lost))
	}
	return err
}

// joinNames lists names in a sentence.
func joinNames(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
