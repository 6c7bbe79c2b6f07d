package people

import (
	"bytes"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// reapOrphans waits, as the first process of a container, for the end of processes that
// the program left to it: nothing else would, and each keeps its number until then. The
// program itself is its starter's to wait for. The caller ends it.
func reapOrphans(program int) (end func()) {
	if os.Getpid() != 1 {
		return func() {}
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, unix.SIGCHLD)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-ended:
				reap(program)
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(ended)
		close(done)
	}
}

// reap waits for all children that have ended, but for one.
func reap(except int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		// The name, which may have any character, ends with the last parenthesis. Behind it
		// stand the state and the number of the parent.
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
		if len(fields) < 2 || string(fields[0]) != "Z" || string(fields[1]) != strconv.Itoa(os.Getpid()) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err == nil && pid != except {
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil)
		}
	}
}
