// Package recordtest checks the encodings of stored records: that old versions
// stay readable, that damage is found, and that a record has one form.
package recordtest

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hush/seal"
	"hush/vault/rows"
)

// Golden returns the bytes of a record as they were first stored, from
// testdata. It ignores white space and everything after a #.
func Golden(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name+".hex"))
	if err != nil {
		t.Fatalf("ReadFile(%s): got %v, want nil", name, err)
	}
	var digits strings.Builder
	for line := range strings.Lines(string(content)) {
		line, _, _ = strings.Cut(line, "#")
		digits.WriteString(strings.Join(strings.Fields(line), ""))
	}
	data, err := hex.DecodeString(digits.String())
	if err != nil {
		t.Fatalf("DecodeString(%s): got %v, want nil", name, err)
	}
	return data
}

// Row returns the row of a token that ends in repetitions of a letter.
func Row(letter string) seal.RowKey {
	return seal.RowKey([]byte("0mk3wz" + strings.Repeat(letter, 16)))
}

// Salt returns a sample salt.
func Salt() (salt [16]byte) {
	copy(salt[:], strings.Repeat("salt ", 4))
	return salt
}

// Moment returns a sample time.
func Moment(second int) time.Time {
	return time.Date(2026, time.January, 2, 3, 4, second, 678e6, time.UTC)
}

// Case is a record with its golden file.
type Case struct {
	Name    string
	Record  any
	Encoded []byte // nil if the version is no longer written
	Decode  func([]byte) (any, error)
}

// Check compares records with their golden files, and checks that damage is
// found.
func Check(t *testing.T, cases []Case, options ...cmp.Option) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			stored := compare(t, c, options)
			WantDamaged(t, stored, c.Decode)
		})
	}
}

// CheckOpen is Check for records that end in any number of bytes, so that a
// missing end cannot be detected. It reads the versions up to newest.
func CheckOpen(t *testing.T, cases []Case, newest byte, options ...cmp.Option) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			stored := compare(t, c, options)
			wantDamaged(t, stored, c.Decode, func(data []byte) bool {
				return len(data) > 0 && data[0] >= 1 && data[0] <= newest
			})
		})
	}
}

func compare(t *testing.T, c Case, options []cmp.Option) (stored []byte) {
	t.Helper()
	stored = Golden(t, c.Name)
	if c.Encoded != nil && !bytes.Equal(c.Encoded, stored) {
		t.Errorf("encode(record): got %x, want %x", c.Encoded, stored)
	}
	got, err := c.Decode(stored)
	if err != nil {
		t.Fatalf("decode(%s): got %v, want nil", c.Name, err)
	}
	if diff := cmp.Diff(c.Record, got, options...); diff != "" {
		t.Errorf("decode(%s): -want +got\n%s", c.Name, diff)
	}
	return stored
}

// SameEmpty treats an empty field like an absent one, as the format does.
func SameEmpty(a, b []byte) bool { return bytes.Equal(a, b) }

// WantDamaged truncates a record, extends it, and changes its version.
func WantDamaged(t *testing.T, stored []byte, decode func([]byte) (any, error)) {
	t.Helper()
	wantDamaged(t, stored, decode, func([]byte) bool { return false })
}

func wantDamaged(t *testing.T, stored []byte, decode func([]byte) (any, error), whole func([]byte) bool) {
	t.Helper()
	damaged := [][]byte{nil, append(append([]byte{}, stored...), 0)}
	for i := range stored {
		damaged = append(damaged, stored[:i])
	}
	for _, version := range []byte{0, 100, 255} {
		damaged = append(damaged, append([]byte{version}, stored[1:]...))
	}
	for _, data := range damaged {
		if _, err := decode(data); !errors.Is(err, rows.ErrDamaged) && !whole(data) {
			t.Errorf("decode(%d of %d bytes): got %v, want %v", len(data), len(stored), err, rows.ErrDamaged)
		}
	}
}

// Fuzz checks a property of every decoder: accepted data is encoded to the same
// bytes again, so a record has one form.
func Fuzz(f *testing.F, again func(data []byte) ([]byte, error), names ...string) {
	f.Helper()
	for _, name := range names {
		stored := Golden(f, name)
		f.Add(stored)
		f.Add(stored[:len(stored)/2])
		f.Add(slices.Concat(stored, []byte{0}))
	}
	f.Add([]byte(nil))
	f.Add([]byte{1})
	f.Add(append([]byte{1}, bytes.Repeat([]byte{0xff}, 200)...))
	f.Add(append([]byte{1}, make([]byte, 200)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		encoded, err := again(data)
		if err == nil && !bytes.Equal(encoded, before) {
			t.Errorf("encode(decode(%x)): got %x, want the same", before, encoded)
		}
		if !bytes.Equal(data, before) {
			t.Errorf("decode(%x): got the argument changed to %x, want it as it was", before, data)
		}
	})
}

// Moments generates the times that a record can hold.
func Moments() *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		return rows.FromMillis(rapid.Uint64Range(0, 1<<45).Draw(t, "ms"))
	})
}

// Bytes generates size bytes.
func Bytes(size int) *rapid.Generator[[]byte] { return rapid.SliceOfN(rapid.Byte(), size, size) }
