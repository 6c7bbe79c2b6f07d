package seal_test

import (
	"bytes"
	"testing"
)

func TestOpenMetadataReturnsWhatWasSealed(t *testing.T) {
	p := sampleParts()
	token, keys := mustToken(p.token), p.keys()
	for _, n := range []int{0, 1, 31, 1000} {
		plaintext := bytes.Repeat([]byte{0xa5}, n)
		sealed := keys.SealMetadata(token, p.row, "secret-key", plaintext)
		got, err := keys.OpenMetadata(token, p.row, "secret-key", sealed)
		if err != nil || !bytes.Equal(got, plaintext) {
			t.Errorf("OpenMetadata(%d bytes): got %d bytes, %v, want the plaintext", n, len(got), err)
		}
	}
}

func TestSealMetadataIsFresh(t *testing.T) {
	p := sampleParts()
	first := p.keys().SealMetadata(mustToken(p.token), p.row, "a", nil)
	second := p.keys().SealMetadata(mustToken(p.token), p.row, "a", nil)
	if bytes.Equal(first[:12], second[:12]) {
		t.Errorf("SealMetadata(same): got nonce %x twice, want two", first[:12])
	}
}

func TestOpenMetadataRefusesOtherPlaces(t *testing.T) {
	right := sampleParts()
	sealed := right.keys().SealMetadata(mustToken(right.token), right.row, "label", []byte("value"))
	refused := func(name, label string, change func(*parts)) {
		p := sampleParts()
		change(&p)
		got, err := p.keys().OpenMetadata(mustToken(p.token), p.row, label, sealed)
		wantBroken(t, "OpenMetadata("+name+")", got, err)
	}
	for i := range right.root {
		refused("root changed", "label", func(p *parts) { p.root[i] ^= 1 })
	}
	for i := range right.row {
		refused("row changed", "label", func(p *parts) { p.row[i] ^= 1 })
	}
	for i := range right.token {
		refused("token changed", "label", func(p *parts) { p.token = p.token[:i] + "j" + p.token[i+1:] })
	}
	for _, label := range []string{"", "labe", "labels", "Label", "label\x00"} {
		refused("label "+label, label, func(*parts) {})
	}
}

func TestOpenMetadataRefusesChangedBytes(t *testing.T) {
	p := sampleParts()
	token, keys := mustToken(p.token), p.keys()
	sealed := keys.SealMetadata(token, p.row, "label", []byte("value"))
	for i := range sealed {
		got, err := keys.OpenMetadata(token, p.row, "label", flipped(sealed, i))
		wantBroken(t, "OpenMetadata(sealed changed)", got, err)
		got, err = keys.OpenMetadata(token, p.row, "label", sealed[:i])
		wantBroken(t, "OpenMetadata(sealed cut)", got, err)
	}
}

// A secret's key and a receipt's key of the same token and row have nothing in
// common, so a value of one kind never opens as the other.
func TestKindsOfSealedValuesDoNotMix(t *testing.T) {
	p := sampleParts()
	secret := p.secretKey().Seal(nil, []byte("value"))
	got, err := p.keys().OpenMetadata(mustToken(p.token), p.row, "", secret)
	wantBroken(t, "OpenMetadata(secret)", got, err)
	metadata := p.keys().SealMetadata(mustToken(p.token), p.row, "", make([]byte, 256))
	got, err = p.secretKey().Open(nil, metadata)
	wantBroken(t, "Open(metadata)", got, err)
}
