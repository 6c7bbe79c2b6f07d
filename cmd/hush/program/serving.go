package program

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// serving returns a context that ends when the service is told to stop, and a channel
// that tells it to read its certificate again. SIGHUP means the first if the process has
// a terminal, of which it says that it is gone, and the second if it has none. What
// this process was told to ignore, as nohup tells it, stays ignored.
//
// The service outlives the reader of its log: a log that no one reads is no reason to
// refuse secrets.
func serving(parent context.Context, onTerminal bool) (ctx context.Context, reload <-chan os.Signal, stop func()) {
	surviveClosedPipes()
	ending := []os.Signal{syscall.SIGINT, syscall.SIGTERM}
	told := make(chan os.Signal, 1)
	switch {
	case signal.Ignored(syscall.SIGHUP):
	case onTerminal:
		ending = append(ending, syscall.SIGHUP)
	default:
		signal.Notify(told, syscall.SIGHUP)
	}
	ctx, cancel := signal.NotifyContext(parent, ending...)
	return ctx, told, func() {
		cancel()
		signal.Stop(told)
	}
}

// hasTerminal reports whether the process has a terminal, whatever its standard streams
// are. A nil function is for none.
func hasTerminal(open func() (*os.File, error)) bool {
	if open == nil {
		return false
	}
	terminal, err := open()
	if err != nil {
		return false
	}
	_ = terminal.Close()
	return true
}
