package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hush/testtier"
)

// TestMain lets --bare start this binary as it starts the real one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == bareCommand {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestRunOverEveryProtocol(t *testing.T) {
	t.Parallel()
	count, clients := 300, 40
	if testing.Short() {
		count, clients = 40, 8
	}
	for _, protocol := range []string{protocolV1, protocolV2, protocolConnect, protocolGRPC} {
		for _, op := range []string{opConceal, opReveal, opBoth} {
			t.Run(protocol+"/"+op, func(t *testing.T) {
				t.Parallel()
				fake := newFake(t)
				var out bytes.Buffer
				err := run(t.Context(), []string{
					"--target", fake.url, "--protocol", protocol, "--op", op,
					"--clients", strconv.Itoa(clients), "--count", strconv.Itoa(count), "--warmup", "20", "--size", "3000", "--json",
				}, &out, &out)
				if err != nil {
					t.Fatalf("run: got %v, want no error\n%s", err, &out)
				}
				var rep report
				if err := json.Unmarshal(out.Bytes(), &rep); err != nil {
					t.Fatalf("report: %v", err)
				}
				for _, r := range rep.Runs {
					if r.OK != count || r.Requests != count || r.P50 > r.Max {
						t.Errorf("report of %s: got %+v, want %d of %d requests", r.Op, r, count, count)
					}
				}
				if got, want := fake.created(), count+20; got != want {
					t.Errorf("secrets concealed: got %d, want %d", got, want)
				}
				left := map[string]int{opConceal: count + 20, opReveal: 0, opBoth: 0}[op]
				if got := fake.waiting(); got != left {
					t.Errorf("secrets left: got %d, want %d", got, left)
				}
			})
		}
	}
}

func TestRunSpreadsClientsOverTargets(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{protocolV1, protocolGRPC} {
		one, two := newFake(t), newFake(t)
		meet(t, one, two)
		var out bytes.Buffer
		args := []string{"--target", one.url + "," + two.url, "--protocol", protocol, "--clients", "4", "--count", "300", "--warmup", "0"}
		if err := run(t.Context(), args, &out, &out); err != nil {
			t.Fatalf("run(%q): got %v, want no error\n%s", args, err, &out)
		}
		if one.created()+two.created() != 300 || one.created() == 0 || two.created() == 0 {
			t.Errorf("run(%q): got %d and %d secrets concealed, want 300 on both together", args, one.created(), two.created())
		}
	}
}

// meet makes the first secret of each server wait for that of the other: the clients of
// one could be done before those of the other begin.
func meet(t *testing.T, one, two *fake) {
	t.Helper()
	came := map[*fake]chan struct{}{one: make(chan struct{}), two: make(chan struct{})}
	for own, other := range map[*fake]*fake{one: two, two: one} {
		own.onCreate = func(n int) {
			if n != 1 {
				return
			}
			close(came[own])
			select {
			case <-came[other]:
			case <-time.After(answerTime):
				t.Error("secrets concealed: got them on one server, want them on both")
			}
		}
	}
}

func TestRunSpreadsClientsOverNetworks(t *testing.T) {
	t.Parallel()
	fake := newFake(t)
	var out bytes.Buffer
	args := []string{"--target", fake.url, "--networks", "3", "--clients", "6", "--count", "300", "--warmup", "0"}
	if err := run(t.Context(), args, &out, &out); err != nil {
		t.Fatalf("run(%q): got %v, want no error\n%s", args, err, &out)
	}
	want := []string{"127.0.1.1", "127.0.2.1", "127.0.3.1"}
	got := fake.callers()
	for _, caller := range got {
		if !slices.Contains(want, caller) {
			t.Errorf("run(%q): got requests from %q, want them from %q", args, got, want)
		}
	}
}

func TestRunNoticesWrongValues(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{protocolV1, protocolV2, protocolConnect, protocolGRPC} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			fake := newFake(t)
			fake.spoil = true
			var out bytes.Buffer
			err := run(t.Context(), []string{
				"--target", fake.url, "--protocol", protocol, "--op", "both",
				"--clients", "2", "--count", "10", "--warmup", "0",
			}, &out, &out)
			if err == nil || !strings.Contains(out.String(), "10   wrong value") {
				t.Errorf("run: got %v and\n%s\nwant 10 wrong values", err, &out)
			}
		})
	}
}

func TestRunCountsRefusalsByKind(t *testing.T) {
	t.Parallel()
	for protocol, want := range map[string]string{
		protocolV1:      "HTTP 429 Slow down",
		protocolV2:      "HTTP 429 Slow down",
		protocolConnect: "HTTP 429 resource_exhausted",
		protocolGRPC:    "gRPC resource_exhausted",
	} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			fake := newFake(t)
			fake.limit = 6
			var out bytes.Buffer
			err := run(t.Context(), []string{
				"--target", fake.url, "--protocol", protocol,
				"--clients", "2", "--count", "10", "--warmup", "0",
			}, &out, &out)
			if err == nil || !strings.Contains(out.String(), "4   "+want) {
				t.Errorf("run: got %v and\n%s\nwant 4 of %q", err, &out, want)
			}
			err = run(t.Context(), []string{"--target", fake.url, "--protocol", protocol, "--warmup", "5"}, &out, &out)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("run with a refused warm-up: got %v, want an error with %q", err, want)
			}
		})
	}
}

