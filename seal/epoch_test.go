package seal_test

import (
	"encoding/hex"
	"testing"

	"hush/seal"
)

// epochKeyOf returns the epoch key of given bytes, sealed as a field.
func epochKeyOf(t *testing.T, keys *seal.Keys, key []byte) seal.EpochKey {
	t.Helper()
	e, err := keys.OpenEpochKey(sampleRow, keys.SealField("epoch key", sampleRow, key))
	if err != nil {
		t.Fatalf("OpenEpochKey(row, sealed): got %v, want nil", err)
	}
	return e
}

func countingBytes() []byte {
	key := make([]byte, 32)
	for i := range key {
		key[i] = byte(i)
	}
	return key
}

// The mask was computed by another implementation. A change means that what is
// stored on stores that do not overwrite no longer opens.
func TestGoldenMask(t *testing.T) {
	e := epochKeyOf(t, sampleParts().keys(), countingBytes())
	mask := e.Mask("secret", []byte("0mk3wzmmmmmmmmmmmmmmmm"))
	if got, want := hex.EncodeToString(mask[:]), "cbfe4df173e651b7cc9fa87b00c540d675b7fe6e9bb1bf5f7370fbf600d1bc4f"; got != want {
		t.Errorf("Mask(secret, row): got %s, want %s", got, want)
	}
}

func TestMasksDiffer(t *testing.T) {
	e := seal.NewEpochKey()
	seen := map[[32]byte]string{}
	for name, mask := range map[string][32]byte{
		"secret, row": e.Mask("secret", sampleRow), "mail, row": e.Mask("mail", sampleRow),
		"secret, other": e.Mask("secret", []byte("other row")), "secretsample, row": e.Mask("secretsample", []byte(" row")),
		"other key": seal.NewEpochKey().Mask("secret", sampleRow),
	} {
		if before, taken := seen[mask]; taken {
			t.Errorf("Mask(%s): got that of %s, want another", name, before)
		}
		seen[mask] = name
	}
}

func TestEpochKeyOpensWhereItWasSealed(t *testing.T) {
	keys, e := sampleParts().keys(), seal.NewEpochKey()
	sealed := keys.SealEpochKey(sampleRow, e)
	got, err := keys.OpenEpochKey(sampleRow, sealed)
	if err != nil || got.Mask("a", sampleRow) != e.Mask("a", sampleRow) {
		t.Errorf("OpenEpochKey(row, sealed): got another key, %v, want the same", err)
	}
	for name, open := range map[string]func() (seal.EpochKey, error){
		"other row":  func() (seal.EpochKey, error) { return keys.OpenEpochKey([]byte("other row"), sealed) },
		"other root": func() (seal.EpochKey, error) { return otherRoot().OpenEpochKey(sampleRow, sealed) },
		"other label": func() (seal.EpochKey, error) {
			return keys.OpenEpochKey(sampleRow, keys.SealField("x", sampleRow, countingBytes()))
		},
		"short key": func() (seal.EpochKey, error) {
			return keys.OpenEpochKey(sampleRow, keys.SealField("epoch key", sampleRow, countingBytes()[:31]))
		},
		"flipped": func() (seal.EpochKey, error) {
			return keys.OpenEpochKey(sampleRow, append([]byte{sealed[0] ^ 1}, sealed[1:]...))
		},
	} {
		_, err := open()
		wantBroken(t, "OpenEpochKey("+name+")", nil, err)
	}
}

// A wiped key must not mask with zeros.
func TestWipedEpochKeyPanics(t *testing.T) {
	e := seal.NewEpochKey()
	e.Wipe()
	defer func() {
		if recover() == nil {
			t.Error("Mask(after Wipe): got a mask, want a panic")
		}
	}()
	e.Mask("secret", sampleRow)
}
