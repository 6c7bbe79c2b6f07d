package seal_test

import (
	"bytes"
	"testing"

	"hush/seal"
)

var sampleRow = []byte("sample row")

func TestFieldsAndMailsOpenToWhatWasSealed(t *testing.T) {
	p := sampleParts()
	keys := p.keys()
	for _, n := range []int{0, 1, 27, 28, 29, 252, 253, 1000} {
		plaintext := bytes.Repeat([]byte{0xa5}, n)
		field := keys.SealField("address", sampleRow, plaintext)
		got, err := keys.OpenField("address", sampleRow, field)
		if err != nil || !bytes.Equal(got, plaintext) || cap(got) != n {
			t.Errorf("OpenField(%d bytes): got %d bytes, %v, want the plaintext", n, len(got), err)
		}
		mail := keys.SealMail(p.share, sampleRow, plaintext)
		got, err = keys.OpenMail(p.share, sampleRow, mail)
		if err != nil || !bytes.Equal(got, plaintext) || cap(got) != n {
			t.Errorf("OpenMail(%d bytes): got %d bytes, %v, want the plaintext", n, len(got), err)
		}
		for call, c := range map[string]struct{ got, step int }{"SealField": {len(field), 32}, "SealMail": {len(mail), 256}} {
			if want := 28 + (4+n+c.step-1)/c.step*c.step; c.got != want {
				t.Errorf("%s(%d bytes): got %d bytes, want %d", call, n, c.got, want)
			}
		}
	}
}

func TestFieldsAndMailsAreFresh(t *testing.T) {
	p := sampleParts()
	keys := p.keys()
	for call, seal := range map[string]func() []byte{
		"SealField": func() []byte { return keys.SealField("a", sampleRow, nil) },
		"SealMail":  func() []byte { return keys.SealMail(p.share, sampleRow, nil) },
	} {
		if first, second := seal(), seal(); bytes.Equal(first[:12], second[:12]) {
			t.Errorf("%s(same): got nonce %x twice, want two", call, first[:12])
		}
	}
}

func TestOpenFieldRefusesOtherPlaces(t *testing.T) {
	keys := sampleParts().keys()
	sealed := keys.SealField("label", []byte("row"), []byte("value"))
	for _, place := range []struct{ label, row string }{
		{"row", "label"}, {"", "row"}, {"labe", "row"}, {"labels", "row"}, {"Label", "row"}, {"label\x00", "row"},
		{"label", ""}, {"label", "ro"}, {"label", "rows"}, {"labelr", "ow"}, {"labe", "lrow"}, {"labelrow", ""},
	} {
		got, err := keys.OpenField(place.label, []byte(place.row), sealed)
		wantBroken(t, "OpenField("+place.label+", "+place.row+")", got, err)
	}
	got, err := otherRoot().OpenField("label", []byte("row"), sealed)
	wantBroken(t, "OpenField(other root)", got, err)
}

func TestOpenMailRefusesOtherPlaces(t *testing.T) {
	p := sampleParts()
	keys := p.keys()
	sealed := keys.SealMail(p.share, sampleRow, []byte("value"))
	for i := range p.share {
		got, err := keys.OpenMail([32]byte(flipped(p.share[:], i)), sampleRow, sealed)
		wantBroken(t, "OpenMail(share changed)", got, err)
	}
	for i := range sampleRow {
		got, err := keys.OpenMail(p.share, flipped(sampleRow, i), sealed)
		wantBroken(t, "OpenMail(row changed)", got, err)
	}
	got, err := keys.OpenMail([32]byte{}, sampleRow, sealed)
	wantBroken(t, "OpenMail(overwritten share)", got, err)
	got, err = otherRoot().OpenMail(p.share, sampleRow, sealed)
	wantBroken(t, "OpenMail(other root)", got, err)
}

func TestFieldsAndMailsRefuseChangedBytes(t *testing.T) {
	p := sampleParts()
	keys := p.keys()
	field := keys.SealField("label", sampleRow, []byte("value"))
	mail := keys.SealMail(p.share, sampleRow, []byte("value"))
	openField := func(b []byte) ([]byte, error) { return keys.OpenField("label", sampleRow, b) }
	openMail := func(b []byte) ([]byte, error) { return keys.OpenMail(p.share, sampleRow, b) }
	wantEachChangeBroken(t, "OpenField", field, openField)
	wantEachChangeBroken(t, "OpenMail", mail, openMail)
}

// wantEachChangeBroken fails the test if sealed opens after any byte of it was
// changed, cut off or added.
func wantEachChangeBroken(t *testing.T, call string, sealed []byte, open func([]byte) ([]byte, error)) {
	t.Helper()
	for i := range sealed {
		got, err := open(flipped(sealed, i))
		wantBroken(t, call+"(sealed changed)", got, err)
		got, err = open(sealed[:i])
		wantBroken(t, call+"(sealed cut)", got, err)
	}
	got, err := open(append(bytes.Clone(sealed), 0))
	wantBroken(t, call+"(sealed with a byte more)", got, err)
}

// A field that is authentic is still refused unless its padding is the one
// form that SealField gives.
func TestOpenFieldRefusesForeignPadding(t *testing.T) {
	keys := sampleParts().keys()
	box := func(size int, front ...byte) []byte { return append(front, make([]byte, size-len(front))...) }
	dirty := box(32, 0, 0, 0, 1, 'a')
	dirty[31] = 1
	for name, padded := range map[string][]byte{
		"empty":             {},
		"shorter than size": {0, 0, 0},
		"no step":           box(31, 0, 0, 0, 1, 'a'),
		"a step too many":   box(64, 0, 0, 0, 1, 'a'),
		"length beyond":     box(32, 0, 0, 0, 29),
		"length of 4 GiB":   box(32, 255, 255, 255, 255),
		"padding not zero":  dirty,
	} {
		got, err := keys.OpenField("label", sampleRow, keys.SealFieldPadded("label", sampleRow, padded))
		wantBroken(t, "OpenField("+name+")", got, err)
	}
}

// Fields, mails and receipts of the same bytes and places have keys of their
// own.
func TestFieldsMailsAndReceiptsDoNotMix(t *testing.T) {
	p := sampleParts()
	keys, row := p.keys(), p.row[:]
	sealed := map[string][]byte{
		"field":   keys.SealField("", row, nil),
		"mail":    keys.SealMail(p.share, row, nil),
		"receipt": keys.SealMetadata(mustToken(p.token), p.row, "", make([]byte, 32)),
		"wrapped": keys.WrapAccountKey(mustSession(sampleSession).WrappingSecret(), row, seal.NewAccountKey()),
	}
	for name, box := range sealed {
		if name != "field" {
			got, err := keys.OpenField("", row, box)
			wantBroken(t, "OpenField("+name+")", got, err)
		}
		if name != "mail" {
			got, err := keys.OpenMail(p.share, row, box)
			wantBroken(t, "OpenMail("+name+")", got, err)
		}
	}
}
