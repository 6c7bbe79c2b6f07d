package testtier_test

import (
	"testing"

	"hush/testtier"
)

// The three runs differ by -short and TEST_TIER alone, and each has what the one
// before it has.
func TestTiers(t *testing.T) {
	check, full := false, false
	t.Run("check", func(t *testing.T) {
		testtier.Check(t, "an example of what is left out")
		check = true
	})
	t.Run("full", func(t *testing.T) {
		testtier.Full(t, "an example of what is left out")
		full = true
	})
	if check != !testing.Short() {
		t.Errorf("Check: got run %t, want %t", check, !testing.Short())
	}
	if full != testtier.IsFull() || full && !check {
		t.Errorf("Full: got run %t, want %t and never without Check", full, testtier.IsFull())
	}
}
