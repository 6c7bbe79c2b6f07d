package people

import (
	"context"
	"errors"

	"hush/cli/command"
	"hush/client"
)

// readPassphrase gets the passphrase, if the secret has one: from its file, or from
// a prompt.
func (s *revealer) readPassphrase(ctx context.Context) error {
	switch {
	case !s.hasPassphrase():
		if s.passphraseFile != "" {
			s.tellf("this secret has no passphrase; the file with one is not read")
		}
		return nil
	case s.passphraseFile != "":
		return s.readPassphraseFile(ctx)
	case s.console.CanAsk():
		return s.askPassphrase(ctx)
	case !s.about.Known:
		return nil
	default:
		return s.withName(withExitCode(&client.Error{Kind: client.KindPassphrase, Message: "this secret has a passphrase", Missing: true, TriesLeft: -1}))
	}
}

// readPassphraseFile reads the passphrase from its file.
func (s *revealer) readPassphraseFile(ctx context.Context) error {
	text, err := s.console.SecretLine(ctx, s.passphraseFile)
	s.passphrase = client.Hide(text)
	return s.withName(command.InFlag("passphrase-file", err))
}

// askPassphrase asks for the passphrase on a terminal.
func (s *revealer) askPassphrase(ctx context.Context) error {
	prompt := "Passphrase"
	if s.name != "" {
		prompt += " of " + s.name
	}
	if !s.about.Known {
		prompt += ", empty if it has none"
	}
	text, err := s.console.AskHidden(ctx, prompt+": ")
	s.passphrase, s.asked = client.Hide(text), true
	return s.withName(err)
}

// mayAskAgain reports whether another passphrase may open the secret, and says what
// was wrong with the last.
func (s *revealer) mayAskAgain(err error) bool {
	failed, ok := errors.AsType[*client.Error](err)
	if !ok || !s.asked {
		return false
	}
	switch {
	case failed.Kind != client.KindPassphrase || failed.TriesLeft == 0:
		return false
	case failed.TriesLeft < 0:
		s.tellf("wrong passphrase; try another")
	case failed.TriesLeft == 1:
		s.tellf("wrong passphrase; one try is left before a pause")
	default:
		s.tellf("wrong passphrase; %d tries are left before a pause", failed.TriesLeft)
	}
	return true
}
