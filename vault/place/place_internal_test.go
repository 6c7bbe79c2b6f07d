package place

import (
	"errors"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hush/testtier/property"
	"hush/vault/recordtest"
	"hush/vault/rows"
)

func samplePlace() Place { return Place{Name: "Łódź", Latitude: 51.77, Altitude: -2.5} }

// What was stored once is read for ever, and while a version is the current
// one, it is written the same.
func TestGoldenPlaces(t *testing.T) {
	t.Parallel()
	recordtest.Check(t, []recordtest.Case{
		{Name: "place-v1", Record: samplePlace(), Encoded: samplePlace().encode(), Decode: func(b []byte) (any, error) { return decodePlace(b) }},
	}, cmp.Comparer(recordtest.SameEmpty))
}

func FuzzDecodePlace(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		p, err := decodePlace(data)
		return p.encode(), err
	}, "place-v1")
}

func TestPlaceRoundTrip(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		p := Place{
			Name:     rapid.StringN(1, PlaceNameLength, -1).Draw(t, "name"),
			Latitude: rapid.Float64Range(-90, 90).Draw(t, "latitude"),
			Altitude: rapid.Float64Range(minAltitude, maxAltitude).Draw(t, "altitude"),
		}
		if p.Check() != nil {
			t.Skip("no place")
		}
		got, err := decodePlace(p.encode())
		if err != nil || got.Key() != p.Key() || got.Latitude != p.Latitude || got.Altitude != p.Altitude {
			t.Errorf("decodePlace(encode(%+v)): got %+v, %v, want the same", p, got, err)
		}
	})
}

// Folding is settled after one time, and whatever Unicode takes for one letter
// in two cases is one letter.
func TestFoldSettles(t *testing.T) {
	t.Parallel()
	for r := range unicode.MaxRune + 1 {
		if testing.Short() && r > 0x1ffff && r%97 != 0 {
			continue // planes without cased letters
		}
		folded := foldName(string(r))
		if again := foldName(folded); again != folded {
			t.Errorf("foldName(%q): got %q, want the same", folded, again)
		}
		if other := unicode.SimpleFold(r); foldName(string(other)) != folded {
			t.Errorf("foldName(%q): got %q, want %q as of %q", other, foldName(string(other)), folded, r)
		}
	}
}

// A name is stored without white space around it.
func TestSpacedPlaceIsDamaged(t *testing.T) {
	t.Parallel()
	spaced := Place{Name: "x"}.encode()
	spaced[len(spaced)-1] = ' '
	if _, err := decodePlace(spaced); !errors.Is(err, rows.ErrDamaged) {
		t.Errorf("decodePlace(white space): got %v, want %v", err, rows.ErrDamaged)
	}
}
