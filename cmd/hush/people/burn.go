package people

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	"hush/cli/flags"
	"hush/client"
)

// burnOptions is what "hush burn" is told to do.
type burnOptions struct {
	yes, asJSON, passphrasePrompt bool
	passphraseFile                string
}

// Burn returns "hush burn": it destroys a secret unread.
func Burn(on *console.Console, environment []string) *cobra.Command {
	var b burnOptions
	c := &cobra.Command{
		Use: "burn [RECEIPT]", Short: "destroy a secret unread", Args: command.Takes(0, 1),
		Long: `Destroy a secret unread, by its receipt. On a terminal the program asks first;
elsewhere it needs --yes. A secret that is gone ends it with exit code 4, and the
message says what became of it.

` + receiptHelp + `

The receipt of several secrets burns all that wait. A server that speaks v1 or v2
needs the passphrase of a secret that has one; Hush does not.`,
		Example: `# Burn the secret of an ID that "hush list" shows
hush burn m9h31x5l
# Burn that of a receipt in a file, without a question
hush burn --yes @receipt`,
	}
	s := receiptCommand{Console: on, connector: addServerFlags(c, on, environment)}
	flags.Switch(&b.yes, "burn without a question")(c.Flags(), "yes")
	flags.Switch(&b.passphrasePrompt, "ask for the passphrase, for a server that needs it")(c.Flags(), "passphrase-prompt")
	flags.Text(&b.passphraseFile, "", "`file` with the passphrase in its first line, for a server that needs it")(c.Flags(), "passphrase-file")
	flags.Switch(&b.asJSON, "print an object for each secret that was burned")(c.Flags(), "json")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := s.checkBurn(b, args); err != nil {
			return err
		}
		server, keys, err := s.find(c.Context(), args)
		if err != nil {
			return err
		}
		return s.burn(c.Context(), server, keys, b)
	}
	return c
}

// checkBurn refuses what cannot work before anything is asked or sent.
func (s receiptCommand) checkBurn(b burnOptions, args []string) error {
	switch {
	case b.passphrasePrompt && b.passphraseFile != "":
		return command.Usage("--passphrase-prompt and --passphrase-file cannot be used together")
	case b.passphraseFile == "-" && len(args) == 1 && args[0] == "-":
		return command.Usage("the receipt and the passphrase cannot both be read from standard input")
	case !b.yes && !s.CanAsk():
		return command.Usage("there is no terminal to ask on whether to burn; add --yes to confirm")
	}
	return command.HasFile("passphrase-file", b.passphraseFile)
}

// burn destroys the secrets of receipts, one after another. Those that are gone do
// not keep it from the others, and neither does one that fails: its error ends the
// command when all were tried.
func (s receiptCommand) burn(ctx context.Context, server *client.Client, keys []client.Text, b burnOptions) error {
	waiting, failed := s.waiting(ctx, server, keys)
	if len(waiting) > 0 && !b.yes {
		if err := s.confirm(ctx, waiting); err != nil {
			return err
		}
	}
	for _, r := range waiting {
		err := s.burnOne(ctx, server, r, b)
		if ctx.Err() != nil {
			return err
		}
		if err != nil && !errors.Is(err, errSaidGone) && len(keys) > 1 {
			s.Tellf("the secret %s was not burned: %v", receiptName(r), err)
			err = exitCodeAlone(err)
		}
		failed = worseError(failed, err)
	}
	return failed
}

// errSaidGone ends the program after a secret was gone already, which was said.
var errSaidGone error = &command.ExitError{Code: command.ExitGone}

// worseError returns the error to end with after two: that a secret is gone counts least.
func worseError(before, now error) error {
	if before == nil || errors.Is(before, errSaidGone) && now != nil {
		return now
	}
	return before
}

