package hush_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"testing"
)

// goModule is a go.mod in the output of go mod edit.
type goModule struct {
	Go      string
	Require []struct{ Path, Version string }
}

// The tools measure and examine what a release is built of, so the versions that their
// module requires are those of the service, where both require a module.
func TestToolsRequireTheVersionsOfTheService(t *testing.T) {
	service, tools := versionsIn(t, "go.mod"), versionsIn(t, "tools/hush/go.mod")
	different, shared := differentVersions(service, tools)
	for _, fault := range different {
		t.Error(fault)
	}
	if shared < 20 {
		t.Errorf("differentVersions: got %d modules that both require, want 20 or more, or this test finds nothing", shared)
	}
}

// The check must be able to fail.
func TestDifferentVersionsAreNamed(t *testing.T) {
	t.Parallel()
	service := map[string]string{"go": "1.26.0", "a": "v1.0.0", "b": "v1.0.0", "c": "v1.0.0"}
	tools := map[string]string{"go": "1.26.0", "a": "v1.0.0", "b": "v1.1.0", "d": "v1.0.0"}
	got, shared := differentVersions(service, tools)
	if want := []string{"tools/hush/go.mod requires b v1.1.0, want v1.0.0 as in go.mod"}; !slices.Equal(got, want) || shared != 3 {
		t.Errorf("differentVersions: got %q of %d, want %q of 3", got, shared, want)
	}
}

// differentVersions names the modules that both require at different versions, and
// returns how many both require.
func differentVersions(service, tools map[string]string) (different []string, shared int) {
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		want, both := service[name]
		if !both {
			continue
		}
		shared++
		if got := tools[name]; got != want {
			different = append(different, fmt.Sprintf("tools/hush/go.mod requires %s %s, want %s as in go.mod", name, got, want))
		}
	}
	return different, shared
}

// versionsIn returns what a go.mod requires: the version of each module, and that of Go
// by the name go.
func versionsIn(t *testing.T, file string) map[string]string {
	t.Helper()
	readDocument(t, file) // so that a cached result is not repeated after a change
	out, err := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json", file).Output()
	if err != nil {
		t.Fatalf("go mod edit -json %s: got %v, want JSON", file, err)
	}
	var m goModule
	if err := json.Unmarshal(out, &m); err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{"go": m.Go}
	for _, required := range m.Require {
		versions[required.Path] = required.Version
	}
	return versions
}
