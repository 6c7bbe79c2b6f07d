package people

import (
	"context"
	"errors"
	"strings"

	"hush/cli/command"
	"hush/cli/console"
	"hush/client"
)

// readLink reads LINK: the link, "-" for the only line of standard input, @FILE for that of
// a file, and nothing for a prompt on a terminal, which does not show what is pasted.
func readLink[L any](ctx context.Context, on *console.Console, args []string, prompt string, parse func(text string) (L, error)) (link L, err error) {
	if len(args) == 0 && !on.CanAsk() {
		return link, command.Usage("LINK is missing: \"-\" reads it from standard input, @FILE from a file")
	}
	text, err := askLinkText(ctx, on, args, prompt)
	if err != nil {
		return link, err
	}
	link, err = parse(text)
	return link, withExitCode(err)
}

// askLinkText returns the text of LINK, or asks for it.
func askLinkText(ctx context.Context, on *console.Console, args []string, prompt string) (string, error) {
	if len(args) == 0 {
		return on.AskHidden(ctx, prompt)
	}
	return readLinkText(ctx, on, args[0])
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
