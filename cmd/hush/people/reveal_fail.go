package people

import (
	"context"
	"errors"
	"fmt"

	"hush/cli/command"
	"hush/client"
)

// openError returns what ends the program for a reveal that gave no content. It keeps
// the claim where the server may have revealed the secret with it: also if it is said
// to be gone, which a wrong server behind a balancer says, too. A later run tries the
// claim, which does no harm.
func (s *revealer) openError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = &client.Error{Kind: client.KindFailure, Message: "interrupted"}
	}
	failed := s.withName(withExitCode(err))
	switch client.KindOf(err) {
	case client.KindGone, client.KindLost:
		s.finishTemporaries()
		if s.wasSaved() {
			return s.withText(failed, "an earlier run passed its content on")
		}
	case client.KindPassphrase, client.KindLocked:
		if !s.consumed {
			s.removeClaim()
		}
	case client.KindFailure, client.KindNetwork, client.KindAltered, client.KindLimited:
		if s.canRepeat() {
			return s.withText(failed, "if the server revealed the secret, it waits for this device: "+s.again())
		}
	default: // refused before anything happened
	}
	return failed
}

// removeClaim removes a claim that opens nothing.
func (s *revealer) removeClaim() {
	if s.claim != nil {
		s.finishTemporaries()
		s.claim.Remove()
	}
}

// finishTemporaries finishes what earlier runs left of the content.
func (s *revealer) finishTemporaries() {
	if s.claim == nil {
		return
	}
	for _, text := range s.claim.FinishTemporaries() {
		s.tellf("%s", text)
	}
}

// withName puts the name of the secret before an error.
func (s *revealer) withName(err error) error {
	if err == nil || s.name == "" {
		return err
	}
	return rewriteError(err, func(err error) error { return fmt.Errorf("%s: %w", s.name, err) })
}

func (*revealer) withText(err error, text string) error {
	return rewriteError(err, func(err error) error { return fmt.Errorf("%w; %s", err, text) })
}

// rewriteError changes the text of an error and leaves its exit code as it is.
func rewriteError(err error, change func(error) error) error {
	if exit, ok := errors.AsType[*command.ExitError](err); ok && exit.Cause != nil {
		return &command.ExitError{Code: exit.Code, Cause: change(exit.Cause)}
	}
	if usage, ok := errors.AsType[*command.UsageError](err); ok {
		return &command.UsageError{Text: change(usage).Error(), Command: usage.Command}
	}
	return change(err)
}
