package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// maxKinds bounds the kinds of errors that are told apart.
const maxKinds = 32

// tally is what one client saw in a phase.
type tally struct {
	micros []int32 // latencies of the requests that succeeded
	errors map[string]int
}

func (t *tally) add(took time.Duration, err error) {
	if err == nil {
		t.micros = append(t.micros, int32(min(took.Microseconds(), math.MaxInt32)))
		return
	}
	if t.errors == nil {
		t.errors = make(map[string]int)
	}
	kind := kindOf(err)
	if len(t.errors) >= maxKinds && t.errors[kind] == 0 {
		kind = "other errors"
	}
	t.errors[kind]++
}

// result is what all clients saw in a phase.
type result struct {
	op      string
	elapsed time.Duration
	micros  []int32 // ascending
	errors  map[string]int
	cpu     time.Duration // of the watched processes; 0 for none
	next    int           // the first ticket that was not handed out
}

func newResult(op string, elapsed time.Duration, tallies []tally, next int) result {
	r := result{op: op, elapsed: elapsed, errors: make(map[string]int), next: next}
	total := 0
	for _, t := range tallies {
		total += len(t.micros)
	}
	r.micros = make([]int32, 0, total)
	for _, t := range tallies {
		r.micros = append(r.micros, t.micros...)
		for kind, n := range t.errors {
			r.errors[kind] += n
		}
	}
	slices.Sort(r.micros)
	return r
}

func (r result) failed() int {
	n := 0
	for _, count := range r.errors {
		n += count
	}
	return n
}

func (r result) requests() int { return len(r.micros) + r.failed() }

// perSecond counts successes only.
func (r result) perSecond() float64 {
	if r.elapsed <= 0 {
		return 0
	}
	return float64(len(r.micros)) / r.elapsed.Seconds()
}

// cpuPerRequest returns the processor time of a request, or 0 if none is known.
func (r result) cpuPerRequest() time.Duration {
	if r.requests() == 0 {
		return 0
	}
	return r.cpu / time.Duration(r.requests())
}

// failures lists the kinds of errors with their counts.
func (r result) failures() string {
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(r.errors)) {
		parts = append(parts, fmt.Sprintf("%s (%d)", kind, r.errors[kind]))
	}
	return strings.Join(parts, ", ")
}

// percentile returns the latency that p percent of the sorted ones do not
// exceed, by nearest rank, or zero if there are none.
func percentile(sorted []int32, p float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := int(math.Ceil(p / 100 * float64(len(sorted))))
	rank = min(max(rank, 1), len(sorted))
	return time.Duration(sorted[rank-1]) * time.Microsecond
}
