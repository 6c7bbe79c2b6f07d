package people

import (
	"os"
	"os/signal"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// signalRelay are those that this process gets while the program runs.
type signalRelay struct{ got chan os.Signal }

// relayedSignals are the signals that go on to the program.
func relayedSignals() []os.Signal {
	return []os.Signal{
		syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2,
		syscall.SIGALRM, syscall.SIGWINCH, syscall.SIGTSTP, syscall.SIGCONT,
	}
}

// catchSignals notes the signals that end this command's own work, until release.
func catchSignals() *signalRelay {
	s := &signalRelay{got: make(chan os.Signal, 32)}
	signal.Notify(s.got, syscall.SIGINT, syscall.SIGTERM)
	return s
}

// catchAll catches those for the program, too. What this process was told to ignore, as
// nohup tells it, the program ignores as well: to catch it would undo that for both.
func (s *signalRelay) catchAll() {
	for _, one := range relayedSignals() {
		if !signal.Ignored(one) {
			signal.Notify(s.got, one)
		}
	}
}

func (s *signalRelay) release() { signal.Stop(s.got) }

// hasEnd reports whether a signal came that ends a process.
func (s *signalRelay) hasEnd() bool {
	for {
		select {
		case got := <-s.got:
			if slices.Contains([]os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}, got) {
				return true
			}
		default:
			return false
		}
	}
}

// relay passes signals to the program until it has ended.
func (s *signalRelay) relay(to *os.Process, ended <-chan struct{}) {
	for {
		select {
		case <-ended:
			return
		case got := <-s.got:
			if !sentByTerminal(got) {
				_ = to.Signal(got)
			}
			if got == syscall.SIGTSTP {
				// The shell waits for this process, which stops as the program does.
				_ = unix.Kill(unix.Getpid(), unix.SIGSTOP)
			}
		}
	}
}

// sentByTerminal reports whether the program got a signal, too: from keys of the
// terminal, which sends it to the processes in its foreground. To pass that on would
// interrupt the program twice, which many take for an order to leave their work.
func sentByTerminal(got os.Signal) bool {
	if got != syscall.SIGINT && got != syscall.SIGQUIT && got != syscall.SIGTSTP {
		return false
	}
	terminal, err := os.OpenFile("/dev/tty", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	defer terminal.Close()
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
