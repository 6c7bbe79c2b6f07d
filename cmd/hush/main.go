// Command hush runs the service and what an operator needs beside it. It only
// reads flags and environment, puts the parts together and runs them; every
// rule lives in the packages it wires.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"hush/cmd/hush/process"
)

// version is the release.
const version = "0.1.0"

// The exit codes.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

func main() {
	// Starting anew is harmless where "serve" is an argument of another command.
	if slices.Contains(os.Args[1:], "serve") {
		process.HideArguments()
	}
	process.Tune()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	p := program{environment: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, alone: true}
	code := p.execute(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// program is what every command is given.
type program struct {
	environment []string
	stdin       io.Reader
	stdout      io.Writer
	stderr      io.Writer
	// alone reports whether nothing else runs in this process, so that a command
	// may give up rights of the whole process for good.
	alone bool
}

// run is the whole program within another process; it returns the exit code.
func run(ctx context.Context, args, environment []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := program{environment: environment, stdin: stdin, stdout: stdout, stderr: stderr}
	return p.execute(ctx, args)
}

// execute runs a command and returns the exit code.
func (p program) execute(ctx context.Context, args []string) int {
	root := p.rootCommand()
	root.SetArgs(slices.Concat([]string{}, args)) // nil would stand for os.Args
	command, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	if wrong, ok := errors.AsType[*usageError](err); ok {
		path := command.CommandPath()
		if wrong.command != "" {
			path = wrong.command
		}
		fmt.Fprintf(p.stderr, "%s: %v\nTry: %s --help\n", command.CommandPath(), err, path)
		return exitUsage
	}
	fmt.Fprintf(p.stderr, "hush: %v\n", err)
	return exitFailure
}
