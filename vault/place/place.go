package place

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"

	"hush/storage"
	"hush/vault/cluster"
	"hush/vault/refusal"
	"hush/vault/rows"
)

const placeVersion = 1

// BucketPlace has folded name -> Place.
const BucketPlace = "place"

// Place is a named place.
type Place struct {
	Name     string
	Latitude float64 // degrees north, -90 to 90
	Altitude float64 // metres above sea level
	BuiltIn  bool    // not imported
}

// The limits on places.
const (
	// PlaceNameLength is the maximum number of characters of a name.
	PlaceNameLength = 200
	// placeKeySize is the maximum bytes of a folded name, which is a key in the
	// store.
	placeKeySize = 1024
	// minAltitude and maxAltitude include every named point, from the deepest
	// trench to the edge of space.
	minAltitude, maxAltitude = -12_000, 100_000
)

// foldName returns the form in which names are compared: trimmed and Unicode
// case-folded.
func foldName(name string) string {
	return strings.Map(foldCherokee, cases.Fold().String(strings.TrimSpace(name)))
}

// foldCherokee folds Cherokee to its capitals, as Unicode does. Package cases
// swaps the two cases instead, so that they would never match.
func foldCherokee(r rune) rune {
	if unicode.Is(unicode.Cherokee, r) {
		return unicode.ToUpper(r)
	}
	return r
}

// Key returns the folded name; places with equal keys are one place.
func (p Place) Key() string { return foldName(p.Name) }

// Check returns an InvalidError for an impossible place.
func (p Place) Check() error {
	name := strings.TrimSpace(p.Name)
	switch {
	case !utf8.ValidString(name):
		return &refusal.InvalidError{Field: "name", Text: "is not valid UTF-8"}
	case name == "":
		return &refusal.InvalidError{Field: "name", Text: "is empty"}
	case utf8.RuneCountInString(name) > PlaceNameLength || len(foldName(name)) > placeKeySize:
		return &refusal.InvalidError{Field: "name", Text: "is longer than " + strconv.Itoa(PlaceNameLength) + " characters"}
	case math.IsNaN(p.Latitude) || p.Latitude < -90 || p.Latitude > 90:
		return &refusal.InvalidError{Field: "latitude", Text: "must be -90 to 90 degrees"}
	case math.IsNaN(p.Altitude) || p.Altitude < minAltitude || p.Altitude > maxAltitude:
		return &refusal.InvalidError{Field: "altitude", Text: "must be -12000 to 100000 metres"}
	}
	return nil
}

// LookupPlace finds a place by name, first in the imported table and then in
// the built-in one. It returns ErrNotFound, or ErrInvalid for an empty name.
func (t Places) LookupPlace(ctx context.Context, name string) (Place, error) {
	key := foldName(name)
	if key == "" || utf8.RuneCountInString(strings.TrimSpace(name)) > PlaceNameLength {
		return Place{}, &refusal.InvalidError{Field: "name", Text: "must hold 1 to 200 characters, not all of them white space"}
	}
	if len(key) > placeKeySize {
		return Place{}, refusal.ErrNotFound
	}
	var place Place
	err := t.store.View(ctx, func(tx *rows.Tx) (err error) {
		place, err = rows.Load(tx, BucketPlace, []byte(key), decodePlace)
		return err
	})
	if errors.Is(err, refusal.ErrNotFound) {
		return t.builtInPlace(key)
	}
	return place, err
}

func (t Places) builtInPlace(key string) (Place, error) {
	place, ok := t.builtIn[key]
	if !ok {
		return Place{}, refusal.ErrNotFound
	}
	return place, nil
}

// byKey indexes places by key.
func byKey(places []Place) map[string]Place {
	index := make(map[string]Place, len(places))
	for _, place := range places {
		index[place.Key()] = place
	}
	return index
}

// Places holds the imported table. It also works on a store without an open
// vault.
type Places struct {
	store   cluster.Store
	builtIn map[string]Place // by key
}

// NewPlaces returns the table in store.
func NewPlaces(store cluster.Store) Places { return Places{store, byKey(builtInPlaces())} }

// Import adds places or overwrites those of the same folded name, all or none.
// With replace it empties the table first. Every place must pass Check.
func (t Places) Import(ctx context.Context, places []Place, replace bool) error {
	keys := make([][]byte, len(places))
	for i, p := range places {
		if err := p.Check(); err != nil {
			return err
		}
		keys[i] = []byte(p.Key())
	}
	return t.store.Update(ctx, func(tx *rows.Tx) error {
		if replace {
			if err := rows.DeletePrefix(tx, BucketPlace, nil); err != nil {
				return err
			}
		}
		for i, p := range places {
			if err := tx.Put(BucketPlace, keys[i], p.encode()); err != nil {
				return err
			}
		}
		return nil
	})
}

