package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// usageError is a wrong way to call the program, or one of its commands.
type usageError struct {
	text    string
	command string // whose help shows what is right; empty for the command that was called
}

func (e *usageError) Error() string { return e.text }

func usage(format string, args ...any) error { return &usageError{text: fmt.Sprintf(format, args...)} }

// takes accepts from least to most arguments.
func takes(least, most int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch n := len(args); {
		case most == 0 && n > 0:
			return usage("unexpected argument %q", args[0])
		case n >= least && n <= most:
			return nil
		case least == 0 && most == 1:
			return usage("expected at most 1 argument, got %d", n)
		case most == 1:
			return usage("expected 1 argument, got %d", n)
		case least == most:
			return usage("expected %d arguments, got %d", least, n)
		default:
			return usage("expected %d to %d arguments, got %d", least, most, n)
		}
	}
}

// flagError returns the usage error for flags that cannot be parsed. Behind a
// wrong command there is no telling which flags are right, so it names the
// command.
func flagError(c *cobra.Command, err error) error {
	if args := c.Flags().Args(); len(args) > 0 && c.HasAvailableSubCommands() {
		return unknownCommand(c, args[0])
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		name, _, _ := strings.Cut(unknown.GetSpecifiedShortnames(), "=")
		if c.Flags().Lookup(name) != nil {
			return usage("flags begin with two dashes: --%s", name)
		}
	}
	return usage("%v", err)
}

// unknownCommand returns the usage error for a name that is no command of c.
func unknownCommand(c *cobra.Command, name string) error {
	if !c.HasParent() {
		for _, moved := range movedCommands() {
			if name == moved {
				path := "hush admin " + moved
				return &usageError{text: fmt.Sprintf("the command %q is now %q", "hush "+moved, path), command: path}
			}
		}
	}
	text := fmt.Sprintf("unknown command %q", name)
	if near := c.SuggestionsFor(name); len(near) > 0 {
		text += fmt.Sprintf("; did you mean \"%s\"?", strings.Join(near, `" or "`))
	}
	return usage("%s", text)
}
