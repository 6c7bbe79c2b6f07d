package people

import (
	"context"
	"errors"
	"fmt"

	"hush/cli/command"
	"hush/client"
)

// failed returns what ends the program for a reveal that gave no content. It keeps
// the claim where the server may have revealed the secret with it: also if it is said
// to be gone, which a wrong server behind a balancer says, too. A later run tries the
// claim, which does no harm.
func (s *Secret) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = &client.Error{Kind: client.KindFailure, Message: "interrupted"}
	}
	failed := s.named(Fail(err))
	switch client.KindOf(err) {
	case client.KindGone, client.KindLost:
		s.finish()
		if s.WasSaved() {
			return s.withWords(failed, "an earlier run passed its content on")
		}
	case client.KindPassphrase, client.KindLocked:
		if !s.gone {
			s.remove()
		}
	case client.KindFailure, client.KindNetwork, client.KindAltered, client.KindLimited:
		if s.CanRepeat() {
			return s.withWords(failed, fmt.Sprintf("if the server revealed the secret, it waits for this device: run it again within %s", s.Left()))
		}
	default: // refused before anything happened
	}
	return failed
}

// remove removes a claim that opens nothing.
func (s *Secret) remove() {
	if s.claim != nil {
		s.finish()
		s.claim.Remove()
	}
}

// finish finishes what earlier runs left of the content.
func (s *Secret) finish() {
	if s.claim == nil {
		return
	}
	for _, text := range s.claim.FinishTemporaries() {
		s.tellf("%s", text)
	}
}

// named puts the name of the secret before an error.
func (s *Secret) named(err error) error {
	if err == nil || s.Name == "" {
		return err
	}
	return rewrite(err, func(err error) error { return fmt.Errorf("%s: %w", s.Name, err) })
}

func (*Secret) withWords(err error, words string) error {
	return rewrite(err, func(err error) error { return fmt.Errorf("%w; %s", err, words) })
}

// rewrite changes the words of an error and leaves its exit code as it is.
func rewrite(err error, words func(error) error) error {
	if exit, ok := errors.AsType[*command.ExitError](err); ok && exit.Cause != nil {
		return &command.ExitError{Code: exit.Code, Cause: words(exit.Cause)}
	}
	if usage, ok := errors.AsType[*command.UsageError](err); ok {
		return &command.UsageError{Text: words(usage).Error(), Command: usage.Command}
	}
	return words(err)
}
