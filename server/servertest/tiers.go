package servertest

import (
	"flag"
	"fmt"
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

// NeedStart says that t starts the service, in this process or as a program, or makes
// what one needs to serve. Every helper that does calls it first.
func NeedStart(t testing.TB) {
	t.Helper()
	if testing.Short() && !isOneOf(t, quickStarts()) {
		testtier.Check(t, "starts the service")
	}
	if postgrestest.Shared() != "" && !isOneOf(t, postgresStarts()) {
		testtier.Full(t, "starts the service on PostgreSQL")
	}
}

// Times is how often a test does what it does many times: often in "make full", and a
// few times in "make check".
type Times struct {
	set         *int
	check, full int
}

// TimesFlag defines a flag that says how often, whichever command runs the test.
func TimesFlag(name string, check, full int, usage string) Times {
	return Times{flag.Int(name, 0, fmt.Sprintf("%s; if 0, %d times in make check, and %d in make full", usage, check, full)), check, full}
}

// Count returns how often.
func (n Times) Count() int {
	if *n.set > 0 {
		return *n.set
	}
	return InTier(n.check, n.full)
}

// InTier returns the first in "make check", and the second in "make full".
func InTier(check, full int) int {
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
