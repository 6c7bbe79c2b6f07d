// Command powerloss shows what the disk keeps when the power fails. It
// records the system calls of the real program under load, builds from the
// record the contents that a disk may have after a power cut at each moment,
// starts the service's own packages on each of them, and compares what they
// open with what callers had been told by then.
//
// Promise: whatever is reported was found by starting on a content that follows
// from the record by the rules in docs/reliability.md, among them what Linux does
// after a sync that failed. What a disk does against those rules, such as losing what
// it confirmed, is not looked for.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintf(os.Stderr, "hush-powerloss: %v\n", err)
		os.Exit(1)
	}
}

// settings are the flags.
type settings struct {
	hush     string
	record   string
	sessions int
	states   int
	every    int
	seed     uint64
	drop     dropped
	workers  int
	work     string
}

func parse(args []string, stderr io.Writer) (*settings, error) {
	s := &settings{}
	set := flag.NewFlagSet("hush-powerloss", flag.ContinueOnError)
	set.SetOutput(stderr)
	set.StringVar(&s.hush, "hush", "", "`path` of the program; needed to make a record")
	set.StringVar(&s.record, "record", "", "`folder` with a record, which is made if it is not there (default: one that is removed at the end)")
	set.IntVar(&s.sessions, "sessions", 3, "`number` of sessions to record: the first with secrets that expire, and every second one with a sync that fails")
	set.IntVar(&s.states, "states", 20_000, "`number` of different disk contents to start on")
	set.IntVar(&s.every, "every", 1, "`number` of moments of which one is checked")
	set.Uint64Var(&s.seed, "seed", 0, "`number` that what is drawn depends on (default: random)")
	set.IntVar(&s.workers, "workers", runtime.NumCPU(), "`number` of processes that check")
	set.StringVar(&s.work, "work", "", "`part` of the work, for the processes that this command starts")
	drop := set.String("drop", "", "`what` to take out of the record: syncs (database, conceal, reveal, folder or rootkey), or what a start writes again (renew)")
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	if s.seed == 0 {
		s.seed = rand.Uint64()
	}
	var err error
	if s.drop, err = parseDrop(*drop); err == nil && s.every < 1 {
		err = fmt.Errorf("--every %d: want at least 1", s.every)
	}
	return s, err
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	s, err := parse(args, stderr)
	if err != nil {
		return err
	}
	if s.work != "" {
		return workOn(s.work, stdout)
	}
	return s.all(ctx, stdout)
}
