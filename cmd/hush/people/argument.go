package people

import (
	"context"
	"errors"
	"strings"

	"hush/cli/command"
	"hush/cli/console"
	"hush/client"
)

// readLink reads a LINK argument: the link, "-" for the only line of standard
// input, or @FILE for that of a file.
func (x *connector) readLink(ctx context.Context, argument string) (client.Link, error) {
	text, err := readLinkText(ctx, x.console, argument)
	if err != nil {
		return client.Link{}, err
	}
	link, err := client.ParseLink(text)
	return link, withExitCode(err)
}

// readCollectLink is readLink for the collect link of a request.
func (x *connector) readCollectLink(ctx context.Context, argument string) (client.CollectLink, error) {
	text, err := readLinkText(ctx, x.console, argument)
	if err != nil {
		return client.CollectLink{}, err
	}
	link, err := client.ParseCollectLink(text)
	return link, withExitCode(err)
}

// readLinkText returns the text of a LINK argument.
func readLinkText(ctx context.Context, on *console.Console, argument string) (string, error) {
	text, from, err := readArgument(ctx, on, argument)
	if err == nil && !from {
		text = argument
	}
	return text, err
}

// readReceipt reads a RECEIPT argument: "-" for the only line of standard input,
// @FILE for that of a file, and nothing for a prompt on a terminal, which does not
// show what is pasted. A receipt itself is refused: other users of the machine can
// see it in the list of processes, and the shell's history keeps it.
func (x *connector) readReceipt(ctx context.Context, args []string) (client.ReceiptLink, error) {
	text, err := x.readReceiptText(ctx, args)
	if err != nil {
		return client.ReceiptLink{}, err
	}
	receipt, err := client.ParseReceiptLink(text)
	return receipt, withExitCode(err)
}

func (x *connector) readReceiptText(ctx context.Context, args []string) (string, error) {
	if len(args) == 0 {
		if !x.console.CanAsk() {
			return "", command.Usage("RECEIPT is missing: \"-\" reads it from standard input, @FILE from a file")
		}
		return x.console.AskHidden(ctx, "Link of the receipt: ")
	}
	text, from, err := readArgument(ctx, x.console, args[0])
	if err == nil && !from {
		err = command.Usage("a receipt is not taken from the command line, where other users of this machine and the history of the shell see it: pass \"-\" for standard input or @FILE, or leave it out to be asked")
	}
	return text, err
}

// readArgument reads what "-" and @FILE stand for. It reports whether the argument is
// one of them. A pipe may keep it waiting until ctx ends.
func readArgument(ctx context.Context, on *console.Console, argument string) (text string, from bool, err error) {
	if argument == "-" {
		text, err = on.OnlyLine(ctx, "-")
		if err != nil && !errors.Is(err, console.ErrInterrupted) {
			err = command.Usage("standard input: %v", err)
		}
		return text, true, err
	}
	file, ok := strings.CutPrefix(argument, "@")
	if !ok {
		return "", false, nil
	}
	if file == "" || strings.Contains(file, "://") {
		return "", true, command.Usage("behind the @ must stand the name of a file that has the link")
	}
	text, err = on.OnlyLine(ctx, file)
	if err != nil && !errors.Is(err, console.ErrInterrupted) {
		err = command.Usage("%v", err)
	}
	return text, true, err
}
