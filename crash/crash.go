// Package crash reports where a panic happened, but no values. Go's own stack
// traces show the arguments of every call, and an argument may be a key; the
// value of a panic may be one, too. So this package logs only the value's type
// and the names, files and lines of the calls.
package crash

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

const (
	// exitCode is the exit code of a process that panicked. It is not that of Go, 2,
	// after which a supervisor does not start the service again: to hush a 2 is a mistake
	// of the command line.
	exitCode = 1
	// maxFrames bounds the frames of a deep recursion.
	maxFrames = 64
	// panicking is the call between a panicking function and the deferred ones.
	panicking = "runtime.gopanic"
)

// Frames returns the calls of this goroutine, innermost first, as in
//
//	hush/vault.(*Vault).Reveal reveal.go:71; hush/handlers...
//
// In a deferred function that recovers, it starts at the function that
// panicked.
func Frames() string {
	pcs := make([]uintptr, maxFrames)
	pcs = pcs[:runtime.Callers(2, pcs)] // without Callers and Frames
	var calls []string
	for frames := runtime.CallersFrames(pcs); ; {
		frame, more := frames.Next()
		switch frame.Function {
		case panicking:
			calls = calls[:0]
		case "":
		default:
			calls = append(calls, frame.Function+" "+filepath.Base(frame.File)+":"+strconv.Itoa(frame.Line))
		}
		if !more {
			return strings.Join(calls, "; ")
		}
	}
}

// Type returns the type of a panic's value. The value itself must not be
// logged.
func Type(value any) string { return fmt.Sprintf("%T", value) }

// Guard runs work. If work panics, Guard logs where and ends the process with exit
// code 1, without Go's output. Every goroutine that does not belong to a
// request runs under it.
func Guard(log *slog.Logger, work func()) {
	defer func() {
		if value := recover(); value != nil {
			log.Error("panic outside a request: stopping", "type", Type(value), "stack", Frames())
			os.Exit(exitCode)
		}
	}()
	work()
}

// Go runs work under Guard in a goroutine that all waits for.
func Go(all *sync.WaitGroup, log *slog.Logger, work func()) {
	all.Go(func() { Guard(log, work) })
}
