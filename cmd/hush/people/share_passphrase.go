package people

import (
	"context"
	"crypto/rand"
	"errors"
	"math/big"
	"strings"

	"hush/cli/command"
	"hush/cli/console"
	"hush/client"
	"hush/web"
)

// passphrase returns the passphrase of the flags; empty for none.
func (s *shareCommand) passphrase(ctx context.Context, policy client.Policy) (client.Text, error) {
	text, err := s.readPassphrase(ctx)
	switch {
	case err != nil:
		return client.Text{}, err
	case text == "" && policy.PassphraseRequired:
		return client.Text{}, &client.Error{
			Kind:    client.KindRefused,
			Message: "this server takes no secrets without a passphrase: add --generate-passphrase, --passphrase-prompt or --passphrase-file",
		}
	default:
		return client.Hide(text), nil
	}
}

func (s *shareCommand) readPassphrase(ctx context.Context) (string, error) {
	switch {
	case s.generatePassphrase:
		return drawPassphrase()
	case s.passphrasePrompt:
		return askNewPassphrase(ctx, s.console)
	case s.passphraseFile != "":
		text, err := s.console.SecretLine(ctx, s.passphraseFile)
		return text, command.InFlag("passphrase-file", err)
	default:
		return "", nil
	}
}

// askNewPassphrase asks for the passphrase that a content gets.
func askNewPassphrase(ctx context.Context, on *console.Console) (string, error) {
	text, err := on.AskTwice(ctx, "passphrase")
	switch {
	case errors.Is(err, console.ErrNoTerminal):
		return "", command.Usage("--passphrase-prompt: there is no terminal to ask on; use --passphrase-file")
	case err == nil && text == "":
		return "", errors.New("the passphrase is empty; nothing was sent")
	default:
		return text, err
	}
}

// passphraseWords is how many words a generated passphrase has, ten bits each.
const passphraseWords = 7

// drawPassphrase returns random words, as the web page draws them.
func drawPassphrase() (string, error) {
	words := web.Words()
	drawn := make([]string, passphraseWords)
	for i := range drawn {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(words))))
		if err != nil {
			return "", err
		}
		drawn[i] = words[n.Int64()]
	}
	return strings.Join(drawn, "-"), nil
}
