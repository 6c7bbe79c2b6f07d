package program

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// SIGHUP ends the service of a terminal, and only that.
func TestServingHeedsSIGHUP(t *testing.T) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // even if the tests were started by nohup
	for _, onTerminal := range []bool{true, false} {
		ctx, reload, stop := serving(t.Context(), onTerminal)
		if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ctx.Done():
			if !onTerminal {
				t.Error("SIGHUP without a terminal: got the end, want the certificate read again")
			}
		case <-reload:
			if onTerminal {
				t.Error("SIGHUP with a terminal: got the certificate read again, want the end")
			}
		}
		stop()
	}
}

// What the service was told to ignore, as nohup tells it, stays ignored.
func TestServingIgnoresSIGHUPAsTold(t *testing.T) {
	signal.Ignore(syscall.SIGHUP)
	defer signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // programs that later tests start would ignore it too
	ctx, reload, stop := serving(t.Context(), true)
	defer stop()
	if !signal.Ignored(syscall.SIGHUP) || len(reload) > 0 || ctx.Err() != nil {
		t.Error("serving: got SIGHUP heeded, want it ignored")
	}
}
