package people

import (
	"context"
	"errors"

	"hush/cli/command"
	"hush/cli/console"
	"hush/client"
)

// passphrase returns the passphrase of the flags; empty for none.
func (s *share) passphrase(ctx context.Context, policy client.Policy) (client.Text, error) {
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

func (s *share) readPassphrase(ctx context.Context) (string, error) {
	switch {
	case s.passphraseDrawn:
		return drawPassphrase()
	case s.passphraseAsked:
		return s.askPassphrase(ctx)
	case s.passphraseFile != "":
		text, err := s.on.SecretLine(ctx, s.passphraseFile)
		return text, command.InFlag("passphrase-file", err)
	default:
		return "", nil
	}
}

func (s *share) askPassphrase(ctx context.Context) (string, error) {
	text, err := s.on.AskTwice(ctx, "passphrase")
	switch {
	case errors.Is(err, console.ErrNoTerminal):
		return "", command.Usage("--passphrase-prompt: there is no terminal to ask on; use --passphrase-file")
	case err == nil && text == "":
		return "", errors.New("the passphrase is empty; nothing was shared")
	default:
		return text, err
	}
}
