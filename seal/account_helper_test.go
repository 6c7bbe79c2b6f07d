package seal_test

import (
	"errors"
	"testing"

	"hush/seal"
)

const (
	sampleSession  = "4OHi4-Tl5ufo6err7O3u7_Dx8vP09fb3-Pn6-_z9_v8" // bytes e0 to ff
	sampleAPIToken = "101112131415161718191a1b1c1d1e1f20212223"
)

// cheapPassword are parameters that cost next to nothing.
var cheapPassword = seal.PasswordParams{MemoryKiB: 64, Time: 1, Threads: 1}

func mustSession(s string) seal.SessionID {
	id, _ := seal.ParseSessionID(s)
	return id
}

func mustAPIToken(s string) seal.APIToken {
	t, _ := seal.ParseAPIToken(s)
	return t
}

// sampleAccountKey returns the key of bytes 40 to 5f, that of the vectors.
func sampleAccountKey() seal.AccountKey {
	var private [32]byte
	for i := range private {
		private[i] = byte(0x40 + i)
	}
	return seal.AccountKeyOf(private)
}

// otherRoot returns keys of a root key that differs from the sample in a bit.
func otherRoot() *seal.Keys {
	p := sampleParts()
	p.root[0] ^= 1
	return p.keys()
}

// wantKey fails the test unless a call gave a key with the given public half.
func wantKey(t *testing.T, call string, key seal.AccountKey, err error, want seal.AccountPublic) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: got %v, want a key", call, err)
	} else if got := key.Public(); got != want {
		t.Errorf("%s: got public half %x, want %x", call, got, want)
	}
}

// wantNoToken fails the test unless a call gave nothing but ErrSealBroken.
func wantNoToken(t *testing.T, call string, token seal.Token, err error) {
	t.Helper()
	if !errors.Is(err, seal.ErrSealBroken) || token != (seal.Token{}) {
		t.Errorf("%s: got a token: %v, %v, want none, %v", call, token != (seal.Token{}), err, seal.ErrSealBroken)
	}
}
