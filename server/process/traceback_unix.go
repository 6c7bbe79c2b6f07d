//go:build unix

package process

import (
	"os"
	"os/signal"
	"runtime/pprof"
	"syscall"
)

// signalled is what shells add to the number of the signal that ended a program. Go
// itself would exit with 2, after which no supervisor starts the service again.
const signalled = 128

// traceback is the variable that says what Go prints of a process that it ends
// by itself, such as after a panic that nothing recovers.
const traceback = "GOTRACEBACK"

// HideArguments keeps the arguments of calls, keys among them, out of what is
// printed when this process ends by a panic or a signal. Go reads the variable
// before main runs and does not accept less later, so the program starts once
// more in this process. An operator who sets the variable gets what it says.
// If starting anew fails, the process goes on as it is.
func HideArguments() {
	level, set := os.LookupEnv(traceback)
	if !set {
		if path, err := os.Executable(); err == nil {
			//nolint:gosec // it is this very program, with its own arguments
			_ = syscall.Exec(path, os.Args, append(os.Environ(), traceback+"=none"))
		}
	}
	if !set || level == "none" {
		go showGoroutines()
	}
}

// showGoroutines handles the signals by which operators ask a Go program what
// it does: it prints what every goroutine is at, without arguments, which Go
// would print at any level, and ends the process.
func showGoroutines() {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGQUIT, syscall.SIGABRT)
	received := <-asked
	_, _ = os.Stderr.WriteString("hush: " + received.String() + "\n")
	_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
	number, _ := received.(syscall.Signal)
	os.Exit(signalled + int(number))
}
