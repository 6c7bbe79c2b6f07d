package main

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// event is a line of go test -json; cmd/test2json has its documentation.
type event struct {
	Action     string  `json:"Action"`
	Package    string  `json:"Package"`
	ImportPath string  `json:"ImportPath"` // of what was built, where Action is build-output or build-fail
	Test       string  `json:"Test"`
	Elapsed    float64 `json:"Elapsed"` // seconds
	Output     string  `json:"Output"`
}

// run is what was read of a run of go test.
type run struct {
	out     io.Writer
	running map[string]*packageRun // by path
	builds  map[string][]string    // the compiler's words, by what was built
	tested  int                    // packages
	failed  []string               // what failed: packages, and what did not build

	passedTests, failedTests int

	skipped  []skip
	leftOut  []leftOut
	onBolt   []string
	notAgain []string
	others   int // on PostgreSQL
	times    []testTime
}

// packageRun is what a package's tests wrote so far.
type packageRun struct {
	tests  map[string]*testRun
	order  []string
	itself []string // what the package wrote outside a test
}

type testRun struct {
	output []string
	action string // pass, fail or skip; empty while it runs
	onBolt bool
}

// skip is a test that misses something.
type skip struct{ test, why string }

// leftOut is a test that another command runs.
type leftOut struct{ test, command, why string }

type testTime struct {
	name    string
	seconds float64
}

func newRun(out io.Writer) *run {
	return &run{out: out, running: map[string]*packageRun{}, builds: map[string][]string{}}
}

// add takes one event.
func (r *run) add(e event) {
	switch {
	case e.Action == "build-output":
		r.builds[e.ImportPath] = append(r.builds[e.ImportPath], e.Output)
	case e.Action == "build-fail":
		fmt.Fprint(r.out, strings.Join(r.builds[e.ImportPath], ""))
		r.failed = append(r.failed, e.ImportPath+" (build)")
	case e.Package == "" || e.Action == "start":
	case e.Test == "":
		r.addPackage(e)
	default:
		r.addTest(e)
	}
}

func (r *run) packageRun(path string) *packageRun {
	if r.running[path] == nil {
		r.running[path] = &packageRun{tests: map[string]*testRun{}}
	}
	return r.running[path]
}

func (p *packageRun) test(name string) *testRun {
	if p.tests[name] == nil {
		p.tests[name] = &testRun{}
		p.order = append(p.order, name)
	}
	return p.tests[name]
}

// addPackage takes an event of a package itself, of which the last is its verdict.
func (r *run) addPackage(e event) {
	p := r.packageRun(e.Package)
	switch e.Action {
	case "output":
		if isVerdict(e.Output) {
			return // the last event has it
		}
		p.itself = append(p.itself, e.Output)
	case "skip": // it has no tests
		delete(r.running, e.Package)
	case "pass", "fail":
		r.tested++
		if e.Action == "fail" {
			r.failed = append(r.failed, e.Package)
			p.show(r.out)
		}
		fmt.Fprintf(r.out, "%-4s %-50s %7.1f s\n", map[string]string{"pass": "ok", "fail": "FAIL"}[e.Action], e.Package, e.Elapsed)
		delete(r.running, e.Package)
	}
}

// isVerdict reports whether a package's line says only what the events say.
func isVerdict(line string) bool {
	return line == "PASS\n" || strings.HasPrefix(line, "ok  \t") || strings.HasPrefix(line, "FAIL\t") ||
		strings.HasPrefix(line, "?   \t") || strings.HasPrefix(line, "testing: warning: no tests to run")
}

// show writes the output of the tests that failed or did not end, and what the
// package wrote besides.
func (p *packageRun) show(out io.Writer) {
	for _, name := range p.order {
		t := p.tests[name]
		if t.action == "fail" || t.action == "" {
			fmt.Fprint(out, strings.Join(t.output, ""))
		}
	}
	fmt.Fprint(out, strings.Join(p.itself, ""))
}

// addTest takes an event of a test or subtest.
func (r *run) addTest(e event) {
	p := r.packageRun(e.Package)
	t := p.test(e.Test)
	switch e.Action {
	case "output":
		if strings.HasSuffix(e.Output, onBoltText) {
			whole, _, _ := strings.Cut(e.Test, "/")
			p.test(whole).onBolt = true
		}
		t.output = append(t.output, e.Output)
	case "pass", "fail", "skip":
		t.action = e.Action
		r.end(e, t)
		if e.Action != "fail" {
			t.output = nil
		}
	}
}

// What tests say of the store they ran on; vaulttest and servertest write it.
const (
	onBoltText   = ": about the data folder: on bbolt\n"
	notAgainText = ": not run again"
)

// end notes the end of a test.
func (r *run) end(e event, t *testRun) {
	name := e.Package + " " + e.Test
	isWhole := !strings.Contains(e.Test, "/")
	switch {
	case isWhole && e.Action == "pass":
		r.passedTests++
	case isWhole && e.Action == "fail":
		r.failedTests++
	}
	if isWhole {
		r.times = append(r.times, testTime{name, e.Elapsed})
	}
	if e.Action != "skip" {
		switch {
		case !isWhole:
		case t.onBolt:
			r.onBolt = append(r.onBolt, name)
		default:
			r.others++
		}
		return
	}
	why := reason(t.output)
	if command, rest, ok := parseLeftOut(why); ok {
		r.leftOut = append(r.leftOut, leftOut{name, command, rest})
	} else if strings.HasSuffix(why, notAgainText) {
		r.notAgain = append(r.notAgain, name)
	} else {
		r.skipped = append(r.skipped, skip{name, why})
	}
}

var logged = regexp.MustCompile(`^ +\S+\.go:\d+: (.+)\n$`)

// reason returns the line of package testtier, or else the last line that a test
// logged. Scripts log their own after it: an empty one, or where they ran.
func reason(output []string) string {
	last := ""
	for _, line := range slices.Backward(output) {
		found := logged.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		if _, _, ok := parseLeftOut(found[1]); ok {
			return found[1]
		}
		last = cmp.Or(last, found[1])
	}
	return cmp.Or(last, "no reason given")
}

// parseLeftOut reads the line that package testtier writes.
func parseLeftOut(why string) (command, rest string, ok bool) {
	text, ok := strings.CutPrefix(why, "left out: ")
	if !ok {
		return "", "", false
	}
	return strings.Cut(text, ": ")
}
