package people

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hush/cli/command"
	"hush/cli/console"
	"hush/cli/flags"
	"hush/client"
	"hush/cmd/hush/people/pending"
)

// defaultCopyTime is how long the clipboard keeps a secret, unless --copy-for says
// otherwise.
const defaultCopyTime = 45 * time.Second

// openCommand is one call of "hush open".
type openCommand struct {
	console     *console.Console
	environment []string
	connector   *connector

	output         string
	placeAsked     bool // on a terminal: a text does not need the place
	overwrite      bool
	copy           bool
	copyFor        time.Duration
	force          bool
	passphraseFile string
	asJSON         bool
	answer         int // the number of an answer to a request; 0 for a secret of its own
	laterRun       string
}

// Open returns "hush open": it opens a secret to standard output, into a file that
// appears whole or not at all, or into the clipboard. The server is told that the
// content arrived once it is there.
func Open(on *console.Console, environment []string) *cobra.Command {
	o := &openCommand{console: on, environment: environment}
	c := &cobra.Command{
		Use: "open [LINK]", Short: "open a secret, once",
		Long: `Open a secret and print it, or write it to a file. A secret opens once.

LINK is the link, "-" to read it from standard input, or @FILE to read it from a
file. Without it the command asks for the link, so that neither the history of the
shell nor other users of this machine see it. If the secret has a passphrase, it
asks for that too.`,
		Example: `# Ask for the link, and print the secret
hush open
# Take the link from a file, and write the secret to a new file
hush open @link --output received.env
# Write a file to this folder, under the name that its sender gave it
hush open --output .
# Put a text into the clipboard for a minute
hush open --copy --copy-for 1m`,
		Args: command.Takes(0, 1),
		RunE: o.run,
	}
	command.AddDetails(c, `On a terminal control characters are shown and not obeyed, and a file is not
printed: before the secret is opened, the command asks where to save it if it is a
file. --output says that without a question: a file, or a folder, where the file gets
the name that its sender gave it, or a free one like it. No file is overwritten
without --overwrite, which replaces regular files only. To a pipe the bytes go as they
are.

The server keeps the content until it is safe here. If this run is cut off, run it
again with the same link within two minutes: nothing is lost. Servers that speak v1
or v2 cannot do that.

A large file is fetched in parts, once all of it has arrived at the server. It goes
to --output alone. If this run is cut off, run it again within two hours: it goes
on where it was.

With --json the facts are printed as one object: kind (text or file), file_name,
size, encryption, server, note (of a large file), and output for the file that was
written or copied for the clipboard. Without --output and --copy the content is in it as text, or as
base64 if it is no text.`)
	o.addPlaceFlags(c)
	flags.Switch(&o.asJSON, "print facts as JSON")(c.Flags(), "json")
	o.connector = addServerFlags(c, on, environment)
	command.HoldOutput(c)
	return c
}

// addPlaceFlags gives a command the flags that say where a content goes, and where its
// passphrase comes from.
func (o *openCommand) addPlaceFlags(c *cobra.Command) {
	define := func(name string, define flags.Define) { define(c.Flags(), name) }
	short := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.Text(&o.output, "", "`file` or folder to write to, \"-\" for standard output")(short, "output")
	short.Lookup("output").Shorthand = "o"
	c.Flags().AddFlagSet(short)
	define("overwrite", flags.Switch(&o.overwrite, "replace a file that exists"))
	define("copy", flags.Switch(&o.copy, "put a text into the clipboard, and clear it after --copy-for"))
	define("copy-for", flags.Parsed(&o.copyFor, "`how long` the clipboard keeps it, 45s by default", flags.ParseSpan))
	define("force", flags.Switch(&o.force, "print to a terminal as it is: files, binary content and control characters"))
	define("passphrase-file", flags.Text(&o.passphraseFile, "", "`file` with the passphrase in its first line, \"-\" for standard input"))
}

func (o *openCommand) run(c *cobra.Command, args []string) error {
	if err := o.check(args); err != nil {
		return err
	}
	ctx := c.Context()
	link, err := readLink(ctx, o.console, args, "Link: ", client.ParseLink)
	if err != nil {
		return err
	}
	calls, err := o.connector.connectToLink(ctx, link)
	if err != nil {
		return err
	}
	claims := pending.NewStore(o.environment, time.Now)
	for _, text := range claims.Sweep(link) {
		o.console.Tellf("%s", text)
	}
	if o.copy {
		if err := o.console.CanCopy(ctx); err != nil {
			return err
		}
	}
	_, err = o.openLink(ctx, revealOptions{client: calls, link: link, claims: claims})
	return err
}