func TestRunBare(t *testing.T) {
	t.Parallel()
	testtier.Check(t, "starts the bare server as a process")
	for _, protocol := range []string{protocolV1, protocolV2, protocolConnect, protocolGRPC} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			err := run(t.Context(), []string{
				"--bare", "--protocol", protocol, "--op", "both", "--clients", "4", "--count", "100", "--warmup", "10",
			}, &out, &out)
			if err != nil {
				t.Fatalf("run: got %v, want no error\n%s", err, &out)
			}
			if !strings.HasPrefix(out.String(), "bare net/http handler at http://127.0.0.1:") {
				t.Errorf("report: got %q, want it to name the bare handler", &out)
			}
		})
	}
}

func TestRunTellsProcessorTime(t *testing.T) {
	t.Parallel()
	testtier.Check(t, "starts processes and reads their processor time")
	if _, err := (processes{os.Getpid()}).processorTime(); errors.Is(err, errNoClock) {
		t.Skip("needs linux: the system tells no processor time of other processes")
	}
	fake := newFake(t)
	cpuOf := func(args ...string) float64 {
		var out bytes.Buffer
		err := run(t.Context(), append(args, "--clients", "2", "--count", "200", "--warmup", "0", "--json"), &out, &out)
		if err != nil {
			t.Fatalf("run(%q): got %v, want no error\n%s", args, err, &out)
		}
		var rep report
		if err := json.Unmarshal(out.Bytes(), &rep); err != nil {
			t.Fatalf("report: %v", err)
		}
		return rep.Runs[0].CPU
	}
	if got := cpuOf("--target", fake.url, "--processes", strconv.Itoa(os.Getpid())); got <= 0 {
		t.Errorf("processor time of this process: got %v us a request, want some", got)
	}
	if got := cpuOf("--target", fake.url); got != 0 {
		t.Errorf("processor time of no process: got %v us a request, want 0", got)
	}
	if got := cpuOf("--bare"); got <= 0 {
		t.Errorf("processor time of the bare handler: got %v us a request, want some", got)
	}
	gone := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err := run(t.Context(), []string{"--target", fake.url, "--processes", strconv.Itoa(gone.Process.Pid)}, &out, &out)
	if err == nil || !strings.Contains(err.Error(), "there is no such process") {
		t.Errorf("run with a process that has ended: got %v, want an error that names it", err)
	}
}

func TestRunStops(t *testing.T) {
	t.Parallel()
	t.Run("after the duration", func(t *testing.T) {
		t.Parallel()
		testtier.Check(t, "wants a request within a duration")
		fake := newFake(t)
		var out bytes.Buffer
		err := run(t.Context(), []string{"--target", fake.url, "--duration", "200ms", "--clients", "2", "--count", "500000"}, &out, &out)
		if err != nil {
			t.Errorf("run: got %v, want no error\n%s", err, &out)
		}
		if got := fake.created(); got == 500_000 {
			t.Errorf("secrets concealed: got all %d, want it to stop before", got)
		}
	})
	t.Run("when interrupted", func(t *testing.T) {
		t.Parallel()
		fake := newFake(t)
		ctx, cancel := context.WithCancel(t.Context())
		fake.onCreate = func(n int) {
			if n == 50 {
				cancel()
			}
		}
		var out bytes.Buffer
		err := run(ctx, []string{"--target", fake.url, "--warmup", "5000", "--clients", "2"}, &out, &out)
		if err == nil || !strings.Contains(err.Error(), "interrupted") {
			t.Errorf("run: got %v, want it interrupted", err)
		}
	})
	t.Run("without a server", func(t *testing.T) {
		t.Parallel()
		var out bytes.Buffer
		err := run(t.Context(), []string{"--target", "http://127.0.0.1:1"}, &out, &out)
		if err == nil || !strings.Contains(err.Error(), "is the server running?") {
			t.Errorf("run: got %v, want a question about the server", err)
		}
	})
}

func TestHelp(t *testing.T) {
	t.Parallel()
	var out, help bytes.Buffer
	err := run(t.Context(), []string{"--help"}, &out, &help)
	if !errors.Is(err, flag.ErrHelp) {
		t.Errorf("run(--help): got %v, want flag.ErrHelp", err)
	}
	for _, want := range []string{"--op both", "-protocol", "loopback addresses only"} {
		if !strings.Contains(help.String(), want) {
			t.Errorf("help: does not say %q:\n%s", want, &help)
		}
	}
}
