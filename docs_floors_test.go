package hush_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The table of floors in architecture.md has every package, but for those of the vault,
// which have a table of their own, and for tools and test kits, of which it has some.
func TestArchitectureListsTheFloors(t *testing.T) {
	for _, fault := range floorFaults(floorsIn(readDocument(t, architectureDoc))) {
		t.Errorf("%s, packages by floors: %s", architectureDoc, fault)
	}
}

// The check must be able to fail.
func TestMissingFloorsAreNamed(t *testing.T) {
	named := floorsIn(readDocument(t, architectureDoc))
	named = append(slices.DeleteFunc(named, func(name string) bool { return name == "seal" }), "vault/nothing")
	want := []string{"got no seal, want it", "got vault/nothing, which stands on no floor"}
	if got := floorFaults(named); !slices.Equal(got, want) {
		t.Errorf("floorFaults: got %q, want %q", got, want)
	}
	if got := floorsIn("## The packages by floors\n\n| a | `b`, `c` | `d` |\n\n## Other\n\n| a | `e` | f |\n"); !slices.Equal(got, []string{"b", "c"}) {
		t.Errorf("floorsIn: got %q, want b and c", got)
	}
}

// floorsIn returns the packages that the table of floors in a document names.
func floorsIn(document string) (names []string) {
	_, section, _ := strings.Cut(document, "## The packages by floors\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			continue
		}
		for _, span := range codeSpan.FindAllStringSubmatch(cells[2], -1) {
			names = append(names, span[1])
		}
	}
	return names
}

// floorFaults says which names are of no package and no folder of packages, and which
// packages are not among the names.
func floorFaults(named []string) (faults []string) {
	var known []string
	for _, f := range floors {
		for _, pattern := range f.packages {
			name := strings.TrimSuffix(pattern, "/...")
			known = append(known, name)
			if listed := f.name != "vault" && f.name != "tools" && f.name != "test kits"; listed && !slices.Contains(named, name) {
				faults = append(faults, fmt.Sprintf("got no %s, want it", name))
			}
		}
	}
	for _, name := range named {
		if !slices.ContainsFunc(known, func(k string) bool { return k == name || strings.HasPrefix(k, name+"/") }) {
			faults = append(faults, fmt.Sprintf("got %s, which stands on no floor", name))
		}
	}
	slices.Sort(faults)
	return faults
}
