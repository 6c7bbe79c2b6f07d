package people

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hush/cli/command"
	"hush/cli/console"
	"hush/cli/flags"
	"hush/client"
)

// shareCommand is one call of "hush share".
type shareCommand struct {
	contentReader

	connector   *connector
	environment []string
	// inParts is the file that is shared in parts; nil for another content.
	inParts *fileShare

	generate                         *client.Generate
	ttl                              time.Duration
	encryption                       string
	encryptionSet                    bool
	recipients                       []string
	domain, label, note              string
	anew                             bool
	passphraseFile                   string
	passphrasePrompt                 bool
	generatePassphrase               bool
	receiptFile                      string
	showGenerated, drawQR, copyLinks bool
	asJSON, thenWatch                bool
	linkLost                         bool // a link, or what belongs to it, could not be printed
}

const shareHelp = `Share a secret once. The link that it prints opens once: with "hush open", or in
a browser. The content is FILE, standard input, or what you type at a prompt.`

const shareExamples = `# Share a text from a pipe: printf adds no line break, as echo does
printf %s "$DB_PASSWORD" | hush share
# Share a file, which keeps its name
hush share .env
# Ask for a passphrase, and let the secret expire after an hour
hush share --passphrase-prompt --ttl 1h .env
# Share a large file, with a note that the recipient reads before opening it
hush share disk.img --note 'The backup of Friday'
# Type or paste a text, and copy the link
hush share --copy
# Share a random password that only the recipient sees
hush share --generate`

const shareDetails = `The prompt, on a terminal, does not show what you type or paste. Ctrl-D ends it, on
an empty line or after other characters. Every byte counts, a line break at the end
too: echo adds one, printf %s does not. FILE is shared as a file with its name;
standard input as a text, or as a file without a name if it is not text in UTF-8.

The link alone goes to standard output. The lifetime, the receipt and the
passphrase go to standard error. Anyone who has the receipt can follow the secret
and burn it.

A file that is too large for one message is sent in parts. Its link is printed at
once, and opens the file when all of it has arrived. If this run is cut off, run it
again: it goes on, with the same link. Ctrl-C cancels the upload.

--generate shares a random text that only the recipient sees. POLICY is a length
from 4 to 128, sets of characters, or both: 24, 32:letters,digits,symbols or
digits,unambiguous. The sets are lower, upper, letters, digits, symbols and all;
unambiguous leaves out characters that look alike. Without sets it is letters and
digits, without a length 20 characters.

--json prints an object for each link instead: link, receipt, short_id, server,
protocol, encryption, ttl in seconds, expires, has_passphrase, and where they
exist recipient, file_name, passphrase (that of --generate-passphrase) and value
(that of --show); of a file that is sent in parts also size and arriving.`

// Share returns "hush share": it shares a text, a file or a generated text once, and
// prints the link. The content comes from standard input, a file or a prompt, and never
// from the command line.
func Share(on *console.Console, environment []string) *cobra.Command {
	s := &shareCommand{contentReader: contentReader{console: on, call: "hush share", use: "share"}, environment: environment}
	c := &cobra.Command{
		Use: "share [FILE|-]", Short: "share a secret and print its link", Long: shareHelp, Example: shareExamples,
		Args: s.arguments, ValidArgsFunction: command.CompleteFiles,
		RunE: func(c *cobra.Command, args []string) error {
			s.encryptionSet = c.Flags().Changed("encryption")
			return s.run(c.Context(), args)
		},
	}
	s.connector = addServerFlags(c, on, environment)
	command.HoldOutput(c)
	s.addFlags(c.Flags())
	command.AddDetails(c, shareDetails)
	for _, name := range []string{"anew", "domain", "encryption", "json", "label", "name", "receipt-file", "recipient", "show", "text"} {
		command.MarkDetail(c.Flags().Lookup(name))
	}
	c.SetFlagErrorFunc(s.flagError)
	return c
}

