package seal_test

import (
	"bytes"
	"testing"

	"hush/seal"
)

var sampleHeader = []byte("version 1, row, times, parameters")

func TestOpenReturnsWhatWasSealed(t *testing.T) {
	key := sampleParts().secretKey()
	for _, n := range []int{0, 1, 251, 252, 253, 508, 509, 10_000, 1 << 20} {
		plaintext := bytes.Repeat([]byte{0xa5}, n)
		sealed := key.Seal(sampleHeader, plaintext)
		before := bytes.Clone(sealed)
		got, err := key.Open(sampleHeader, sealed)
		if err != nil || got == nil || !bytes.Equal(got, plaintext) {
			t.Errorf("Open(%d bytes): got %d bytes, %v, want the plaintext", n, len(got), err)
		}
		if !bytes.Equal(sealed, before) {
			t.Errorf("Open(%d bytes): got sealed bytes changed, want them as they were", n)
		}
	}
}

func TestPaddedSize(t *testing.T) {
	key := sampleParts().secretKey()
	for n, want := range map[int]int{-1: 284, 0: 284, 1: 284, 252: 284, 253: 540, 508: 540, 509: 796, 10_000: 10_268} {
		if got := seal.PaddedSize(n); got != want {
			t.Errorf("PaddedSize(%d): got %d, want %d", n, got, want)
		}
		if got := len(key.Seal(nil, make([]byte, max(n, 0)))); got != want {
			t.Errorf("Seal(%d bytes): got %d bytes, want %d", n, got, want)
		}
	}
}

func TestSealIsFresh(t *testing.T) {
	key := sampleParts().secretKey()
	first, second := key.Seal(nil, nil), key.Seal(nil, nil)
	if bytes.Equal(first[:12], second[:12]) {
		t.Errorf("Seal(same): got nonce %x twice, want two", first[:12])
	}
}

// A wrong guess by one bit reveals nothing: neither the verifier nor the
// opening shows how near it was.
func TestEveryPartIsNeeded(t *testing.T) {
	right := sampleParts().secretKey()
	sealed := right.Seal(sampleHeader, []byte("hello"))
	refused := func(part string, i int, p parts) {
		key := p.secretKey()
		if key.Matches(right.Verifier()) {
			t.Errorf("Matches(%s byte %d changed): got true, want false", part, i)
		}
		got, err := key.Open(sampleHeader, sealed)
		wantBroken(t, "Open("+part+" changed)", got, err)
	}
	for i := range 32 {
		p := sampleParts()
		p.root[i] ^= 1
		refused("root", i, p)
		p = sampleParts()
		p.share[i] ^= 1
		refused("share", i, p)
		p = sampleParts()
		p.passphrase[i] ^= 1
		refused("passphrase", i, p)
	}
	for i, c := range sampleParts().token {
		p := sampleParts()
		// 'j' and 'k' differ in one bit, and so do all of a pair.
		p.token = p.token[:i] + map[bool]string{true: "k", false: "j"}[c != 'k'] + p.token[i+1:]
		refused("token", i, p)
	}
	for i := range 16 {
		p := sampleParts()
		p.row[6+i] ^= 1
		refused("row", i, p)
	}
}

func TestMatches(t *testing.T) {
	key := sampleParts().secretKey()
	verifier := key.Verifier()
	if !sampleParts().secretKey().Matches(verifier) {
		t.Error("Matches(own verifier): got false, want true")
	}
	for i := range verifier {
		if key.Matches([32]byte(flipped(verifier[:], i))) {
			t.Errorf("Matches(byte %d changed): got true, want false", i)
		}
	}
}

