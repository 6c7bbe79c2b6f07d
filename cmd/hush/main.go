// Command hush runs the service and what an operator needs beside it. It only
// reads flags and environment, puts the parts together and runs them; every
// rule lives in the packages it wires.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// version is the release.
const version = "0.1.0"

// The exit codes.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
	exitCrash   = 2 // as Go itself
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		hideArguments()
	}
	tune()
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
	// alone tells that nothing else runs in this process, so that a command may
	// give away rights of the whole process for good.
	alone bool
}

// command is one word after "hush".
type command struct {
	name    string
	summary string
	run     func(p program, ctx context.Context, args []string) error
}

func commands() []command {
	return []command{
		{"serve", "run the service", program.serve},
		{"account", "make, list and end accounts", program.account},
		{"token", "make, list and end API tokens", program.token},
		{"domain", "list and verify domains", program.domain},
		{"burn", "burn the secret of a reported link", program.burn},
		{"place", "import, list or remove places for TestName.Lookup", program.place},
		{"routes", "print every route and the RPC behind it", program.routes},
		{"keygen", "print a new root key", program.keygen},
		{"healthcheck", "exit 0 if a running service answers", program.healthcheck},
		{"version", "print the release", program.version},
	}
}

// usageError is a wrong way to call the program, or one of its commands.
type usageError struct {
	text    string
	command string // empty if the program's own help is the one to read
}

func (e *usageError) Error() string { return e.text }

func usage(format string, args ...any) error { return &usageError{text: fmt.Sprintf(format, args...)} }

// usageOf points a usage error to the help of a command.
func usageOf(command string, err error) error {
	if wrong, ok := errors.AsType[*usageError](err); ok {
		return &usageError{wrong.text, command}
	}
	return err
}

// help is the command line that shows what is right.
func (e *usageError) help() string {
	if e.command == "" {
		return "hush --help"
	}
	return "hush " + e.command + " --help"
}

// run is the whole program within another process; it returns the exit code.
func run(ctx context.Context, args, environment []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := program{environment: environment, stdin: stdin, stdout: stdout, stderr: stderr}
	return p.execute(ctx, args)
}

// execute runs a command and returns the exit code.
func (p program) execute(ctx context.Context, args []string) int {
	stderr := p.stderr
	err := p.dispatch(ctx, args)
	var wrong *usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.As(err, &wrong):
		fmt.Fprintf(stderr, "hush: %v\nTry: %s\n", err, wrong.help())
		return exitUsage
	default:
		fmt.Fprintf(stderr, "hush: %v\n", err)
		return exitFailure
	}
}

func (p program) dispatch(ctx context.Context, args []string) error {
	if len(args) == 0 {
		p.help(p.stderr)
		return usage("a command is missing")
	}
	switch args[0] {
	case "help", "--help", "-help", "-h":
		p.help(p.stdout)
		return nil
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(p, ctx, args[1:])
		}
	}
	return usage("unknown command %q", args[0])
}

func (p program) help(w io.Writer) {
	fmt.Fprint(w, `Hush shares a secret once: it hands out a link that opens exactly once.

Usage: hush COMMAND [FLAGS] [ARGUMENTS]

Commands:
`)
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-12s %s\n", c.name, c.summary)
	}
	fmt.Fprint(w, `
Start here:
  hush serve                 on http://127.0.0.1:7143, data in ./hush-data
  curl -d secret=hello http://127.0.0.1:7143/api/v1/share
  hush account create --role colonel you@example.com

Every flag can be given in the environment: --base-url is HUSH_BASE_URL.
"hush COMMAND --help" lists the flags of a command.
`)
}

func (p program) version(_ context.Context, args []string) error {
	if _, err := p.parse("version", "", args); err != nil {
		return err
	}
	_, err := fmt.Fprintln(p.stdout, version)
	return err
}
