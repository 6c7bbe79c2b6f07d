package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// said is what go test -json says of a test: its output, line by line, and how it ended.
func said(test, action string, output ...string) (events []event) {
	events = append(events, event{Action: "run", Package: "hush/p", Test: test})
	for _, line := range output {
		events = append(events, event{Action: "output", Package: "hush/p", Test: test, Output: line + "\n"})
	}
	if action != "" {
		events = append(events, event{Action: action, Package: "hush/p", Test: test, Elapsed: 0.5})
	}
	return events
}

// ended is the verdict of the package.
func ended(action string) []event {
	return []event{
		{Action: "output", Package: "hush/p", Output: "PASS\n"},
		{Action: "output", Package: "hush/p", Output: "ok  \thush/p\t1.2s\n"},
		{Action: action, Package: "hush/p", Elapsed: 1.2},
	}
}

func reported(t *testing.T, o options, events ...[]event) (string, error) {
	t.Helper()
	var in, out strings.Builder
	for _, some := range events {
		for _, e := range some {
			line, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			in.Write(append(line, '\n'))
		}
	}
	err := report(strings.NewReader(in.String()), &out, o)
	return out.String(), err
}

func TestReport(t *testing.T) {
	t.Parallel()
	check := said("TestBoot", "skip", "=== RUN   TestBoot", "    p_test.go:7: left out: make check: starts the service", "    script.go:9: ", "--- SKIP: TestBoot (0.00s)")
	script := said("TestScripts/share", "skip", "    p_test.go:7: left out: make full: starts the service on PostgreSQL", "    script.go:9: WORK=$WORK", "--- SKIP: TestScripts/share (0.00s)")
	missing := said("TestTrace", "skip", "    p_test.go:9: needs strace: not installed")
	for name, c := range map[string]struct {
		options options
		events  [][]event
		want    []string
		not     string
		err     string
	}{
		"passed": {
			options: options{slowest: 1},
			events:  [][]event{said("TestA", "pass", "secret words"), ended("pass")},
			want:    []string{"ok   hush/p ", "0.5 s  hush/p TestA", "--- skipped\nnothing\n"},
			not:     "secret words",
		},
		"failed": {
			events: [][]event{said("TestA", "pass", "of A"), said("TestB", "fail", "of B"), said("TestB/sub", "fail", "of sub"), ended("fail")},
			want:   []string{"of B\nof sub\nFAIL hush/p ", "\n1 passed, 1 failed, 0 skipped\n"},
			not:    "of A",
			err:    "hush/p",
		},
		"panicked": {
			events: [][]event{said("TestA", "", "panic: out of range"), {{Action: "output", Package: "hush/p", Output: "exit status 2\n"}}, ended("fail")},
			want:   []string{"panic: out of range\nexit status 2\n"},
			err:    "hush/p",
		},
		"does not build": {
			events: [][]event{{
				{Action: "build-output", ImportPath: "hush/p [hush/p.test]", Output: "p.go:1: undefined: x\n"},
				{Action: "build-fail", ImportPath: "hush/p [hush/p.test]"},
				{Action: "fail", Package: "hush/p"},
			}},
			want: []string{"p.go:1: undefined: x\n", "FAIL hush/p"},
			err:  "hush/p [hush/p.test] (build)",
		},
		"cut off":            {events: [][]event{said("TestA", "pass")}, err: "hush/p (no verdict)"},
		"nothing":            {err: "no package was tested"},
		"left out in script": {options: options{require: "all"}, events: [][]event{script, ended("pass")}, want: []string{"   1  make full runs in hush/p: starts the service on PostgreSQL", "--- skipped\nnothing\n"}},
		"left out":           {options: options{require: "all"}, events: [][]event{check, ended("pass")}, want: []string{"   1  make check runs in hush/p: starts the service", "--- skipped\nnothing\n"}},
		"skipped":            {options: options{require: "race"}, events: [][]event{missing, ended("pass")}, want: []string{"hush/p TestTrace (needs strace: not installed)"}, not: "nothing\n"},
		"skipped one needed": {options: options{require: "race,strace"}, events: [][]event{missing, ended("pass")}, err: "TEST_REQUIRE=race,strace forbids: hush/p TestTrace"},
		"skipped any":        {options: options{require: "all"}, events: [][]event{missing, ended("pass")}, err: "forbids: hush/p TestTrace"},
		"no race detector":   {options: options{require: "race", noRace: "no C compiler"}, events: [][]event{ended("pass")}, want: []string{"race detector (no C compiler)"}, err: "race detector"},
		"on two stores": {
			options: options{stores: true},
			events: [][]event{
				said("TestA", "pass"), said("TestB/sub", "pass", "    k.go:3: about the data folder: on bbolt"), said("TestB", "pass"),
				said("TestC", "skip", "    c_test.go:3: a page's text: not run again"), ended("pass"),
			},
			want: []string{"hush/p TestB (on bbolt)\nhush/p TestC (not run again)\n1 on bbolt, 1 not run again, and 1 others\n", "--- skipped\nnothing\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := reported(t, c.options, c.events...)
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("report(): got %q, want %q in it", got, want)
				}
			}
			if c.not != "" && strings.Contains(got, c.not) {
				t.Errorf("report(): got %q, want no %q in it", got, c.not)
			}
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("report(): got error %v, want %q in it", err, c.err)
			}
		})
	}
}

// A verdict is written before the next package ends, since a person watches.
func TestVerdictsComeAtOnce(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	r := newRun(&out)
	for _, e := range ended("pass") {
		r.add(e)
	}
	if got := out.String(); !strings.HasPrefix(got, "ok   hush/p ") {
		t.Errorf("add(verdict): got %q, want the verdict", got)
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	o := options{leftOut: filepath.Join(folder, "left-out"), times: filepath.Join(folder, "times")}
	check := said("TestBoot", "skip", "    p_test.go:7: left out: make full: kills: at random")
	for range 2 {
		if _, err := reported(t, o, check, ended("pass")); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		o.leftOut: "make full: hush/p TestBoot: kills: at random\n",
		o.times:   "     0.50 hush/p TestBoot\n     0.50 hush/p TestBoot\n",
	} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s: got %q and %v, want %q", filepath.Base(name), got, err, want)
		}
	}
}
