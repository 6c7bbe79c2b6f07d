package place_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hush/vault/cluster"
	"hush/vault/place"
	"hush/vault/refusal"
	"hush/vault/vaulttest"
)

func imported(t *testing.T, k *vaulttest.Kit, replace bool, list ...place.Place) {
	t.Helper()
	if err := place.NewPlaces(cluster.NewStore(k.Store, nil)).Import(t.Context(), list, replace); err != nil {
		t.Fatalf("Import(%d places): got %v, want nil", len(list), err)
	}
}

func TestLookupFolds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		stored, asked string
		found         bool
	}{
		{"Oslo", "Oslo", true},
		{"Oslo", "OSLO", true},
		{"Oslo", " \t\n oslo\u00a0\u2003", true},
		{"  Oslo ", "oslo", true},
		{"Oslo", "Os lo", false},
		{"Weißensee", "WEISSENSEE", true},
		{"WEISSENSEE", "weißensee", true},
		{"Weißensee", "WEIẞENSEE", true},
		{"İzmir", "i̇zmir", true},
		{"İzmir", "izmir", false},
		{"Iğdır", "iğdır", true},
		{"ΣΊΣΥΦΟΣ", "σίσυφος", true},
		{"σίσυφος", "σίσυφοσ", true},
		{"Évora", "éVORA", true},
		{"Évora", "Evora", false},
		{"Łódź", "łÓDŹ", true},
		{"ﬁeld", "FIELD", true},
		{"МОСКВА", "москва", true},
		{"ᏣᎳᎩ", "ꮳꮃꭹ", true},
		{"서울", "서울", true},
	}
	for _, test := range tests {
		t.Run(test.stored+" as "+test.asked, func(t *testing.T) {
			t.Parallel()
			k := vaulttest.New(t, vaulttest.Options{Manual: true})
			imported(t, k, false, place.Place{Name: test.stored, Latitude: 1.5, Altitude: -2.5})
			got, err := k.Vault.Places.LookupPlace(t.Context(), test.asked)
			if !test.found {
				vaulttest.WantErr(t, "LookupPlace("+test.asked+")", err, refusal.ErrNotFound)
				return
			}
			wanted := place.Place{Name: strings.TrimSpace(test.stored), Latitude: 1.5, Altitude: -2.5}
			if diff := cmp.Diff(wanted, got); diff != "" || err != nil {
				t.Errorf("LookupPlace(%q): got %v, -want +got\n%s", test.asked, err, diff)
			}
		})
	}
}

func TestLookupLimits(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	for _, name := range []string{"", " ", "\t\u2003\n", strings.Repeat("a", 201), strings.Repeat("é", 201)} {
		_, err := k.Vault.Places.LookupPlace(t.Context(), name)
		vaulttest.WantInvalid(t, "LookupPlace(wrong length)", err, "name")
	}
	for _, name := range []string{"nowhere", strings.Repeat("é", 200), strings.Repeat("ΐ", 200), "\xff", "a\x00b"} {
		_, err := k.Vault.Places.LookupPlace(t.Context(), name)
		vaulttest.WantErr(t, "LookupPlace(unknown)", err, refusal.ErrNotFound)
	}
	long := strings.Repeat("é", 200)
	imported(t, k, false, place.Place{Name: long})
	_, err := k.Vault.Places.LookupPlace(t.Context(), "  "+strings.ToUpper(long)+"  ")
	vaulttest.Want(t, "LookupPlace(200 characters)", err, nil)
}

