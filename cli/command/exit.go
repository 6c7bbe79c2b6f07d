package command

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// The exit codes of the program. Scripts rely on them: they do not change.
const (
	ExitOK = 0
	// ExitFailure: what has no code of its own, altered content among it.
	ExitFailure = 1
	// ExitUsage: a wrong flag, argument or variable, or a text that is no link.
	ExitUsage = 2
	// ExitUnable: "hush admin doctor" cannot examine the data, so that it says nothing
	// about it.
	ExitUnable = 3
	// ExitGone: the secret was opened, was burned, has expired or never existed, or
	// its content was lost on the way.
	ExitGone = 4
	// ExitPassphrase: the passphrase is missing or wrong.
	ExitPassphrase = 5
	// ExitLocked: tries of the passphrase are paused, or used up.
	ExitLocked = 6
	// ExitRefused: the server does not allow it, or its protocol cannot do it.
	ExitRefused = 7
	// ExitNetwork: the server does not answer.
	ExitNetwork = 8
	// ExitNotYet: no answer to a request waits, and one may still come.
	ExitNotYet = 9
	// ExitRun, ExitNotExecutable and ExitNotFound: "hush run" itself failed, could not
	// execute the program, or did not find it, as with env(1). Every other code is that
	// of the program.
	ExitRun           = 125
	ExitNotExecutable = 126
	ExitNotFound      = 127
)

// exitsAnnotation is the annotation of a command with exit codes of its own.
const exitsAnnotation = "hush_exits"

// MarkExits names all exit codes of a command whose manual page has others than most.
func MarkExits(c *cobra.Command, codes ...int) {
	words := make([]string, len(codes))
	for i, code := range codes {
		words[i] = strconv.Itoa(code)
	}
	annotate(c, exitsAnnotation, strings.Join(words, " "))
}

// exitStatus is an exit code and what it means.
type exitStatus struct {
	code    int
	meaning string
}

// exitStatuses are the meanings of all exit codes.
func exitStatuses() []exitStatus {
	return []exitStatus{
		{ExitOK, "success"},
		{ExitFailure, "a failure"},
		{ExitUsage, "a wrong flag, argument or variable"},
		{ExitUnable, "the data cannot be examined"},
		{ExitGone, "the secret is gone: it was opened, was burned, has expired or never existed; or its content was lost on the way"},
		{ExitPassphrase, "the passphrase is missing or wrong"},
		{ExitLocked, "tries of the passphrase are paused, or used up"},
		{ExitRefused, "the server does not allow it, does not accept the token, gets too many calls, or cannot do it"},
		{ExitNetwork, "the server does not answer"},
		{ExitNotYet, "no answer waits yet, and one may still come"},
		{ExitRun, "hush failed; every other exit code is that of the program"},
		{ExitNotExecutable, "the program cannot be executed"},
		{ExitNotFound, "the program was not found"},
	}
}

// exitsOf returns the exit codes of a command with their meanings: those of its mark,
// or those of all commands and of all that call a server.
func exitsOf(c *cobra.Command) []exitStatus {
	marked := strings.Fields(c.Annotations[exitsAnnotation])
	return slices.DeleteFunc(exitStatuses(), func(s exitStatus) bool {
		if len(marked) > 0 {
			return !slices.Contains(marked, strconv.Itoa(s.code))
		}
		ofClients := IsClient(c) && s.code >= ExitGone && s.code <= ExitNetwork
		return s.code > ExitUsage && !ofClients
	})
}
