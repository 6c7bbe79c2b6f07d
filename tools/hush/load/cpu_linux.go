package main

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// schedClock selects the clock that counts what the scheduler gave to a process,
// as in the kernel's include/linux/posix-timers.h.
const schedClock = 2

func processorTime(pid int) (time.Duration, error) {
	var t unix.Timespec
	switch err := unix.ClockGettime(int32(^pid)<<3|schedClock, &t); {
	case errors.Is(err, unix.EINVAL):
		return 0, errors.New("there is no such process")
	case err != nil:
		return 0, err
	}
	return time.Duration(t.Nano()), nil
}
