package web_test

import (
	"regexp"
	"testing"

	"hush/web"
)

// A passphrase of six words has 60 bits only if there are 1,024 words.
func TestWords(t *testing.T) {
	t.Parallel()
	word := regexp.MustCompile(`^[a-z]{3,8}$`)
	seen := map[string]bool{}
	for _, w := range web.Words() {
		if !word.MatchString(w) || seen[w] {
			t.Errorf("Words: got %q, want words of 3 to 8 letters, each once", w)
		}
		seen[w] = true
	}
	if len(seen) != 1024 {
		t.Errorf("Words: got %d, want 1024", len(seen))
	}
}
