//go:build unix

package process

import (
	"math"

	"golang.org/x/sys/unix"
)

// FileLimit is how many files the process may have open, 0 if that is unknown.
// Go has raised the soft limit to the hard one before main runs.
func FileLimit() int {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return int(min(limit.Cur, math.MaxInt32))
}
