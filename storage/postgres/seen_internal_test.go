package postgres

import (
	"errors"
	"maps"
	"testing"
)

// A database must have what it confirmed on its timeline. One on a later timeline may
// lack it, and one on an earlier timeline is an older database.
func TestSeenTimelines(t *testing.T) {
	t.Parallel()
	var s seen
	s.admit("00000009")
	s.confirm("00000009", 1, 5)
	s.confirm("00000009", 1, 4)
	s.confirm("00000009", 2, 1)
	s.confirm("00000008", 3, 1)
	for _, test := range []struct {
		timeline string
		want     map[int64]int64
		err      error
	}{
		{"00000009", map[int64]int64{1: 5, 2: 1}, nil},
		{"0000000A", nil, nil},
		{"00000008", nil, errSetBack},
	} {
		if got, err := s.expected(test.timeline); !maps.Equal(got, test.want) || !errors.Is(err, test.err) {
			t.Errorf("expected(%s): got %v, %v, want %v, %v", test.timeline, got, err, test.want, test.err)
		}
	}
	s.admit("0000000A")
	s.confirm("00000009", 1, 6) // it came late
	s.admit("00000009")
	for timeline, want := range map[string]error{"00000009": errSetBack, "0000000A": nil} {
		if got, err := s.expected(timeline); len(got) != 0 || !errors.Is(err, want) {
			t.Errorf("expected(%s) after a promotion: got %v, %v, want none, %v", timeline, got, err, want)
		}
	}
}
