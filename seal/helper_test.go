package seal_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"hush/seal"
)

var sampleTime = time.UnixMilli(1_700_000_000_000)

// parts are all that a secret's key is made of.
type parts struct {
	root              [32]byte
	token             string
	row               seal.RowKey
	share, passphrase [32]byte
}

// sampleParts returns the same distinct parts at each call.
func sampleParts() parts {
	p := parts{token: "k7d2m9x4q1w8e5r3t6y0u2i4oyw3v28"}
	for i := range 32 {
		p.root[i], p.share[i], p.passphrase[i] = byte(i), byte(0x80+i), byte(0x40+i)
	}
	p.row = mustToken(p.token).RowKey(seal.KindSecret)
	return p
}

func (p parts) keys() *seal.Keys { return seal.NewKeys(seal.RootKeyOf(p.root)) }

func (p parts) secretKey() seal.SecretKey {
	return mustKey(p.keys(), mustToken(p.token), p.row, p.share, p.passphrase)
}

// mustToken is for constants of tests; a wrong one gives the zero token, whose
// mismatch the test then shows.
func mustToken(s string) seal.Token {
	t, _ := seal.ParseToken(s)
	return t
}

// flipped returns a copy of b with one bit of byte i changed.
func flipped(b []byte, i int) []byte {
	c := append([]byte(nil), b...)
	c[i] ^= 1 << (i % 8)
	return c
}

// wantBroken fails the test unless a call gave nothing but ErrSealBroken.
func wantBroken(t *testing.T, call string, plaintext []byte, err error) {
	t.Helper()
	if !errors.Is(err, seal.ErrSealBroken) || plaintext != nil {
		t.Errorf("%s: got %d bytes, %v, want none, %v", call, len(plaintext), err, seal.ErrSealBroken)
	}
}

// wantEvenly fails the test if counts differ from expected ones by more than
// chance allows: the bound lies so far above the mean of the chi-square
// distribution that honest draws exceed it less than once in 10^9 runs.
func wantEvenly(t *testing.T, call string, counts, expected []float64) {
	t.Helper()
	sum := 0.0
	for i, n := range counts {
		sum += (n - expected[i]) * (n - expected[i]) / expected[i]
	}
	freedom := float64(len(counts) - 1)
	if limit := freedom + 12*math.Sqrt(2*freedom) + 30; sum > limit {
		t.Errorf("%s: got chi-square %.0f, want at most %.0f", call, sum, limit)
	}
}

// mustKey derives the key of a secret under the root key that seals.
func mustKey(k *seal.Keys, t seal.Token, row seal.RowKey, share, passphrase [32]byte) seal.SecretKey {
	key, _ := k.SecretKeys().Key(k.KID(), t, row, share, passphrase) // the root key is there
	return key
}
