package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPercentile(t *testing.T) {
	t.Parallel()
	hundred := make([]int32, 100)
	for i := range hundred {
		hundred[i] = int32(i + 1)
	}
	for _, test := range []struct {
		sorted []int32
		p      float64
		want   int64
	}{
		{nil, 50, 0},
		{[]int32{7}, 0, 7},
		{[]int32{7}, 50, 7},
		{[]int32{7}, 100, 7},
		{[]int32{1, 2}, 50, 1},
		{[]int32{1, 2, 3}, 50, 2},
		{[]int32{1, 2, 3}, 99, 3},
		{hundred, 50, 50},
		{hundred, 90, 90},
		{hundred, 99, 99},
		{hundred, 100, 100},
	} {
		if got := percentile(test.sorted, test.p).Microseconds(); got != test.want {
			t.Errorf("percentile(%d values, %v): got %d us, want %d", len(test.sorted), test.p, got, test.want)
		}
	}
}

func TestNewResultMerges(t *testing.T) {
	t.Parallel()
	tallies := make([]tally, 2)
	tallies[0].add(3*time.Millisecond, nil)
	tallies[0].add(time.Hour, nil)
	tallies[0].add(time.Second, errWrongValue)
	tallies[1].add(time.Millisecond, nil)
	tallies[1].add(time.Second, fmt.Errorf("revealing: %w", errWrongValue))
	tallies[1].add(time.Second, io.ErrUnexpectedEOF)
	got := newResult(opReveal, 2*time.Second, tallies, 6)
	if diff := cmp.Diff([]int32{1000, 3000, 2147483647}, got.micros); diff != "" {
		t.Errorf("latencies (-want +got):\n%s", diff)
	}
	if got.requests() != 6 || got.failed() != 3 || got.perSecond() != 1.5 {
		t.Errorf("got %d requests, %d failed, %v/s, want 6, 3, 1.5/s", got.requests(), got.failed(), got.perSecond())
	}
	if want := "connection closed by the server (1), wrong value (2)"; got.failures() != want {
		t.Errorf("failures: got %q, want %q", got.failures(), want)
	}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		want string
	}{
		{errNoKey, "answer without a key"},
		{errors.Join(errDial, io.EOF), "no connection"},
		{os.ErrDeadlineExceeded, "timeout"},
		{&net.DNSError{IsTimeout: true}, "timeout"},
		{io.EOF, "connection closed by the server"},
		{errors.New("anything"), "network error"},
	} {
		if got := kindOf(test.err); got != test.want {
			t.Errorf("kindOf(%v): got %q, want %q", test.err, got, test.want)
		}
	}
	// A server that makes up a new error for every answer must not fill the
	// report.
	var seen tally
	for i := range 100 {
		seen.add(0, failure(fmt.Sprint("error ", i)))
	}
	if len(seen.errors) != maxKinds+1 || seen.errors["other errors"] != 100-maxKinds {
		t.Errorf("after 100 kinds: got %d kinds, %d others", len(seen.errors), seen.errors["other errors"])
	}
}

func TestFillValue(t *testing.T) {
	t.Parallel()
	seen := make(map[string]int)
	for ticket := range 10_000 {
		value := make([]byte, 40)
		fillValue(value, 1, ticket)
		if before, ok := seen[string(value)]; ok {
			t.Fatalf("fillValue: tickets %d and %d have the same value %s", before, ticket, value)
		}
		seen[string(value)] = ticket
	}
}