func TestBuiltInPlaces(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	table := place.NewPlaces(cluster.NewStore(k.Store, nil))
	builtIn, err := table.List(t.Context())
	vaulttest.Want(t, "List()", err, nil)
	for _, p := range builtIn {
		vaulttest.Want(t, "Check("+p.Name+")", p.Check(), nil)
		vaulttest.Want(t, "BuiltIn("+p.Name+")", p.BuiltIn, true)
		got, err := k.Vault.Places.LookupPlace(t.Context(), strings.ToUpper(p.Name))
		if diff := cmp.Diff(p, got); diff != "" || err != nil {
			t.Errorf("LookupPlace(%s): got %v, -want +got\n%s", p.Name, err, diff)
		}
	}
	imported(t, k, false, place.Place{Name: "zürich", Latitude: 1, Altitude: 2}, place.Place{Name: "Atlantis", Altitude: -3000})
	got, err := k.Vault.Places.LookupPlace(t.Context(), "ZÜRICH")
	vaulttest.Want(t, "LookupPlace(hidden)", err, nil)
	vaulttest.Want(t, "LookupPlace(hidden).Altitude", got.Altitude, 2)
	listed, err := table.List(t.Context())
	vaulttest.Want(t, "List()", err, nil)
	vaulttest.Want(t, "List() holds", len(listed), len(builtIn)+1)
	vaulttest.Want(t, "List()[0].Name", listed[0].Name, "Atlantis")
	vaulttest.Want(t, "List()[1].Name", listed[1].Name, "zürich")

	vaulttest.Want(t, "Remove(Zürich)", table.Remove(t.Context(), " ZÜRICH "), nil)
	got, err = k.Vault.Places.LookupPlace(t.Context(), "zürich")
	vaulttest.Want(t, "LookupPlace(built in again)", err == nil && got.BuiltIn, true)
	for _, name := range []string{"Zürich", "nowhere", "", " ", strings.Repeat("a", 2000)} {
		vaulttest.WantErr(t, "Remove(not imported)", table.Remove(t.Context(), name), refusal.ErrNotFound)
	}
}

func TestImport(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	imported(t, k, false, place.Place{Name: "One", Latitude: 1}, place.Place{Name: "Two", Latitude: 2})
	imported(t, k, false, place.Place{Name: "ONE", Latitude: 3}, place.Place{Name: "one ", Latitude: 4})
	got, err := k.Vault.Places.LookupPlace(t.Context(), "one")
	vaulttest.Want(t, "LookupPlace(one)", err, nil)
	vaulttest.Want(t, "LookupPlace(one).Latitude", got.Latitude, 4)
	vaulttest.Want(t, "rows", len(vaulttest.RowsIn(t, k.Store, place.BucketPlace)), 2)

	// All or none, of a list with one mistake.
	err = place.NewPlaces(cluster.NewStore(k.Store, nil)).Import(t.Context(), []place.Place{{Name: "Three"}, {Name: "Four", Latitude: 91}}, true)
	vaulttest.WantInvalid(t, "Import(one mistake)", err, "latitude")
	vaulttest.Want(t, "rows", len(vaulttest.RowsIn(t, k.Store, place.BucketPlace)), 2)

	imported(t, k, true, place.Place{Name: "Five"})
	vaulttest.Want(t, "rows", len(vaulttest.RowsIn(t, k.Store, place.BucketPlace)), 1)
	imported(t, k, true)
	vaulttest.Want(t, "rows", len(vaulttest.RowsIn(t, k.Store, place.BucketPlace)), 0)
}

// What is imported belongs to its caller and stays as it was.
func TestImportLeavesItsArgument(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	list := []place.Place{{Name: " Spaced "}, {Name: "Plain"}}
	before := append([]place.Place(nil), list...)
	imported(t, k, false, list...)
	for i := range list {
		vaulttest.Want(t, "place after Import", list[i], before[i])
	}
}

func TestPlaceCheck(t *testing.T) {
	t.Parallel()
	tests := []struct {
		place place.Place
		field string // empty: fine
	}{
		{place.Place{Name: "x", Latitude: -90, Altitude: -12_000}, ""},
		{place.Place{Name: "x", Latitude: 90, Altitude: 100_000}, ""},
		{place.Place{Name: strings.Repeat("é", 200)}, ""},
		{place.Place{Name: strings.Repeat("é", 201)}, "name"},
		{place.Place{Name: strings.Repeat("ΐ", 200)}, "name"}, // 1,200 bytes when folded
		{place.Place{Name: ""}, "name"},
		{place.Place{Name: " \n"}, "name"},
		{place.Place{Name: "\xff"}, "name"},
		{place.Place{Name: "x", Latitude: 90.0001}, "latitude"},
		{place.Place{Name: "x", Latitude: -91}, "latitude"},
		{place.Place{Name: "x", Latitude: math.NaN()}, "latitude"},
		{place.Place{Name: "x", Latitude: math.Inf(1)}, "latitude"},
		{place.Place{Name: "x", Altitude: 100_000.5}, "altitude"},
		{place.Place{Name: "x", Altitude: -12_001}, "altitude"},
		{place.Place{Name: "x", Altitude: math.NaN()}, "altitude"},
	}
	for _, test := range tests {
		err := test.place.Check()
		if test.field == "" {
			vaulttest.Want(t, "Check(place)", err, nil)
			continue
		}
		vaulttest.WantInvalid(t, "Check(place)", err, test.field)
	}
}
