package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// schedClock selects the clock that counts what the scheduler gave to a process,
// as in the kernel's include/linux/posix-timers.h.
const schedClock = 2

func processorTime(pid int) (time.Duration, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid)<<3|schedClock, &t); err != nil {
		return 0, err
	}
	return time.Duration(t.Nano()), nil
}
