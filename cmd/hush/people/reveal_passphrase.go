package people

import (
	"context"
	"errors"

	"hush/cli/command"
	"hush/client"
)

// ReadPassphrase gets the passphrase, if the secret has one: from its file, or from
// a prompt.
func (s *Secret) ReadPassphrase(ctx context.Context) error {
	switch {
	case !s.HasPassphrase():
		if s.PassphraseFile != "" {
			s.tellf("this secret has no passphrase; the file with one is not read")
		}
		return nil
	case s.PassphraseFile != "":
		return s.readFile(ctx)
	case s.Console.CanAsk():
		return s.ask(ctx)
	case !s.about.Known:
		return nil
	default:
		return s.named(Fail(&client.Error{Kind: client.KindPassphrase, Message: "this secret has a passphrase", Missing: true, TriesLeft: -1}))
	}
}

// readFile reads the passphrase from its file.
func (s *Secret) readFile(ctx context.Context) error {
	text, err := s.Console.SecretLine(ctx, s.PassphraseFile)
	s.passphrase = client.Hide(text)
	return s.named(command.InFlag("passphrase-file", err))
}

// ask asks for the passphrase on a terminal.
func (s *Secret) ask(ctx context.Context) error {
	prompt := "Passphrase"
	if s.Name != "" {
		prompt += " of " + s.Name
	}
	if !s.about.Known {
		prompt += ", empty if it has none"
	}
	text, err := s.Console.AskHidden(ctx, prompt+": ")
	s.passphrase, s.asked = client.Hide(text), true
	return s.named(err)
}

// mayAskAgain reports whether another passphrase may open the secret, and says what
// was wrong with the last.
func (s *Secret) mayAskAgain(err error) bool {
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
