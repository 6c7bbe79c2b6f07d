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

// Operators look up codes in docs/operations.md, so its table has all of them and
// says what the command says.
func TestCodesAreDocumented(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(content), "### Doctor and compact\n")
	if !found {
		t.Fatal("docs/operations.md: got no section Doctor and compact, want one")
	}
	section, _, _ = strings.Cut(section, "\n### ")
	var want []string
	for _, i := range doctor.Codes() {
		want = append(want, fmt.Sprintf("| `%s` | %s | %s | %s |", i.Code, i.Level, i.Text, i.Do))
	}
	got := regexp.MustCompile("(?m)^\\| `[a-z-]+` \\| (error|warning|info) \\|.*$").FindAllString(section, -1)
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("docs/operations.md: got no line %s", line)
		}
	}
	if len(got) != len(want) {
		t.Errorf("lines of codes in docs/operations.md: got %d, want %d", len(got), len(want))
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
