package doctor_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hush/vault/doctor"
)

// Operators look up codes in the document, so its table has all of them and says what
// the command says.
func TestCodesAreDocumented(t *testing.T) {
	t.Parallel()
	const name = "docs/operations/doctor.md"
	content, err := os.ReadFile("../../" + name)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, i := range doctor.Codes() {
		want = append(want, fmt.Sprintf("| `%s` | %s | %s | %s |", i.Code, i.Level, i.Text, i.Do))
	}
	got := regexp.MustCompile("(?m)^\\| `[a-z-]+` \\| (error|warning|info) \\|.*$").FindAllString(string(content), -1)
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("%s: got no line %s", name, line)
		}
	}
	if len(got) != len(want) {
		t.Errorf("lines of codes in %s: got %d, want %d", name, len(got), len(want))
	}
}

// Codes are stable, so each stands for one thing.
func TestCodesAreUnique(t *testing.T) {
	t.Parallel()
	seen := map[doctor.Code]bool{}
	for _, i := range doctor.Codes() {
		if seen[i.Code] {
			t.Errorf("code %s: got two meanings, want one", i.Code)
		}
		seen[i.Code] = true
		if !strings.HasSuffix(i.Text, ".") || !strings.HasSuffix(i.Do, ".") {
			t.Errorf("code %s: got %q and %q, want sentences", i.Code, i.Text, i.Do)
		}
	}
}
