// Command postgres runs a command with a private PostgreSQL server for
// tests, whose URL is in the command's environment as TEST_STORE, and stops the
// server afterwards. It exits with the command's exit code, or with 3 if there
// is no PostgreSQL.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"hush/storage/postgres/postgrestest"
)

const (
	exitFailed  = 1
	exitUsage   = 2
	exitMissing = 3
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) (code int) {
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "usage: hush-postgres COMMAND [ARGUMENT]...")
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// Every test has a few connections, and many tests run at a time.
	server, err := postgrestest.Start("max_connections=400", "max_wal_size='4GB'")
	if err != nil {
		fmt.Fprintln(os.Stderr, "hush-postgres:", err)
		if errors.Is(err, postgrestest.ErrMissing) {
			return exitMissing
		}
		return exitFailed
	}
	defer func() {
		if err := server.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "hush-postgres: stopping the server:", err)
			code = max(code, exitFailed)
		}
	}()
	return runCommand(ctx, server.URL("postgres"), args)
}

func runCommand(ctx context.Context, store string, args []string) int {
	command := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // running it is the purpose
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.Env = append(os.Environ(), postgrestest.Variable+"="+store)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := command.Run()
	if exited, ok := errors.AsType[*exec.ExitError](err); ok && exited.ExitCode() > 0 {
		return exited.ExitCode()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "hush-postgres:", err)
		return exitFailed
	}
	return 0
}
