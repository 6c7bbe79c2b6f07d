package people

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"strings"

	"hush/cli/command"
	"hush/cli/console"
	"hush/client"
)

// assignment is a NAME=VALUE of a flag.
type assignment struct{ name, value string }

// secretSource is where a secret comes from and goes to.
type secretSource struct {
	name     string
	argument client.Text // LINK as it was given
	isFile   bool
	title    string // of a request that this run makes; empty for a LINK

	// link is known from the beginning, or once an answer to the request waits.
	link client.Link
	// collect is the collect link of a request; the zero one for the link of a secret.
	collect client.CollectLink
	// answer names the answer to the request, as pending.AnswerName does; empty for none.
	answer string
	// kept is the file that keeps the collect link for a later run; empty for none.
	kept string
}

// isAwaited reports whether the secret is the answer to a request.
func (s *secretSource) isAwaited() bool { return s.collect.Server != "" }

var variablePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// parseAssignment parses the value of a flag. The error does not repeat it, since it
// may be a link.
func parseAssignment(text string) (assignment, error) {
	name, value, ok := strings.Cut(text, "=")
	switch {
	case !ok || !variablePattern.MatchString(name):
		return assignment{}, errors.New("must begin with the name of a variable and =, as in DB_PASSWORD=LINK")
	case name == command.VariableToken:
		return assignment{}, errors.New("must name another variable, since the program does not get " + name)
	case value == "":
		return assignment{}, errors.New("must have a value behind the =")
	}
	return assignment{name, value}, nil
}

func parseAssignments(text string) ([]assignment, error) {
	parsed, err := parseAssignment(text)
	return []assignment{parsed}, err
}

func parseSecretSource(isFile bool) func(string) ([]secretSource, error) {
	return func(text string) ([]secretSource, error) {
		parsed, err := parseAssignment(text)
		return []secretSource{{name: parsed.name, argument: client.Hide(parsed.value), isFile: isFile}}, err
	}
}

// parseRequestSource parses the value of --request.
func parseRequestSource(text string) ([]secretSource, error) {
	name, title, ok := strings.Cut(text, "=")
	if !ok || !variablePattern.MatchString(name) {
		return nil, errors.New("must begin with the name of a variable and =, as in DB_PASSWORD='Password of the database'")
	}
	parsed, err := parseAssignment(text)
	return []secretSource{{name: parsed.name, title: title}}, err
}

// check refuses what can be known to be wrong without a file or a server.
func (r *runCommand) check(args []string) error {
	switch {
	case len(args) == 0 || args[0] == "":
		return command.Usage("COMMAND is missing")
	case len(r.sources) == 0:
		return command.Usage("a secret is missing: --secret NAME=LINK, --file NAME=LINK or --request NAME=TITLE")
	}
	if err := r.checkRequests(); err != nil {
		return err
	}
	names := map[string]bool{}
	inputs := 0
	for _, from := range r.sources {
		if names[from.name] {
			return command.Usage("the variable %s is named twice", from.name)
		}
		names[from.name] = true
		if from.argument.Expose() == "-" {
			inputs++
		}
		if from.isFile && !hasMemoryFiles {
			return command.Usage("--file needs Linux, and this is %s: use --secret", runtime.GOOS)
		}
	}
	passphrases := map[string]bool{}
	for _, one := range r.passphrases {
		if !names[one.name] || passphrases[one.name] {
			return command.Usage("--passphrase-file names %s, which is the name of no secret or is named twice", one.name)
		}
		passphrases[one.name] = true
		if err := command.HasFile("passphrase-file", one.value); err != nil {
			return err
		}
		if one.value == "-" {
			inputs++
		}
	}
	if inputs > 1 {
		return command.Usage("only one value can come from standard input")
	}
	return nil
}

// passphraseFile returns the file with the passphrase of a secret; empty for none.
func (r *runCommand) passphraseFile(name string) string {
	for _, one := range r.passphrases {
		if one.name == name {
			return one.value
		}
	}
	return ""
}

// readLinks reads the links, and refuses one that stands there twice: it opens once.
func (r *runCommand) readLinks(ctx context.Context) error {
	names := map[[32]byte]string{}
	for i := range r.sources {
		from := &r.sources[i]
		if from.title != "" {
			continue
		}
		if err := r.readLink(ctx, from); err != nil {
			return prefixError(from.name, err)
		}
		fingerprint := from.link.Fingerprint()
		if from.isAwaited() {
			fingerprint = from.collect.Fingerprint()
		}
		if other, twice := names[fingerprint]; twice {
			return command.Usage("%s and %s have the same link, which opens only once", other, from.name)
		}
		names[fingerprint] = from.name
	}
	return nil
}

// readLink reads the link of a source: that of a secret, or the collect link of a request.
func (r *runCommand) readLink(ctx context.Context, from *secretSource) error {
	text, err := r.readLinkText(ctx, from.argument.Expose())
	if err != nil {
		return err
	}
	if client.IsCollectLink(text) {
		from.kept = r.claims.KeptRequest(from.argument.Expose())
		from.collect, err = client.ParseCollectLink(text)
	} else {
		from.link, err = client.ParseLink(text)
	}
	return withExitCode(err)
}

// readLinkText reads a LINK argument, but takes no more than a line of standard input: the
// rest is for the program.
func (r *runCommand) readLinkText(ctx context.Context, argument string) (string, error) {
	if argument != "-" {
		return readLinkText(ctx, r.console, argument)
	}
	line, err := console.Interruptible(ctx, func() (string, error) { return readLine(r.console.In) })
	if err != nil && !errors.Is(err, console.ErrInterrupted) {
		err = command.Usage("standard input: %v", err)
	}
	return line, err
}

// maxLinkLine is the maximum bytes of a line with a link.
const maxLinkLine = 4096

// readLine reads a line and nothing behind it.
func readLine(from io.Reader) (string, error) {
	var line []byte
	one := make([]byte, 1)
	for len(line) < maxLinkLine {
		if _, err := io.ReadFull(from, one); errors.Is(err, io.EOF) || err == nil && one[0] == '\n' {
			return string(line), nil
		} else if err != nil {
			return "", err
		}
		line = append(line, one[0])
	}
	return "", fmt.Errorf("the first line is longer than %d bytes", maxLinkLine)
}

// prefixError puts the name of a secret before an error.
func prefixError(name string, err error) error {
	if exit, ok := errors.AsType[*command.ExitError](err); ok {
		err = exit.Cause
	}
	if usage, ok := errors.AsType[*command.UsageError](err); ok {
		return &command.UsageError{Text: name + ": " + usage.Text, Command: usage.Command}
	}
	return fmt.Errorf("%s: %w", name, err)
}