func (s *shareCommand) addFlags(set *pflag.FlagSet) {
	flags.Unrepeated(flags.Parsed(&s.generate, "share a random text; see above for the `policy`", parseGeneratePolicy))(set, "generate")
	set.Lookup("generate").NoOptDefVal = "20"
	flags.Switch(&s.showGenerated, "print what --generate made on standard error")(set, "show")
	flags.Parsed(&s.ttl, "`lifetime` of the secret: a number and s, m, h, d or w, as in 3d or 1h30m (default: the server's)", parseLifetime)(set, "ttl")
	flags.Switch(&s.passphrasePrompt, "ask for a passphrase that the recipient needs")(set, "passphrase-prompt")
	flags.Text(&s.passphraseFile, "", "`file` whose first line is the passphrase; \"-\" for standard input")(set, "passphrase-file")
	flags.Switch(&s.generatePassphrase, "draw a passphrase of seven words, and print it on standard error")(set, "generate-passphrase")
	flags.Repeated(&s.recipients, "e-mail `address` that the server mails a link to, one link for each; needs an account and --encryption server; may be given several times", parseRecipients)(set, "recipient")
	flags.Text(&s.domain, "", "custom `domain` of the account for the link")(set, "domain")
	flags.Text(&s.label, "", "`note` for the receipt, which the recipient does not see")(set, "label")
	flags.Text(&s.note, "", "`text` for the recipient, who sees it before the file is opened; not with a passphrase")(set, "note")
	flags.Switch(&s.anew, "burn what an earlier run sent of the file, and share it anew")(set, "anew")
	flags.Choice(&s.encryption, "who encrypts; a server that does sees the content", client.EncryptionEndToEnd.String(), client.EncryptionServer.String())(set, "encryption")
	flags.Text(&s.name, "", "`name` of the file for the recipient")(set, "name")
	flags.Switch(&s.asText, "share FILE as a text, without its name")(set, "text")
	flags.Switch(&s.drawQR, "draw the link as a QR code on standard error")(set, "qr")
	flags.Switch(&s.copyLinks, "put the link into the clipboard too")(set, "copy")
	flags.Switch(&s.asJSON, "print an object for each link instead of the link")(set, "json")
	flags.Switch(&s.thenWatch, "follow the secret until it was opened, was burned or has expired")(set, "watch")
	flags.Text(&s.receiptFile, "", "new `file` for the link of the receipt, which only you may read")(set, "receipt-file")
}

// arguments accepts FILE. It does not repeat what may be a secret.
func (s *shareCommand) arguments(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return command.Usage("there is more than one argument; %s", s.howToPipe())
	}
	return command.NotEmpty(c, args)
}

