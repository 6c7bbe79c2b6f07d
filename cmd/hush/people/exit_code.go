package people

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"hush/cli/command"
	"hush/cli/console"
	"hush/client"
)

// withExitCode returns what ends the program for an error of package client: the exit code
// of its kind, and the words for people. It returns other errors, and nil, as they
// are.
func withExitCode(err error) error {
	failed, ok := errors.AsType[*client.Error](err)
	if _, done := errors.AsType[*command.ExitError](err); !ok || done {
		return err
	}
	if failed.Kind == client.KindUsage {
		return command.Usage("%v", err)
	}
	if errors.Is(err, context.Canceled) {
		return &command.ExitError{Code: command.ExitFailure, Cause: err}
	}
	if remedy := remedyOf(failed); remedy != "" {
		err = fmt.Errorf("%w; %s", err, remedy)
	}
	return &command.ExitError{Code: exitCodeOf(failed.Kind), Cause: err}
}

// exitCodeOf returns the exit code of a kind.
func exitCodeOf(kind client.Kind) int {
	switch kind {
	case client.KindUsage, client.KindLink, client.KindProtocol:
		return command.ExitUsage
	case client.KindGone, client.KindLost:
		return command.ExitGone
	case client.KindPassphrase:
		return command.ExitPassphrase
	case client.KindLocked:
		return command.ExitLocked
	case client.KindRefused, client.KindUnauthorized, client.KindLimited, client.KindUnsupported, client.KindArriving:
		return command.ExitRefused
	case client.KindNetwork:
		return command.ExitNetwork
	default: // KindFailure, KindAltered
		return command.ExitFailure
	}
}

// remedyOf returns what the user can do about an error; empty where the message
// says all.
func remedyOf(failed *client.Error) string {
	switch failed.Kind {
	case client.KindUnauthorized:
		return "\"hush whoami\" says which token is used, and \"hush login\" stores one"
	case client.KindLimited:
		return tryAgainText(failed.RetryAfter)
	case client.KindLocked:
		if failed.ForGood {
			return ""
		}
		return tryAgainText(failed.RetryAfter)
	case client.KindPassphrase:
		return triesLeftText(failed)
	case client.KindRefused:
		if failed.EndToEnd {
			return "--encryption server lets the server encrypt, which then sees the text and the passphrase"
		}
		return ""
	case client.KindNetwork:
		if _, ok := errors.AsType[*tls.CertificateVerificationError](failed); ok {
			return "--ca-file names further certificates to trust"
		}
		return ""
	case client.KindProtocol:
		if errors.Is(failed, client.ErrScheme) {
			return ""
		}
		return "is the address right? \"hush login --server URL\" finds out which protocol a server speaks, and --protocol names it"
	default:
		return ""
	}
}

func tryAgainText(after time.Duration) string {
	if after = roundedPause(after); after <= 0 {
		return "try again later"
	}
	return "try again in " + after.String()
}

// roundedPause returns a pause as it is shown: to the second, and a short one to a tenth,
// since it would be shown as none. What is shorter than that is none.
func roundedPause(pause time.Duration) time.Duration {
	if pause < 10*time.Second {
		return pause.Round(100 * time.Millisecond)
	}
	return pause.Round(time.Second)
}

func triesLeftText(failed *client.Error) string {
	switch {
	case failed.Missing:
		return "pass it with --passphrase-file, or run the command on a terminal"
	case failed.TriesLeft == 0:
		return "that was the last try before a pause"
	case failed.TriesLeft > 0:
		return fmt.Sprintf("tries left before a pause: %d", failed.TriesLeft)
	default:
		return ""
	}
}

// printJSON prints a value to standard output as a line of JSON.
func printJSON(on *console.Console, value any) error {
	line, err := encodeJSON(value)
	if err == nil {
		_, err = on.Out.Write(line)
	}
	return err
}

// encodeJSON returns a value as a line of JSON. What a terminal could obey is escaped
// in it, as JSON itself does it with the first 32 characters alone.
func encodeJSON(value any) ([]byte, error) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return console.EscapeJSON(line.Bytes()), err
}
