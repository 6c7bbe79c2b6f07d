package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// finish writes what the report ends with.
func (r *run) finish(o options) error {
	r.listSlowest(o.slowest)
	r.listLeftOut()
	r.listSkipped(o)
	if o.stores {
		r.listStores()
	}
	r.tally()
	var err error
	if o.leftOut != "" {
		var names strings.Builder
		for _, l := range r.leftOut {
			fmt.Fprintf(&names, "%s: %s: %s\n", l.command, l.test, l.why)
		}
		err = os.WriteFile(o.leftOut, []byte(names.String()), 0o600)
	}
	if o.times != "" {
		err = errors.Join(err, r.appendTimes(o.times))
	}
	return err
}

func (r *run) listSlowest(most int) {
	slices.SortFunc(r.times, func(a, b testTime) int { return cmp.Compare(b.seconds, a.seconds) })
	fmt.Fprintln(r.out, "\n--- slowest tests")
	for _, t := range r.times[:min(most, len(r.times))] {
		fmt.Fprintf(r.out, "%7.1f s  %s\n", t.seconds, t.name)
	}
}

// appendTimes adds a line for each test to a file, for the check that lists the
// slowest of several runs.
func (r *run) appendTimes(name string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	for _, t := range r.times {
		fmt.Fprintf(f, "%9.2f %s\n", t.seconds, t.name)
	}
	return f.Close()
}

// listLeftOut counts the tests that other commands run, by command, package and reason.
func (r *run) listLeftOut() {
	if len(r.leftOut) == 0 {
		return
	}
	counts := map[string]int{}
	for _, l := range r.leftOut {
		folder, _, _ := strings.Cut(l.test, " ")
		counts[fmt.Sprintf("%s runs in %s: %s", l.command, folder, l.why)]++
	}
	fmt.Fprintln(r.out, "\n--- left out here")
	for _, line := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(r.out, "%4d  %s\n", counts[line], line)
	}
}

func (r *run) listSkipped(o options) {
	fmt.Fprintln(r.out, "\n--- skipped")
	if o.noRace != "" {
		fmt.Fprintf(r.out, "race detector (%s)\n", o.noRace)
	}
	for _, s := range r.skipped {
		fmt.Fprintf(r.out, "%s (%s)\n", s.test, s.why)
	}
	if o.noRace == "" && len(r.skipped) == 0 {
		fmt.Fprintln(r.out, "nothing")
	}
}

func (r *run) listStores() {
	fmt.Fprintln(r.out, "\n--- not on the shared PostgreSQL server")
	for _, name := range r.onBolt {
		fmt.Fprintln(r.out, name, "(on bbolt)")
	}
	for _, name := range r.notAgain {
		fmt.Fprintln(r.out, name, "(not run again)")
	}
	fmt.Fprintf(r.out, "%d on bbolt, %d not run again, and %d others\n", len(r.onBolt), len(r.notAgain), r.others)
}

// tally writes how many tests there were, without their subtests.
func (r *run) tally() {
	fmt.Fprintf(r.out, "\n%d passed, %d failed, %d skipped\n", r.passedTests, r.failedTests, len(r.skipped))
}

// verdict returns why the run failed, if it did.
func (r *run) verdict(o options) error {
	for path := range r.running {
		r.failed = append(r.failed, path+" (no verdict)")
	}
	slices.Sort(r.failed)
	switch forbidden := r.forbidden(o); {
	case len(r.failed) > 0:
		return errors.New(strings.Join(r.failed, ", "))
	case r.tested == 0:
		return errors.New("no package was tested")
	case len(forbidden) > 0:
		return fmt.Errorf("skipped, which TEST_REQUIRE=%s forbids: %s", o.require, strings.Join(forbidden, ", "))
	}
	return nil
}

// forbidden names the skips that must not be. The reason of a test that misses a tool
// begins with "needs NAME:".
func (r *run) forbidden(o options) (names []string) {
	required := strings.Split(o.require, ",")
	all := slices.Contains(required, "all")
	if o.noRace != "" && (all || slices.Contains(required, "race")) {
		names = append(names, "race detector")
	}
	for _, s := range r.skipped {
		text, _ := strings.CutPrefix(s.why, "needs ")
		tool, _, isTool := strings.Cut(text, ":")
		if all || isTool && text != s.why && slices.Contains(required, tool) {
			names = append(names, s.test)
		}
	}
	return names
}
