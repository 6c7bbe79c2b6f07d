package postgres

import "testing"

// An update conflicts with what an earlier one of its batch changes among the rows and
// ranges that it read, rows that the range did not have included.
func TestConflictsOfABatch(t *testing.T) {
	t.Parallel()
	row := func(bucket int16, key string) tx {
		return tx{reads: map[rowKey]uint32{{bucket, key}: 1}}
	}
	span := func(bucket int16, from, to string) tx {
		end := []byte(to)
		if to == "" {
			end = nil
		}
		return tx{ranges: []rangeRead{{bucket: bucket, keyRange: newRange([]byte(from), end)}}}
	}
	var changes overlay
	changes.set(rowKey{1, "k"}, change{value: []byte("new")})
	changes.set(rowKey{1, "x"}, change{gone: true})
	for _, test := range []struct {
		name string
		read tx
		want bool
	}{
		{"nothing", tx{}, false},
		{"the row", row(1, "k"), true},
		{"the row that goes", row(1, "x"), true},
		{"another row", row(1, "l"), false},
		{"the row of another bucket", row(2, "k"), false},
		{"a range with a change", span(1, "a", "l"), true},
		{"a range that begins at a change", span(1, "k", "l"), true},
		{"a range that ends before a change", span(1, "a", "k"), false},
		{"a range between changes", span(1, "l", "x"), false},
		{"a range without an end", span(1, "l", ""), true},
		{"a range behind all changes", span(1, "y", ""), false},
		{"a range of another bucket", span(2, "a", ""), false},
	} {
		if got := test.read.conflicts(&changes); got != test.want {
			t.Errorf("conflicts, of an update that read %s: got %t, want %t", test.name, got, test.want)
		}
		if test.read.conflicts(&overlay{}) {
			t.Errorf("conflicts with no change, of an update that read %s: got true", test.name)
		}
	}
}