// flagError does not repeat an unknown flag, which may be a secret that begins with
// a dash, unless it is like the name of a flag.
func (r *contentReader) flagError(c *cobra.Command, err error) error {
	unknown, ok := err.(*pflag.NotExistError) //nolint:errorlint // pflag returns it as it is
	if !ok {
		return c.Root().FlagErrorFunc()(c, err)
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := command.Nearest(strings.TrimLeft(unknown.GetSpecifiedName(), "-"), names); near != "" {
		return command.Usage("unknown flag; did you mean \"--%s\"?", near)
	}
	return command.Usage("unknown flag; %s", r.howToPipe())
}

// check refuses flags and arguments that contradict each other.
func (s *shareCommand) check(args []string) error {
	given := 0
	for _, on := range []bool{s.passphrasePrompt, s.generatePassphrase, s.passphraseFile != ""} {
		if on {
			given++
		}
	}
	fromInput := len(args) == 0 || args[0] == "-"
	switch {
	case given > 1:
		return command.Usage("choose one of --passphrase-prompt, --passphrase-file and --generate-passphrase")
	case s.generate != nil && len(args) > 0:
		return command.Usage("--generate makes the content: leave out FILE, and write a policy with =, as in --generate=24")
	case s.generate != nil && (s.asText || s.name != ""):
		return command.Usage("--generate makes a text: leave out --text and --name")
	case s.generate == nil && s.showGenerated:
		return command.Usage("--show is for --generate")
	case s.asText && s.name != "":
		return command.Usage("a text has no name: leave out --name or --text")
	case s.generate == nil && s.passphraseFile == "-" && fromInput:
		return command.Usage("--passphrase-file: standard input has the content; name a file")
	case s.receiptFile == "-":
		return command.Usage("--receipt-file: \"-\" is no file: name one, or leave out the flag, and the receipt goes to standard error")
	case s.note != "" && (fromInput || s.asText):
		return command.Usage("--note is for a file: name one, without --text")
	case s.note != "" && given > 0:
		return command.Usage("--note: nothing of a file with a passphrase is shown before it is opened; leave out the note or the passphrase")
	case s.note != "" && (len(s.recipients) > 0 || s.encryption == client.EncryptionServer.String()):
		return command.Usage("--note: a secret that the server encrypts has no note; leave out --note, --recipient and --encryption server")
	case s.anew && fromInput:
		return command.Usage("--anew is for a file: name one")
	case len(s.recipients) > maxRecipients:
		return command.Usage("--recipient: there may be %d recipients, and not %d", maxRecipients, len(s.recipients))
	}
	if err := s.checkStreams(); err != nil {
		return err
	}
	return command.HasFile("passphrase-file", s.passphraseFile)
}

// checkStreams refuses a closed stream that something goes to which exists nowhere else.
func (s *shareCommand) checkStreams() error {
	isDrawn := s.drawQR && !console.IsClosed(s.console.Err)
	if len(s.recipients) == 0 && !s.copyLinks && !isDrawn {
		if err := command.NeedOutput(s.console, "the link would be lost"); err != nil {
			return err
		}
	}
	need := command.NeedMessages
	if s.asJSON {
		need = command.NeedOutput
	}
	switch {
	case s.generatePassphrase:
		return need(s.console, "the passphrase would be lost")
	case s.showGenerated:
		return need(s.console, "the generated text would be lost")
	case s.receiptFile == "":
		return need(s.console, "the receipt would be lost: name a file with --receipt-file")
	default:
		return nil
	}
}

func (s *shareCommand) run(ctx context.Context, args []string) error {
	s.recipients = distinctRecipients(s.recipients)
	if err := s.check(args); err != nil {
		return err
	}
	if s.copyLinks {
		if err := s.console.CanCopy(ctx); err != nil {
			return err
		}
	}
	from := contentSource{done: func() {}}
	if s.generate == nil {
		var err error
		if from, err = s.openSource(ctx, args); err != nil {
			return err
		}
	}
	defer from.done()
	server, err := s.connector.connect(ctx)
	if err != nil {
		return withExitCode(err)
	}
	request, err := s.request(ctx, from, server)
	if err != nil && ctx.Err() != nil {
		if s.inParts != nil {
			s.inParts.kept.Release()
		}
		return console.ErrInterrupted
	}
	if s.inParts != nil {
		if err != nil {
			s.inParts.kept.Release()
			return withExitCode(err)
		}
		return s.inParts.share(ctx, request)
	}
	if err != nil {
		return withExitCode(err)
	}
	file, err := createLinkFile("receipt-file", s.receiptFile)
	if err != nil {
		return err
	}
	return s.shareWith(ctx, server, request, file)
}

// request returns what to share. It asks for what the flags leave to prompts.
func (s *shareCommand) request(ctx context.Context, from contentSource, server *client.Client) (client.ShareRequest, error) {
	request := client.ShareRequest{Generate: s.generate, TTL: s.ttl, Domain: s.domain, Label: s.label}
	byServer, err := s.setEncryption(&request, server)
	if err != nil {
		return request, err
	}
	policy, err := server.Policy(ctx)
	if err != nil {
		return request, err
	}
	if policy.Maintenance != "" {
		return request, &client.Error{Kind: client.KindRefused, Message: "the server creates no secrets now: " + console.Visible(policy.Maintenance)}
	}
	// The policy of other protocols says nothing of mail: their servers answer for themselves.
	if len(s.recipients) > 0 && server.Protocol() == client.ProtocolHush {
		if err := policy.AdmitRecipients(); err != nil {
			return request, err
		}
	}
	if s.inParts, err = s.takeFile(ctx, from, policy, byServer, server); err != nil {
		return request, err
	}
	if s.inParts != nil {
		request.Content = &client.Content{IsFile: true, FileName: s.fileName(from)}
	}
	if s.inParts != nil && s.inParts.found {
		return request, nil
	}
	if !s.passphrasePrompt { // before the content is typed
		if request.Passphrase, err = s.passphrase(ctx, policy); err != nil {
			return request, err
		}
	}
	if s.generate == nil && s.inParts == nil {
		request.Content, err = s.readContent(ctx, from, policy.MaxContent, server)
		if err == nil && byServer {
			err = s.makeText(request.Content)
		}
		err = s.withFileHint(err, byServer, policy)
	}
	if err == nil && s.passphrasePrompt {
		request.Passphrase, err = s.passphrase(ctx, policy)
	}
	return request, err
}

// setEncryption sets who encrypts, says so where the protocol has no choice, and
// reports whether it is the server.
func (s *shareCommand) setEncryption(request *client.ShareRequest, server *client.Client) (byServer bool, err error) {
	chosenServer := s.encryption == client.EncryptionServer.String()
	switch protocol := server.Protocol(); {
	case protocol == client.ProtocolHush && !chosenServer && len(s.recipients) > 0:
		return false, command.Usage("a server that mails a link sees it, so that end-to-end encryption has no --recipient: add --encryption server, or pass the link on yourself")
	case protocol == client.ProtocolHush && chosenServer:
		request.Encryption = client.EncryptionServer
		return true, nil
	case protocol == client.ProtocolHush:
		request.Encryption = client.EncryptionEndToEnd
		return false, nil
	case s.encryptionSet && !chosenServer:
		return true, unsupportedByProtocol(protocol, "has no end-to-end encryption")
	case s.label != "":
		return true, unsupportedByProtocol(protocol, "keeps no labels")
	default:
		s.console.Tellf("%s speaks %s: nothing is encrypted on this device, and the server sees the content and the passphrase", server.Server(), protocol)
		return true, nil
	}
}

// unsupportedByProtocol is the error for what a protocol cannot do, before the content is read.
func unsupportedByProtocol(protocol client.Protocol, what string) error {
	return &client.Error{Kind: client.KindUnsupported, Message: "a server that speaks " + protocol.String() + " " + what + "; nothing was sent"}
}
