package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hush/storage/postgres/postgrestest"
	"hush/testtier"
)

// quickStarts are the tests that start the service even in "make test": the program
// begins, serves on every door and ends. All others leave that to "make check".
func quickStarts() []string {
	return []string{"TestHealthcheck", "TestMemoryStore", "TestOnePortSpeaksBoth", "TestScripts/share_elsewhere"}
}

// postgresStarts are the tests that start the service in the second run of "make
// check", on PostgreSQL: one each of what a store can do differently. The vault has
// suites of its own there, and "make full" runs all tests on PostgreSQL.
func postgresStarts() []string {
	return []string{
		"TestHealthcheck", "TestReadme", // start, serve, end
		"TestAccountIsReady",       // a command beside the service
		"TestKeysOfTheOperator",    // root keys
		"TestMetricsFollowSecrets", // numbers of the store
	}
}

// starts says that t starts the service, in this process or as a program, or makes
// what one needs to serve. Every helper that does calls it first.
func starts(t testing.TB) {
	t.Helper()
	if testing.Short() && !isOneOf(t, quickStarts()) {
		testtier.Check(t, "starts the service")
	}
	if postgrestest.Shared() != "" && !isOneOf(t, postgresStarts()) {
		testtier.Full(t, "starts the service on PostgreSQL")
	}
}

// times is how often a test does what it does many times: often in "make full", and a
// few times in "make check".
type times struct {
	set         *int
	check, full int
}

// timesFlag defines a flag that says how often, whichever command runs the test.
func timesFlag(name string, check, full int, usage string) times {
	return times{flag.Int(name, 0, fmt.Sprintf("%s; if 0, %d times in make check, and %d in make full", usage, check, full)), check, full}
}

func (n times) count() int {
	if *n.set > 0 {
		return *n.set
	}
	return inTier(n.check, n.full)
}

// inTier returns the first in "make check", and the second in "make full".
func inTier(check, full int) int {
	if testtier.IsFull() {
		return full
	}
	return check
}

// isOneOf reports whether t, or a test that it is part of, is among the names.
func isOneOf(t testing.TB, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return t.Name() == name || strings.HasPrefix(t.Name(), name+"/")
	})
}

// Each name is that of a test: else one that is renamed would silently leave a run.
func TestNamesOfStarts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range testFunction.FindAllSubmatch(source, -1) {
			known[string(found[1])] = true
		}
	}
	for _, name := range slices.Concat(quickStarts(), postgresStarts()) {
		name, script, _ := strings.Cut(name, "/")
		if !known[name] {
			t.Errorf("tests: got no %s, want the one that a list of starts names", name)
		}
		if script == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join("testdata/script", script+".txt")); err != nil {
			t.Errorf("scripts: got %v, want the one that a list of starts names", err)
		}
	}
}

var testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
