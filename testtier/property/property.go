// Package property checks properties of drawn input, with rapid.
//
// With -short the draws are the same in every run: a test that fails there fails
// again. Without it each run draws others, and a failure names its seed.
package property

import (
	"flag"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// shortSeed is what draws begin with in a run with -short.
const shortSeed = "1"

var fixed sync.Once

// Check is rapid.Check. A seed that the command line names is kept.
func Check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	fixed.Do(func() {
		seed := flag.Lookup("rapid.seed")
		if testing.Short() && seed.Value.String() == "0" {
			if err := seed.Value.Set(shortSeed); err != nil {
				t.Fatalf("Set(rapid.seed): got %v, want nil", err)
			}
		}
	})
	rapid.Check(t, property)
}
