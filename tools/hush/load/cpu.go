package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxProcesses bounds how many processes one run watches.
const maxProcesses = 64

// processes are those whose processor time is reported.
type processes []int

// parseProcesses reads numbers that are separated by commas; none for "".
func parseProcesses(list string) (processes, error) {
	if list == "" {
		return nil, nil
	}
	var all processes
	for part := range strings.SplitSeq(list, ",") {
		pid, err := strconv.ParseInt(part, 10, 32)
		if err != nil || pid <= 0 {
			return nil, fmt.Errorf("--processes %q: want process numbers, separated by commas", list)
		}
		if slices.Contains(all, int(pid)) {
			return nil, fmt.Errorf("--processes %q: %d is named twice", list, pid)
		}
		all = append(all, int(pid))
	}
	if len(all) > maxProcesses {
		return nil, fmt.Errorf("--processes: want at most %d", maxProcesses)
	}
	return all, nil
}

// errNoClock reports a system that does not tell the processor time of another
// process.
var errNoClock = errors.New("this system does not tell the processor time of other processes")

// processorTime returns the time that the processors have spent on all of the
// processes since they started, as the kernel counts it: user and system, of all
// threads, those that have ended included.
func (p processes) processorTime() (sum time.Duration, err error) {
	for _, pid := range p {
		spent, err := processorTime(pid)
		if err != nil {
			return 0, fmt.Errorf("reading the processor time of process %d: %w", pid, err)
		}
		sum += spent
	}
	return sum, nil
}