// exitCodeAlone returns the error to end with after one that was printed: its exit code alone.
func exitCodeAlone(err error) error {
	if failed, ok := errors.AsType[*command.ExitError](err); ok {
		return &command.ExitError{Code: failed.Code}
	}
	return err
}

// waiting returns the receipts of the secrets that wait, and says what became of the
// others. The error is that of some that are gone or cannot be asked for.
func (s receiptCommand) waiting(ctx context.Context, server *client.Client, keys []client.Text) (waiting []client.Receipt, failed error) {
	for i, key := range keys {
		r, err := server.Receipt(ctx, key)
		r.Key = key
		switch {
		case err != nil && (len(keys) == 1 || ctx.Err() != nil):
			return nil, withExitCode(err)
		case err != nil:
			s.Tellf("receipt %d of %d: %v", i+1, len(keys), err)
			if errors.Is(err, client.ErrGone) {
				failed = worseError(failed, errSaidGone)
			} else {
				failed = worseError(failed, exitCodeAlone(withExitCode(err)))
			}
		case r.State == client.StateWaiting || r.State == client.StateUnknown:
			waiting = append(waiting, r)
		default:
			s.tellGone(r)
			failed = worseError(failed, errSaidGone)
		}
	}
	return waiting, failed
}

func (s receiptCommand) tellGone(r client.Receipt) {
	s.Tellf("nothing to burn: the secret %s is gone: %s", console.Visible(r.ShortID), outcomeText(r, time.Now()))
}

// confirm asks whether to burn.
func (s receiptCommand) confirm(ctx context.Context, waiting []client.Receipt) error {
	question := fmt.Sprintf("Burn the %s that wait, unread?", console.Count(len(waiting), "secrets"))
	if len(waiting) == 1 {
		question = "Burn the secret " + receiptName(waiting[0]) + ", unread?"
	}
	sure, err := s.Confirm(ctx, question)
	if err == nil && !sure {
		return errors.New("nothing was burned")
	}
	return err
}

// receiptName names a receipt for people, by its label too.
func receiptName(r client.Receipt) string {
	name := console.Visible(r.ShortID)
	if r.Label != "" {
		name += " (" + console.Visible(r.Label) + ")"
	}
	return name
}

// burnOne burns the secret of a receipt. It returns errSaidGone if another was first.
func (s receiptCommand) burnOne(ctx context.Context, server *client.Client, r client.Receipt, b burnOptions) error {
	passphrase, err := s.passphrase(ctx, server, r, b)
	if err != nil {
		return err
	}
	burned, err := server.Burn(ctx, r.Key, passphrase)
	if errors.Is(err, client.ErrGone) {
		if now, err := server.Receipt(ctx, r.Key); err == nil && now.State != client.StateWaiting {
			s.tellGone(now)
			return errSaidGone
		}
	}
	if err != nil {
		return withExitCode(err)
	}
	if b.asJSON {
		return printJSON(s.Console, newReceiptJSON(burned))
	}
	s.Tellf("burned the secret %s", receiptName(r))
	return nil
}

// passphrase returns the passphrase that a server needs to burn a secret: none for
// Hush, and for a secret without one.
func (s receiptCommand) passphrase(ctx context.Context, server *client.Client, r client.Receipt, b burnOptions) (client.Text, error) {
	asked := b.passphrasePrompt || b.passphraseFile != ""
	if server.Protocol() == client.ProtocolHush || !asked && !r.HasPassphrase {
		return client.Text{}, nil
	}
	if b.passphraseFile != "" {
		text, err := s.SecretLine(ctx, b.passphraseFile)
		return client.Hide(text), command.InFlag("passphrase-file", err)
	}
	if !s.CanAsk() {
		return client.Text{}, &command.ExitError{
			Code:  command.ExitPassphrase,
			Cause: errors.New("this server burns a secret with a passphrase only with it; pass it with --passphrase-file"),
		}
	}
	text, err := s.AskHidden(ctx, "Passphrase of the secret: ")
	return client.Hide(text), err
}