// List returns the imported places by folded name, then the built-in ones that
// no import hides.
func (t Places) List(ctx context.Context) (places []Place, err error) {
	err = t.store.View(ctx, func(tx *rows.Tx) error {
		places = nil
		return tx.Range(BucketPlace, nil, nil, func(_, value []byte) error {
			p, err := decodePlace(value)
			places = append(places, p)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	imported := byKey(places)
	for _, p := range builtInPlaces() {
		if _, hidden := imported[p.Key()]; !hidden {
			places = append(places, p)
		}
	}
	return places, nil
}

// Remove deletes an imported place, or returns ErrNotFound. It cannot delete
// built-in places.
func (t Places) Remove(ctx context.Context, name string) error {
	key := []byte(foldName(name))
	if len(key) == 0 || len(key) > placeKeySize {
		return refusal.ErrNotFound
	}
	return t.store.Update(ctx, func(tx *rows.Tx) error {
		_, err := tx.Get(BucketPlace, key)
		if errors.Is(err, storage.ErrNotFound) {
			return refusal.ErrNotFound
		}
		if err != nil {
			return err
		}
		return tx.Delete(BucketPlace, key)
	})
}

// fields carries a place.
//
//	version 1 │ latitude 8 │ altitude 8 (IEEE 754) │ name (4, text)
func (p *Place) fields(c *rows.Codec) {
	c.Version(placeVersion)
	c.Float64(&p.Latitude)
	c.Float64(&p.Altitude)
	c.Text(&p.Name)
	c.Refuse(p.Name != strings.TrimSpace(p.Name))
}

func (p Place) encode() []byte {
	p.Name = strings.TrimSpace(p.Name)
	return rows.Encode(32+len(p.Name), &p, (*Place).fields)
}

func decodePlace(data []byte) (p Place, err error) {
	err = rows.Decode(data, &p, (*Place).fields)
	return p, err
}

// builtInPlaces returns the built-in table: well-known places with latitude in
// degrees and altitude in metres, rounded.
func builtInPlaces() []Place {
	return []Place{
		{Name: "Amsterdam", Latitude: 52.37, Altitude: -2, BuiltIn: true},
		{Name: "Athens", Latitude: 37.98, Altitude: 70, BuiltIn: true},
		{Name: "Berlin", Latitude: 52.52, Altitude: 34, BuiltIn: true},
		{Name: "Bogotá", Latitude: 4.71, Altitude: 2640, BuiltIn: true},
		{Name: "Cairo", Latitude: 30.04, Altitude: 23, BuiltIn: true},
		{Name: "Cape Town", Latitude: -33.92, Altitude: 25, BuiltIn: true},
		{Name: "Death Valley", Latitude: 36.23, Altitude: -86, BuiltIn: true},
		{Name: "Denver", Latitude: 39.74, Altitude: 1609, BuiltIn: true},
		{Name: "Greenwich", Latitude: 51.48, Altitude: 46, BuiltIn: true},
		{Name: "Kathmandu", Latitude: 27.72, Altitude: 1400, BuiltIn: true},
		{Name: "Kilimanjaro", Latitude: -3.07, Altitude: 5895, BuiltIn: true},
		{Name: "Kyiv", Latitude: 50.45, Altitude: 179, BuiltIn: true},
		{Name: "La Paz", Latitude: -16.49, Altitude: 3640, BuiltIn: true},
		{Name: "London", Latitude: 51.51, Altitude: 11, BuiltIn: true},
		{Name: "Mexico City", Latitude: 19.43, Altitude: 2240, BuiltIn: true},
		{Name: "Mont Blanc", Latitude: 45.83, Altitude: 4806, BuiltIn: true},
		{Name: "Mount Everest", Latitude: 27.99, Altitude: 8849, BuiltIn: true},
		{Name: "Nairobi", Latitude: -1.29, Altitude: 1795, BuiltIn: true},
		{Name: "New York", Latitude: 40.71, Altitude: 10, BuiltIn: true},
		{Name: "Paris", Latitude: 48.86, Altitude: 35, BuiltIn: true},
		{Name: "Reykjavík", Latitude: 64.15, Altitude: 15, BuiltIn: true},
		{Name: "South Pole", Latitude: -90, Altitude: 2835, BuiltIn: true},
		{Name: "Sydney", Latitude: -33.87, Altitude: 3, BuiltIn: true},
		{Name: "Tokyo", Latitude: 35.68, Altitude: 40, BuiltIn: true},
		{Name: "Zürich", Latitude: 47.38, Altitude: 408, BuiltIn: true},
	}
}
