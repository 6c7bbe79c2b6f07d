package program

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"hush/cli/command"
	"hush/cli/console"
)

// leaving is how a command that is not the service ends: by what it did, or by the signal
// that broke it off, so that a shell ends the loop that the command is in, too.
type leaving struct {
	got atomic.Int64 // the first signal that ends a process; zero for none
}

// catch returns a context that ends with the first such signal, after which a second one
// ends the process: a command that waits for a pipe does not see the first, and each
// survives the second as it survives kill -9. What this process was told to ignore, as
// nohup tells it, stays ignored. The cause of the end is console.ErrGivenUp if the
// person at the terminal gave the command up.
//
// SIGPIPE is no end here. To write to a pipe that no one reads is an error then, and a
// command that holds what would be lost has its say.
func (e *leaving) catch(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	for _, one := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(one) {
			signal.Notify(signals, one)
		}
	}
	surviveClosedPipes()
	go func() {
		select {
		case got := <-signals:
			if number, ok := got.(syscall.Signal); ok {
				e.got.Store(int64(number))
			}
			if got == syscall.SIGINT {
				cancel(console.ErrGivenUp)
			}
			cancel(nil)
			signal.Stop(signals)
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel(nil)
		signal.Stop(signals)
	}
}

// surviveClosedPipes makes a write to a pipe that no one reads an error, where it would
// end the process by SIGPIPE if the pipe is a standard stream.
func surviveClosedPipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// exit ends the process with a code, or by the signal that was why err ended the command.
// A program that "hush run" started and that ended by itself decides what this process
// ends with.
func (e *leaving) exit(code int, err error) {
	own := true
	if exit, ok := errors.AsType[*command.ExitError](err); ok {
		own = exit.Cause != nil
	}
	by := syscall.Signal(e.got.Load())
	switch {
	case errors.Is(err, console.ErrCtrlC):
		by = syscall.SIGINT
	case code == BrokenPipe: // Go ignores a SIGPIPE that is sent to it
		by = 0
	}
	if by != 0 && by != syscall.SIGQUIT && err != nil && (own || code == Signalled+int(by)) {
		signal.Reset(by)
		_ = syscall.Kill(os.Getpid(), by)
		time.Sleep(time.Second) // the signal does not end the first process of a container
		code = Signalled + int(by)
	}
	os.Exit(code)
}

// Signalled is what shells add to the number of the signal that ended a program, and
// BrokenPipe their code for the end of a program whose output no one reads.
const (
	Signalled  = 128
	BrokenPipe = Signalled + int(syscall.SIGPIPE)
)
