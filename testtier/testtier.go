// Package testtier says in which of the three runs of the tests a test takes part.
//
// "make test" (go test -short) has what is deterministic and quick. "make check" has
// what a change must pass as well: started processes, the race detector, PostgreSQL,
// a browser. "make full" has everything: kills at random, faults, power loss, long
// runs, other browsers, and what depends on the speed of the machine.
//
// A test that belongs to a later run says so in its first lines, and is left out of
// the earlier ones. That is no skip: scripts/test.sh lists what was left out and where
// it runs, and TEST_REQUIRE=all allows it.
package testtier

import (
	"os"
	"testing"
)

// Variable names the environment variable that "make full" sets to "full".
const Variable = "TEST_TIER"

// Check leaves t out of "make test", because of why: a phrase such as "starts the
// service". "make check" and "make full" run it.
func Check(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		leaveOut(t, "check", why)
	}
}

// Full leaves t out of "make test" and "make check", because of why: a phrase such as
// "kills the service at random". "make full" runs it.
func Full(t testing.TB, why string) {
	t.Helper()
	if !IsFull() {
		leaveOut(t, "full", why)
	}
}

// IsFull reports whether "make full" runs the test. A test that "make check" runs in
// small asks for it to choose its size.
func IsFull() bool {
	return !testing.Short() && os.Getenv(Variable) == "full"
}

// leaveOut ends t with a line that tools/hush/testreport reads.
func leaveOut(t testing.TB, command, why string) {
	t.Helper()
	t.Skipf("left out: make %s: %s", command, why)
}
