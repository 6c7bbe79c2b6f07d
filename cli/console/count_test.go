package console_test

import (
	"testing"

	"hush/cli/console"
)

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0 API tokens", 1: "1 API token", 2: "2 API tokens", 11: "11 API tokens"} {
		if got := console.Count(n, "API tokens"); got != want {
			t.Errorf("Count(%d): got %q, want %q", n, got, want)
		}
	}
}