func TestOpenRefusesChangedBytes(t *testing.T) {
	key := sampleParts().secretKey()
	sealed := key.Seal(sampleHeader, []byte("hello"))
	for i := range sampleHeader {
		got, err := key.Open(flipped(sampleHeader, i), sealed)
		wantBroken(t, "Open(header changed)", got, err)
	}
	for i := range sealed {
		got, err := key.Open(sampleHeader, flipped(sealed, i))
		wantBroken(t, "Open(sealed changed)", got, err)
	}
	for i := range sealed {
		got, err := key.Open(sampleHeader, sealed[:i])
		wantBroken(t, "Open(sealed cut)", got, err)
	}
	for _, header := range [][]byte{nil, sampleHeader[1:], append(bytes.Clone(sampleHeader), 0)} {
		got, err := key.Open(header, sealed)
		wantBroken(t, "Open(header of another length)", got, err)
	}
	got, err := key.Open(sampleHeader, append(bytes.Clone(sealed), 0))
	wantBroken(t, "Open(sealed with a byte more)", got, err)
}

// A box that is authentic is still refused unless its padding is the one form
// that Seal gives.
func TestOpenRefusesForeignPadding(t *testing.T) {
	key := sampleParts().secretKey()
	box := func(size int, front ...byte) []byte { return append(front, make([]byte, size-len(front))...) }
	dirty := box(256, 0, 0, 0, 1, 'a')
	dirty[255] = 1
	for name, padded := range map[string][]byte{
		"empty":             {},
		"shorter than size": {0, 0, 0},
		"no step":           box(255, 0, 0, 0, 1, 'a'),
		"a step too many":   box(512, 0, 0, 0, 1, 'a'),
		"a step too few":    box(256, 0, 0, 0, 253),
		"length beyond":     box(256, 0, 0, 1, 0),
		"length of 4 GiB":   box(256, 255, 255, 255, 255),
		"padding not zero":  dirty,
	} {
		got, err := key.Open(sampleHeader, key.SealPadded(sampleHeader, padded))
		wantBroken(t, "Open("+name+")", got, err)
	}
}

// Appending to an opened plaintext must not reach the padding behind it.
func TestOpenedPlaintextEndsWhereItEnds(t *testing.T) {
	key := sampleParts().secretKey()
	got, err := key.Open(nil, key.Seal(nil, []byte("hello")))
	if err != nil || cap(got) != len(got) {
		t.Errorf("Open(hello): got capacity %d, %v, want %d", cap(got), err, len("hello"))
	}
}

// What a device padded is sealed as it is, and bound as everything else.
func TestUnpadded(t *testing.T) {
	key := sampleParts().secretKey()
	for _, n := range []int{0, 1, 328, 104_616} {
		plaintext := bytes.Repeat([]byte{0xa5}, n)
		sealed := key.SealUnpadded(sampleHeader, plaintext)
		if want := seal.UnpaddedSize(n); len(sealed) != want || want != n+28 {
			t.Errorf("SealUnpadded(%d bytes): got %d bytes, want %d", n, len(sealed), want)
		}
		before := bytes.Clone(sealed)
		got, err := key.OpenUnpadded(sampleHeader, sealed)
		if err != nil || !bytes.Equal(got, plaintext) || !bytes.Equal(sealed, before) {
			t.Errorf("OpenUnpadded(%d bytes): got %d bytes, %v, want the plaintext, and the seal as it was", n, len(got), err)
		}
		got, err = key.OpenUnpadded(append(bytes.Clone(sampleHeader), 0), sealed)
		wantBroken(t, "OpenUnpadded(another header)", got, err)
		for _, at := range []int{0, 12, len(sealed) - 1} {
			altered := bytes.Clone(sealed)
			altered[at] ^= 1
			got, err = key.OpenUnpadded(sampleHeader, altered)
			wantBroken(t, "OpenUnpadded(altered)", got, err)
		}
		got, err = key.OpenUnpadded(sampleHeader, sealed[:len(sealed)-1])
		wantBroken(t, "OpenUnpadded(cut)", got, err)
		got, err = key.Open(sampleHeader, sealed)
		wantBroken(t, "Open(unpadded)", got, err)
	}
	got, err := key.OpenUnpadded(nil, nil)
	wantBroken(t, "OpenUnpadded(nothing)", got, err)
}
