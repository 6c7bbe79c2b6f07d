package admin

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hush/vault/place"
)

// FuzzReadPlaces: a table that is taken, written again, is the same table, and
// every place in it is one that the vault takes.
func FuzzReadPlaces(f *testing.F) {
	for _, seed := range []string{
		"name,latitude,altitude\nKyiv,50.45,179\n",
		"altitude,name,latitude\n-2,\"Amsterdam, NL\",52.37\n",
		"\ufeffName,Latitude,Altitude\r\nA,1,2\r\n",
		"name,latitude,altitude\nA,NaN,2\n",
		"name,latitude,altitude\nA,1\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, table []byte) {
		places, err := readPlaces(bytes.NewReader(table))
		if err != nil {
			return
		}
		for _, place := range places {
			if err := place.Check(); err != nil {
				t.Errorf("readPlaces(%q): got %+v, which is refused: %v", table, place, err)
			}
		}
		again, err := readPlaces(bytes.NewReader(writePlaces(t, places)))
		if err != nil {
			t.Fatalf("readPlaces(its own places): got %v, want nil", err)
		}
		if diff := cmp.Diff(places, again, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("readPlaces(its own places): %s", diff)
		}
	})
}

func writePlaces(t *testing.T, places []place.Place) []byte {
	t.Helper()
	var b bytes.Buffer
	table := csv.NewWriter(&b)
	rows := [][]string{{"name", "latitude", "altitude"}}
	for _, p := range places {
		rows = append(rows, []string{
			p.Name, strconv.FormatFloat(p.Latitude, 'g', -1, 64), strconv.FormatFloat(p.Altitude, 'g', -1, 64),
		})
	}
	if err := table.WriteAll(rows); err != nil {
		t.Fatalf("writing places: %v", err)
	}
	return b.Bytes()
}
