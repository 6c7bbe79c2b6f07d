// Package program is the command hush: it puts the tree of commands together, runs the one
// that is called, and decides what the process ends with. The commands are in packages
// people and admin, and every rule of the product in the packages that they call.
package program

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"hush/cli/command"
	"hush/cli/console"
	"hush/server/process"
	"hush/server/settings"
)

// packagedConfig is the configuration file of the service that a package installs.
const packagedConfig = "/etc/hush/hush.yaml"

// Main is the whole process: it runs the command of the process's arguments, and ends it.
func Main() { MainOn(console.ProcessTerminal) }

// MainOn is Main for a test, which chooses the terminal. It asks on a terminal where its standard input is none;
// nil is for no other one.
func MainOn(terminal func() (*os.File, error)) {
	// Starting anew is harmless where "serve" is an argument of another command.
	if slices.Contains(os.Args[1:], serveName) {
		process.HideArguments()
	}
	process.Tune()
	p := program{
		environment: os.Environ(), alone: true, packaged: packagedConfig,
		console: &console.Console{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Terminal: terminal},
	}
	_ = os.Unsetenv(command.VariableToken) // programs that a command starts do not get it
	if slices.Contains(os.Args[1:], serveName) {
		ctx, reload, stop := serving(context.Background(), hasTerminal(terminal))
		p.reload = reload
		code, _ := p.execute(ctx, os.Args[1:])
		stop()
		os.Exit(code)
	}
	var end leaving
	ctx, stop := end.catch(context.Background())
	code, err := p.execute(ctx, os.Args[1:])
	stop()
	end.exit(code, err)
}

// program is what every command is given.
type program struct {
	environment []string
	settings    *settings.Reader // of this call
	console     *console.Console
	reload      <-chan os.Signal // for the service; nil for none
	packaged    string           // the configuration file of a package; empty for none
	// alone reports whether nothing else runs in this process, so that a command
	// may give up rights of the whole process for good.
	alone bool
}

// Run is the whole program within another process; it returns the exit code.
func Run(ctx context.Context, args, environment []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := program{environment: environment, console: &console.Console{In: stdin, Out: stdout, Err: stderr}}
	code, _ := p.execute(ctx, args)
	return code
}

// execute runs a command, prints why it failed, and returns the exit code and the error.
func (p program) execute(ctx context.Context, args []string) (code int, err error) {
	p.settings = settings.NewReader(p.environment)
	if len(args) > 0 && args[0] == serveName {
		p.console.Log = p.settings.MessagesTo(ctx, p.console.Err, args[1:])
	}
	root := p.rootCommand()
	root.SetArgs(slices.Concat([]string{}, args)) // nil would stand for os.Args
	called, err := root.ExecuteContextC(ctx)
	if err == nil {
		return command.ExitOK, nil
	}
	if called.Name() == serveName && errors.Is(err, console.ErrInterrupted) { // it was told to stop before it began
		p.console.Fail(err)
		return command.ExitOK, nil
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
		return code, err
	}
	if console.IsClosedOutput(err) && !command.HoldsOutput(called) {
		return BrokenPipe, err // who closed the pipe has read enough
	}
	code, cause := command.ExitFailure, err
	if exit, ok := errors.AsType[*command.ExitError](err); ok {
		code, cause = exit.Code, exit.Cause
	}
	if cause != nil {
		p.console.Fail(cause)
	}
	return code, err
}
