package chunked_test

import (
	"testing"

	"pgregory.net/rapid"

	"hush/seal/chunked"
	"hush/testtier/property"
)

// The results were computed by hand from the rule.
func TestPadme(t *testing.T) {
	t.Parallel()
	for n, want := range map[uint64]uint64{
		0: 0, 1: 1, 2: 2, 3: 3, 8: 8, 9: 10, 100: 104, 256: 256, 257: 272, 1000: 1024,
		1024: 1024, 1025: 1088, 104_448: 104_448, 104_449: 106_496, 1_050_624: 1_081_344,
	} {
		if got := chunked.Padme(n); got != want {
			t.Errorf("Padme(%d): got %d, want %d", n, got, want)
		}
	}
}

func TestPadmeProperties(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Max(1<<62).Draw(t, "n")
		got := chunked.Padme(n)
		if got < n || got-n > n/8 {
			t.Errorf("Padme(%d): got %d, want at least that and at most an eighth more", n, got)
		}
		if again := chunked.Padme(got); again != got {
			t.Errorf("Padme(%d): got %d, want the same: it is a result", got, again)
		}
		if n > 0 && chunked.Padme(n-1) > got {
			t.Errorf("Padme(%d): got %d, want at most Padme(%d), %d", n-1, chunked.Padme(n-1), n, got)
		}
	})
}
