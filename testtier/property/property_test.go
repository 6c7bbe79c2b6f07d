package property_test

import (
	"flag"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"hush/testtier/property"
)

// With -short two runs draw the same.
func TestShortDrawsTheSame(t *testing.T) {
	draws := func() (drawn []int) {
		property.Check(t, func(rt *rapid.T) { drawn = append(drawn, rapid.Int().Draw(rt, "n")) })
		return drawn
	}
	first, second := draws(), draws()
	if len(first) == 0 || testing.Short() && !slices.Equal(first, second) {
		t.Errorf("draws with -short: got %v and %v, want the same", first, second)
	}
	if seed := flag.Lookup("rapid.seed").Value.String(); testing.Short() && seed == "0" {
		t.Errorf("rapid.seed with -short: got %s, want a fixed one", seed)
	}
}
