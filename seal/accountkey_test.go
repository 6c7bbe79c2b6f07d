package seal_test

import (
	"bytes"
	"crypto/ecdh"
	"crypto/hpke"
	"errors"
	"testing"

	"hush/seal"
)

func TestNewAccountKey(t *testing.T) {
	if first, second := seal.NewAccountKey().Public(), seal.NewAccountKey().Public(); first == second {
		t.Errorf("NewAccountKey(): got public half %x twice, want two", first)
	}
}

// mustEntry seals the sample token to a public half.
func mustEntry(t *testing.T, public seal.AccountPublic) []byte {
	t.Helper()
	p := sampleParts()
	sealed, err := public.SealEntry(p.row, mustToken(p.token))
	if err != nil {
		t.Fatalf("SealEntry(token): got %v, want nil", err)
	}
	return sealed
}

func TestOpenEntryReturnsTheToken(t *testing.T) {
	p, key := sampleParts(), seal.NewAccountKey()
	first, second := mustEntry(t, key.Public()), mustEntry(t, key.Public())
	if len(first) != 79 || bytes.Equal(first[:32], second[:32]) {
		t.Errorf("SealEntry(token): got %d bytes, key %x and %x, want 79 and two keys", len(first), first[:32], second[:32])
	}
	for _, sealed := range [][]byte{first, second, first} {
		got, err := key.OpenEntry(p.row, sealed)
		if err != nil || got != mustToken(p.token) {
			t.Errorf("OpenEntry(entry): got the token: %v, %v, want it", got == mustToken(p.token), err)
		}
	}
}

func TestOpenEntryRefusesWhatWasChanged(t *testing.T) {
	p, key := sampleParts(), seal.NewAccountKey()
	sealed := mustEntry(t, key.Public())
	for i := range sealed {
		got, err := key.OpenEntry(p.row, flipped(sealed, i))
		wantNoToken(t, "OpenEntry(entry changed)", got, err)
		got, err = key.OpenEntry(p.row, sealed[:i])
		wantNoToken(t, "OpenEntry(entry cut)", got, err)
	}
	for i := range p.row {
		got, err := key.OpenEntry(seal.RowKey(flipped(p.row[:], i)), sealed)
		wantNoToken(t, "OpenEntry(row changed)", got, err)
	}
	got, err := key.OpenEntry(p.row, append(bytes.Clone(sealed), 0))
	wantNoToken(t, "OpenEntry(a byte more)", got, err)
	got, err = seal.NewAccountKey().OpenEntry(p.row, sealed)
	wantNoToken(t, "OpenEntry(another account)", got, err)
}

// X25519 ignores the top bit of a public key and takes some numbers for equal;
// such another spelling of an entry is refused, and so is a key of one use
// whose shared secret everybody knows.
func TestOpenEntryRefusesOtherSpellings(t *testing.T) {
	p, key := sampleParts(), seal.NewAccountKey()
	sealed := mustEntry(t, key.Public())
	topBit := bytes.Clone(sealed)
	topBit[31] ^= 0x80
	got, err := key.OpenEntry(p.row, topBit)
	wantNoToken(t, "OpenEntry(top bit of the key changed)", got, err)
	got, err = key.OpenEntry(p.row, append(make([]byte, 32), sealed[32:]...))
	wantNoToken(t, "OpenEntry(key of zeros)", got, err)
}

func TestSealEntryRefusesWorthlessKeys(t *testing.T) {
	p := sampleParts()
	for _, public := range []seal.AccountPublic{{}, {1}} { // points of low order
		sealed, err := public.SealEntry(p.row, mustToken(p.token))
		if !errors.Is(err, seal.ErrAccountPublic) || sealed != nil {
			t.Errorf("SealEntry(to %x): got %d bytes, %v, want none, %v", public, len(sealed), err, seal.ErrAccountPublic)
		}
	}
}

// An attacker who can write to the database can seal anything to an account. It
// opens as a token or not at all.
func TestOpenEntryRefusesWhatIsNoToken(t *testing.T) {
	p, key := sampleParts(), seal.NewAccountKey()
	for text, want := range map[string]bool{
		p.token: true, "": false, p.token[1:]: false, p.token + "0": false, "K" + p.token[1:]: false,
	} {
		sealed := hpkeEntry(t, key.Public(), "hush/v1 account-entry", p.row[:], text)
		token, err := key.OpenEntry(p.row, sealed)
		if want != (err == nil) {
			t.Errorf("OpenEntry(%q): got %v, want a token: %v", text, err, want)
		}
		if !want {
			wantNoToken(t, "OpenEntry("+text+")", token, err)
		}
	}
	token, err := key.OpenEntry(p.row, hpkeEntry(t, key.Public(), "another use", p.row[:], p.token))
	wantNoToken(t, "OpenEntry(sealed for another use)", token, err)
}

// hpkeEntry is SealEntry for any name of use and any text.
func hpkeEntry(t *testing.T, public seal.AccountPublic, info string, row []byte, text string) []byte {
	t.Helper()
	point, err := ecdh.X25519().NewPublicKey(public[:])
	if err != nil {
		t.Fatal(err)
	}
	key, err := hpke.NewDHKEMPublicKey(point)
	if err != nil {
		t.Fatal(err)
	}
	enc, sender, err := hpke.NewSender(key, hpke.HKDFSHA256(), hpke.AES256GCM(), []byte(info))
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := sender.Seal(row, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return append(enc, sealed...)
}
