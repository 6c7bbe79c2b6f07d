package command

import (
	"github.com/spf13/cobra"

	"hush/cli/console"
)

// holdsAnnotation is the annotation of a command whose output would be lost.
const holdsAnnotation = "hush_holds_output"

// HoldOutput makes c a command whose output would be lost if no one read it: a link, a
// token, the content of a secret. A closed pipe is an error of such a command, with its
// words, and not an end without a word as of all others.
func HoldOutput(c *cobra.Command) { annotate(c, holdsAnnotation, "yes") }

// HoldsOutput reports whether a command is marked by HoldOutput.
func HoldsOutput(c *cobra.Command) bool { return c != nil && c.Annotations[holdsAnnotation] != "" }

// NeedOutput returns a usage error if standard output was closed when the program began:
// what is printed there and exists nowhere else would be lost without an error. lost says
// what and maybe a remedy, as in "the link would be lost".
func NeedOutput(on *console.Console, lost string) error {
	if console.IsClosed(on.Out) {
		return Usage("standard output is closed, and %s", lost)
	}
	return nil
}

// NeedMessages is NeedOutput for standard error.
func NeedMessages(on *console.Console, lost string) error {
	if console.IsClosed(on.Err) {
		return Usage("standard error is closed, and %s", lost)
	}
	return nil
}
