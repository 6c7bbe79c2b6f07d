// Command hush runs the service and what an administrator needs beside it. It
// reads flags and environment and runs a command; what the commands do is in the
// packages below this folder, and every rule of the product in those that they
// wire.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"hush/cmd/hush/command"
	"hush/cmd/hush/console"
	"hush/cmd/hush/process"
	"hush/cmd/hush/settings"
)

// version is the release. A build may set another with -ldflags -X.
var version = "0.2.0"

func main() { mainOn(console.ProcessTerminal) }

// mainOn is the program. It asks on a terminal where its standard input is none;
// nil is for no other one.
func mainOn(terminal func() (*os.File, error)) {
	// Starting anew is harmless where "serve" is an argument of another command.
	if slices.Contains(os.Args[1:], serveName) {
		process.HideArguments()
	}
	process.Tune()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	if !slices.Contains(os.Args[1:], serveName) {
		// A command that waits for a pipe does not see the first signal. The second
		// one ends it, as if by kill -9, which every command survives.
		context.AfterFunc(ctx, stop)
	}
	p := program{
		environment: os.Environ(), alone: true,
		console: &console.Console{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Terminal: terminal},
	}
	_ = os.Unsetenv(command.VariableToken) // programs that a command starts do not get it
	code := p.execute(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// program is what every command is given.
type program struct {
	environment []string
	console     *console.Console
	// alone reports whether nothing else runs in this process, so that a command
	// may give up rights of the whole process for good.
	alone bool
}

// run is the whole program within another process; it returns the exit code.
func run(ctx context.Context, args, environment []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := program{environment: environment, console: &console.Console{In: stdin, Out: stdout, Err: stderr}}
	return p.execute(ctx, args)
}

// execute runs a command and returns the exit code.
func (p program) execute(ctx context.Context, args []string) int {
	if len(args) > 0 && args[0] == serveName {
		p.console.Log = settings.MessagesTo(p.console.Err, args[1:], p.environment)
	}
	root := p.rootCommand()
	root.SetArgs(slices.Concat([]string{}, args)) // nil would stand for os.Args
	called, err := root.ExecuteContextC(ctx)
	if err == nil {
		return command.ExitOK
	}
	if wrong, ok := errors.AsType[*command.UsageError](err); ok {
		code := command.ExitUsage
		if exit, ok := errors.AsType[*command.ExitError](err); ok {
			code = exit.Code // "hush run" has one for all that is wrong with itself
		}
		if p.console.Log == nil {
			command.ReportUsage(p.console.Err, called, wrong)
		} else {
			p.console.Fail(wrong)
		}
		return code
	}
	code := command.ExitFailure
	if exit, ok := errors.AsType[*command.ExitError](err); ok {
		code, err = exit.Code, exit.Cause
	}
	if err != nil {
		p.console.Fail(err)
	}
	return code
}