// openLink opens the secret of a link with the options of the command. It reports whether
// the error says that the content waits for a later run, as long as the claim lasts.
func (o *openCommand) openLink(ctx context.Context, options revealOptions) (waits bool, err error) {
	options.console, options.passphraseFile, options.place, options.laterRun = o.console, o.passphraseFile, o.claimPlace(), o.laterRun
	s, err := lookAtSecret(ctx, options)
	if err != nil {
		return false, err
	}
	defer s.release()
	err = o.open(ctx, s)
	return s.waits, err
}

// check refuses flags and arguments that do not go together.
func (o *openCommand) check(args []string) error {
	if o.passphraseFile == "-" && len(args) > 0 && args[0] == "-" {
		return command.Usage("the link and the passphrase cannot both come from standard input")
	}
	return o.checkPlace()
}

// checkPlace refuses flags of addPlaceFlags, and --json, that do not go together.
func (o *openCommand) checkPlace() error {
	switch {
	case o.output != "" && o.copy:
		return command.Usage("--output and --copy exclude each other")
	case o.asJSON && o.output == "-":
		return command.Usage("--json prints to standard output; leave out --output -, and the content is in the object")
	case o.overwrite && (o.output == "" || o.output == "-"):
		return command.Usage("--overwrite needs --output with a file or folder")
	case o.copyFor != 0 && !o.copy:
		return command.Usage("--copy-for needs --copy")
	}
	if (o.output == "" || o.output == "-") && !o.copy {
		if err := command.NeedOutput(o.console, "the content would be lost: name a file with --output"); err != nil {
			return err
		}
	}
	if err := command.HasFile("passphrase-file", o.passphraseFile); err != nil {
		return err
	}
	if o.copyFor == 0 {
		o.copyFor = defaultCopyTime
	}
	return nil
}

// open opens a secret that was looked at. Whatever can fail is tried before the
// secret is consumed.
func (o *openCommand) open(ctx context.Context, s *revealer) error {
	if s.isInParts() {
		return o.openInParts(ctx, s)
	}
	if s.wasSavedTo() && o.isFile() {
		return o.finish(ctx, s)
	}
	to, err := o.newOutput(s)
	if err != nil {
		return err
	}
	defer func() { to.discard() }()
	s.describe()
	if err := s.readPassphrase(ctx); err != nil {
		return err
	}
	if o.mayNeedOutput(s) {
		if to, err = o.askOutput(ctx, s); err != nil {
			return err
		}
	}
	if err := s.storeClaim(ctx); err != nil {
		return err
	}
	if err := to.noteInClaim(s); err != nil {
		return err
	}
	opened, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer clear(opened.Content.Bytes)
	after, err := o.deliver(ctx, s, to, opened.Content)
	if err != nil {
		return err
	}
	s.acknowledge(context.WithoutCancel(ctx))
	if after != nil {
		return after()
	}
	return nil
}

// claimPlace names where the content goes to, for a later run.
func (o *openCommand) claimPlace() string {
	path, err := filepath.Abs(o.output)
	if o.output == "" || o.output == "-" || err != nil {
		return ""
	}
	return path
}

// isFolder reports whether a path is that of a folder.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// isFile reports whether the output is a file that exists.
func (o *openCommand) isFile() bool {
	if o.output == "" || o.output == "-" {
		return false
	}
	info, err := os.Lstat(o.output)
	return err == nil && info.Mode().IsRegular()
}

// finish does what an earlier run for the same file was cut off from: all but the
// acknowledgement was done.
func (o *openCommand) finish(ctx context.Context, s *revealer) error {
	s.acknowledge(context.WithoutCancel(ctx))
	return o.tellFinished(s)
}

// tellFinished says which file an earlier run saved the content to.
func (o *openCommand) tellFinished(s *revealer) error {
	if o.asJSON {
		info, err := os.Lstat(o.output)
		if err != nil {
			return err
		}
		return printJSON(o.console, openedJSON{Answer: o.answer, Size: info.Size(), Encryption: s.encryption().String(), Server: s.link.Server, Output: o.output})
	}
	s.tellf("an earlier run saved the secret to %q", o.output)
	return nil
}
