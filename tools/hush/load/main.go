// Command load measures a running Hush server from outside: it conceals
// and reveals secrets over v1, v2, Connect JSON or gRPC with a fixed number of
// clients, and prints throughput, latency percentiles and errors by kind.
//
// Each client has one request in flight and sends the next one as soon as the
// answer is there, so latency is measured under as much load as the server
// takes and not under a load of its own. Every revealed value is compared with
// what was concealed; a single wrong or missing answer makes the exit status 1.
//
// It refuses targets beyond loopback, since what it does to a server that is
// not the caller's own is an attack.
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

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "hush-load:", err)
		os.Exit(1)
	}
}

// run is the whole program. The report goes to stdout, help to stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 && args[0] == bareCommand {
		return serveBare(ctx, os.Stdin, stdout)
	}
	cfg, err := parseFlags(args, stderr)
	if err != nil {
		return err
	}
	if cfg.bare {
		child, err := startBare(ctx)
		if err != nil {
			return err
		}
		defer child.stop()
		cfg.targets, cfg.watched = []target{child.target}, child.watched()
	}
	runs, err := measure(ctx, cfg)
	if err != nil {
		return err
	}
	rep := newReport(cfg, runs)
	if err := rep.write(stdout, cfg.json); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return rep.verdict()
}
