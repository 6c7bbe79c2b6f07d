package seal_test

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"math/rand/v2"
	"testing"

	"hush/seal"
)

// drawBytes returns a function that draws bytes of a length from 0 to most, the same
// ones in every run.
func drawBytes() func(most int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	return func(most int) []byte {
		drawn := make([]byte, random.IntN(most+1))
		for i := range drawn {
			drawn[i] = byte(random.Uint32())
		}
		return drawn
	}
}

// HMAC is that of the library for keys and messages of every length, however the
// message is divided.
func TestMACIsThatOfTheLibrary(t *testing.T) {
	t.Parallel()
	randomBytes := drawBytes()
	for range 5000 {
		key, first, second := randomBytes(150), randomBytes(300), randomBytes(300)
		library := hmac.New(sha256.New, key)
		library.Write(first)
		library.Write(second)
		if got, want := seal.MAC(key, first, second), library.Sum(nil); !bytes.Equal(got[:], want) {
			t.Fatalf("mac(%x, %x, %x): got %x, want %x", key, first, second, got, want)
		}
	}
}

// HKDF is that of the library, which writes over what the key's memory held.
func TestHKDFIsThatOfTheLibrary(t *testing.T) {
	t.Parallel()
	randomBytes := drawBytes()
	for range 5000 {
		ikm, salt, info := randomBytes(150), randomBytes(100), randomBytes(300)
		got := randomBytes(200)
		want, err := hkdf.Key(sha256.New, ikm, salt, string(info), len(got))
		if err != nil {
			t.Fatal(err)
		}
		if seal.Derive(got, ikm, salt, info); !bytes.Equal(got, want) {
			t.Fatalf("derive(%x, %x, %x): got %x, want %x", ikm, salt, info, got, want)
		}
		prk := append(randomBytes(100), make([]byte, sha256.Size)...)
		if want, err = hkdf.Expand(sha256.New, prk, string(info), len(got)); err != nil {
			t.Fatal(err)
		}
		if seal.Expand(got, prk, info); !bytes.Equal(got, want) {
			t.Fatalf("expand(%x, %x): got %x, want %x", prk, info, got, want)
		}
	}
}
