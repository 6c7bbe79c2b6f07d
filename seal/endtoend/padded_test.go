package endtoend_test

import (
	"encoding/json"
	"errors"
	"os"
	"testing"

	"hush/seal/endtoend"
)

// The lengths of testdata/padded.json were computed by another implementation, up to the
// largest integer that a browser computes with.
func TestPaddedLengths(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/padded.json")
	var lengths [][2]uint64
	if err = errors.Join(err, json.Unmarshal(text, &lengths)); err != nil {
		t.Fatal(err)
	}
	for _, length := range lengths {
		if got := endtoend.Padded(length[0]); got != length[1] {
			t.Errorf("Padded(%d): got %d, want %d", length[0], got, length[1])
		}
	}
	if last := lengths[len(lengths)-1][0]; last != 1<<53-1 {
		t.Errorf("testdata/padded.json: got lengths up to %d, want 2^53 - 1", last)
	}
}
