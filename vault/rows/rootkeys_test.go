package rows_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/seal"
	"hush/vault/recordtest"
	"hush/vault/rows"
)

func sampleVerifier(letter byte) (v [seal.VerifierSize]byte) {
	copy(v[:], bytes.Repeat([]byte{letter}, len(v)))
	return v
}

func sampleRootKeys() rows.RootKeys {
	return rows.RootKeys{Index: []byte("index keys"), Keys: []rows.RootKey{
		{Verifier: sampleVerifier('a'), State: rows.RootKeyRetired},
		{Verifier: sampleVerifier('b'), Since: recordtest.Moment(5), State: rows.RootKeyOld},
		{Verifier: sampleVerifier('c'), Since: recordtest.Moment(6), State: rows.RootKeyCurrent},
	}}
}

func oneRootKey() rows.RootKeys {
	return rows.RootKeys{Keys: []rows.RootKey{{Verifier: sampleVerifier('a'), State: rows.RootKeyCurrent}}}
}

// Both forms stay readable. No part of the newer one is accepted, except one that
// is as long as the older form: nothing in that form shows damage, and it fits no
// root key.
func TestGoldenRootKeys(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]rows.RootKeys{"rootkeys-v1": oneRootKey(), "rootkeys-v2": sampleRootKeys()} {
		stored := recordtest.Golden(t, name)
		got, err := rows.DecodeRootKeys(stored)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("DecodeRootKeys(%s): got %v, -want +got\n%s", name, err, diff)
		}
		if got := want.Encode(); !bytes.Equal(got, stored) {
			t.Errorf("Encode(%s): got %x, want %x", name, got, stored)
		}
		for i := range stored {
			if _, err := rows.DecodeRootKeys(stored[:i]); i != seal.VerifierSize && !errors.Is(err, rows.ErrDamaged) {
				t.Errorf("DecodeRootKeys(%d bytes of %s): got %v, want %v", i, name, err, rows.ErrDamaged)
			}
		}
		if _, err := rows.DecodeRootKeys(append(stored, 0)); !errors.Is(err, rows.ErrDamaged) {
			t.Errorf("DecodeRootKeys(%s and a byte): got %v, want %v", name, err, rows.ErrDamaged)
		}
	}
}

// A list without exactly one current key is damaged.
func TestRootKeysHaveOneCurrentKey(t *testing.T) {
	t.Parallel()
	for _, state := range []rows.RootKeyState{rows.RootKeyOld, rows.RootKeyCurrent, 0, 4} {
		r := sampleRootKeys()
		r.Keys[2].State = state
		if state == rows.RootKeyCurrent {
			r.Keys[1].State = state
		}
		if _, err := rows.DecodeRootKeys(r.Encode()); !errors.Is(err, rows.ErrDamaged) {
			t.Errorf("DecodeRootKeys(last key in state %d): got %v, want %v", state, err, rows.ErrDamaged)
		}
	}
}

func FuzzDecodeRootKeys(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := rows.DecodeRootKeys(data)
		if err != nil {
			return nil, err
		}
		return r.Encode(), nil
	}, "rootkeys-v1", "rootkeys-v2")
}

// A key file must have each key that is needed; the error names those it lacks.
func TestRootKeysVerify(t *testing.T) {
	t.Parallel()
	first, second := seal.NewRootKey(), seal.NewRootKey()
	both := seal.NewKeySet([]seal.RootKey{second, first}, make([]byte, seal.KeySetSize(2)))
	index, err := seal.NewKeys(first).Ring().SealIndex(first.KID())
	if err != nil {
		t.Fatal(err)
	}
	listed := rows.RootKeys{Index: index, Keys: []rows.RootKey{
		{Verifier: [seal.VerifierSize]byte(both.Ring().VerifierOf(first.KID())), State: rows.RootKeyOld},
		{Verifier: [seal.VerifierSize]byte(both.Ring().VerifierOf(second.KID())), Since: time.Now(), State: rows.RootKeyCurrent},
	}}
	if err := listed.Arrange(both); err != nil || both.KID() != second.KID() {
		t.Errorf("Arrange(both keys): got %v and the current key %x, want nil, %x", err, both.KID(), second.KID())
	}
	missing := listed.Verify(seal.NewKeys(second))
	want := &rows.MissingRootKeyError{KIDs: [][4]byte{first.KID()}}
	if got, ok := errors.AsType[*rows.MissingRootKeyError](missing); !ok || !cmp.Equal(got, want) || !errors.Is(missing, seal.ErrWrongRootKey) {
		t.Errorf("Verify(without the first key): got %v, want %v", missing, want)
	}
	if err := listed.Verify(seal.NewKeys(seal.NewRootKey())); !errors.Is(err, seal.ErrWrongRootKey) || errors.Is(err, missing) {
		t.Errorf("Verify(another key): got %v, want %v", err, seal.ErrWrongRootKey)
	}
	listed.Keys[0].State = rows.RootKeyRetired
	if err := listed.Verify(seal.NewKeys(second)); err != nil {
		t.Errorf("Verify(without a retired key): got %v, want nil", err)
	}
}
