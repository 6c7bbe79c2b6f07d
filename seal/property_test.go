package seal_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"hush/seal"
)

// An attacker who reads the database sees the length of a secret, a field or a
// mail only in steps: any two texts of one step have ciphertexts of one length,
// and neighbours on both sides of an edge do not.
func TestLengthsShowStepsAlone(t *testing.T) {
	t.Parallel()
	keys, row := sampleParts().keys(), []byte("row")
	for name, test := range map[string]struct {
		step int
		seal func(text []byte) []byte
	}{
		"secret": {256, func(text []byte) []byte { return sampleParts().secretKey().Seal(sampleHeader, text) }},
		"field":  {32, func(text []byte) []byte { return keys.SealField("label", row, text) }},
		"mail":   {256, func(text []byte) []byte { return keys.SealMail([32]byte{1}, row, text) }},
	} {
		seen := map[int][]int{} // lengths of texts by those of their ciphertexts
		for n := range 4*test.step + 1 {
			size := len(test.seal(bytes.Repeat([]byte{'x'}, n)))
			seen[size] = append(seen[size], n)
		}
		sizes := slices.Sorted(maps.Keys(seen))
		if len(sizes) != 5 {
			t.Errorf("seal(%s of 0 to %d bytes): got %d lengths, want 5", name, 4*test.step, len(sizes))
		}
		for i, size := range sizes[:len(sizes)-1] {
			if i > 0 && len(seen[size]) != test.step {
				t.Errorf("seal(%s): got %d lengths of texts in ciphertexts of %d bytes, want %d", name, len(seen[size]), size, test.step)
			}
			if sizes[i+1]-size != test.step {
				t.Errorf("seal(%s): got steps of %d bytes, want %d", name, sizes[i+1]-size, test.step)
			}
		}
	}
}

// An attacker who can write to the database moves a sealed value to another
// place, or changes what is stored beside it: then nothing opens.
func TestSealedValuesAreBoundToTheirPlace(t *testing.T) {
	t.Parallel()
	keys, text := sampleParts().keys(), []byte("sealed at one place")
	receipt := mustToken("r7d2m9x4q1w8e5r3t6y0u2i4o0mk3wz")
	row := receipt.RowKey(seal.KindMetadata)
	place := []byte("some row's key")
	secret := sampleParts().secretKey()
	holder, private := receiptHolder(), seal.NewAccountKey()
	for name, test := range map[string]struct {
		place []byte
		seal  func() []byte
		open  func(place, sealed []byte) error
	}{
		"secret": {
			sampleHeader,
			func() []byte { return secret.Seal(sampleHeader, text) },
			func(place, sealed []byte) error { _, err := secret.Open(place, sealed); return err },
		},
		"metadata": {
			row[:],
			func() []byte { return keys.SealMetadata(receipt, row, "label", text) },
			func(place, sealed []byte) error {
				_, err := keys.OpenMetadata(receipt, seal.RowKey(place), "label", sealed)
				return err
			},
		},
		"metadata's label": {
			[]byte("label"),
			func() []byte { return keys.SealMetadata(receipt, row, "label", text) },
			func(place, sealed []byte) error {
				_, err := keys.OpenMetadata(receipt, row, string(place), sealed)
				return err
			},
		},
		"field": {
			place,
			func() []byte { return keys.SealField("label", place, text) },
			func(place, sealed []byte) error { _, err := keys.OpenField("label", place, sealed); return err },
		},
		"mail": {
			place,
			func() []byte { return keys.SealMail([32]byte{1}, place, text) },
			func(place, sealed []byte) error { _, err := keys.OpenMail([32]byte{1}, place, sealed); return err },
		},
		"account key": {
			place,
			func() []byte { return keys.WrapAccountKey(holder, place, private) },
			func(place, sealed []byte) error { _, err := keys.UnwrapAccountKey(holder, place, sealed); return err },
		},
	} {
		sealed := test.seal()
		if err := test.open(test.place, sealed); err != nil {
			t.Errorf("open(%s): got %v, want nil", name, err)
		}
		for i := range test.place {
			wantBroken(t, fmt.Sprintf("open(%s, byte %d of the place changed)", name, i), nil, test.open(flipped(test.place, i), sealed))
		}
	}
}

func receiptHolder() seal.WrappingSecret { return seal.NewAPIToken().WrappingSecret() }
