package people

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"hush/cli/command"
)

// start runs the program with its secrets until it ends.
func (r *runCommand) start(ctx context.Context, path string, args []string, all runSecrets, opened programValues, signals *signalRelay) error {
	program := &exec.Cmd{
		Path: path, Args: args, Env: opened.environment(r.environment),
		Stdin: r.console.In, Stdout: r.console.Out, Stderr: r.console.Err,
	}
	signals.catchAll()
	if ctx.Err() != nil || signals.hasEnd() {
		return all.rescue(ctx, errors.New("interrupted"))
	}
	if err := program.Start(); err != nil {
		return r.startError(path, all.rescue(ctx, withoutPathError(err)), err)
	}
	// The program has its secrets. What this process had of them is overwritten as
	// far as Go lets it, and the rest goes back to the system.
	program.Env = nil
	opened.discard()
	clear(opened)
	all.forget()
	debug.FreeOSMemory()
	reaped := reapOrphans(program.Process.Pid)
	defer reaped()
	acknowledged := all.acknowledge(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go signals.relay(program.Process, ended)
	err := program.Wait()
	close(ended)
	acknowledged()
	return programResult(program, err)
}

// acknowledgeWait is how long the end of the program waits for acknowledgements.
const acknowledgeWait = 10 * time.Second

// acknowledge acknowledges all secrets beside the program. The function that it
// returns waits for that, but not for long.
func (all runSecrets) acknowledge(ctx context.Context) (wait func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	for _, s := range all {
		running.Go(func() {
			s.acknowledge(ctx)
			s.source.forget()
		})
	}
	return func() {
		late := time.AfterFunc(acknowledgeWait, cancel)
		running.Wait()
		late.Stop()
		cancel()
	}
}

// withoutPathError returns what is wrong without the call that found it.
func withoutPathError(err error) error {
	if wrong, ok := errors.AsType[*fs.PathError](err); ok {
		return wrong.Err
	}
	return err
}

// startError returns the error for a program that did not start.
func (*runCommand) startError(path string, explained, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &command.ExitError{Code: command.ExitNotFound, Cause: fmt.Errorf("%s, or what interprets it, is missing: %w", path, explained)}
	case errors.Is(err, syscall.E2BIG):
		return programNotExecutable(path, fmt.Errorf("the environment is too large; --file has room for long values: %w", explained))
	default:
		return programNotExecutable(path, explained)
	}
}

// programResult returns what ends this process as the program ended.
func programResult(program *exec.Cmd, err error) error {
	if err == nil {
		return nil
	}
	if program.ProcessState == nil {
		return err
	}
	status, ok := program.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case ok && status.Signaled():
		return &command.ExitError{Code: 128 + int(status.Signal())}
	case ok && status.ExitStatus() > 0:
		return &command.ExitError{Code: status.ExitStatus()}
	default: // its streams failed, or waiting did
		return err
	}
}
