package keylist_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/seal"
	"hush/vault/keylist"
	"hush/vault/recordtest"
	"hush/vault/rows"
)

func sampleVerifier(letter byte) (v [seal.VerifierSize]byte) {
	copy(v[:], bytes.Repeat([]byte{letter}, len(v)))
	return v
}

func sampleRootKeys() keylist.RootKeys {
	return keylist.RootKeys{Index: []byte("index keys"), Keys: []keylist.RootKey{
		{Verifier: sampleVerifier('a'), State: keylist.RootKeyRetired},
		{Verifier: sampleVerifier('b'), Since: recordtest.Moment(5), State: keylist.RootKeyOld},
		{Verifier: sampleVerifier('c'), Since: recordtest.Moment(6), State: keylist.RootKeyCurrent},
	}}
}

func oneRootKey() keylist.RootKeys {
	return keylist.RootKeys{Keys: []keylist.RootKey{{Verifier: sampleVerifier('a'), State: keylist.RootKeyCurrent}}}
}

// Both forms stay readable. No part of the newer one is accepted, except one that
// is as long as the older form: nothing in that form shows damage, and it fits no
// root key.
func TestGoldenRootKeys(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]keylist.RootKeys{"rootkeys-v1": oneRootKey(), "rootkeys-v2": sampleRootKeys()} {
		stored := recordtest.Golden(t, name)
		got, err := keylist.DecodeRootKeys(stored)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("DecodeRootKeys(%s): got %v, -want +got\n%s", name, err, diff)
		}
		if got := want.Encode(); !bytes.Equal(got, stored) {
			t.Errorf("Encode(%s): got %x, want %x", name, got, stored)
		}
		for i := range stored {
			if _, err := keylist.DecodeRootKeys(stored[:i]); i != seal.VerifierSize && !errors.Is(err, rows.ErrDamaged) {
				t.Errorf("DecodeRootKeys(%d bytes of %s): got %v, want %v", i, name, err, rows.ErrDamaged)
			}
		}
		if _, err := keylist.DecodeRootKeys(append(stored, 0)); !errors.Is(err, rows.ErrDamaged) {
			t.Errorf("DecodeRootKeys(%s and a byte): got %v, want %v", name, err, rows.ErrDamaged)
		}
	}
}

// A list without exactly one current key is damaged.
func TestRootKeysHaveOneCurrentKey(t *testing.T) {
	t.Parallel()
	for _, state := range []keylist.RootKeyState{keylist.RootKeyOld, keylist.RootKeyCurrent, 0, 4} {
		r := sampleRootKeys()
		r.Keys[2].State = state
		if state == keylist.RootKeyCurrent {
			r.Keys[1].State = state
		}
		if _, err := keylist.DecodeRootKeys(r.Encode()); !errors.Is(err, rows.ErrDamaged) {
			t.Errorf("DecodeRootKeys(last key in state %d): got %v, want %v", state, err, rows.ErrDamaged)
		}
	}
}

func FuzzDecodeRootKeys(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := keylist.DecodeRootKeys(data)
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
	listed := keylist.RootKeys{Index: index, Keys: []keylist.RootKey{
		{Verifier: [seal.VerifierSize]byte(both.Ring().VerifierOf(first.KID())), State: keylist.RootKeyOld},
		{Verifier: [seal.VerifierSize]byte(both.Ring().VerifierOf(second.KID())), Since: time.Now(), State: keylist.RootKeyCurrent},
	}}
	if err := listed.Arrange(both); err != nil || both.KID() != second.KID() {
		t.Errorf("Arrange(both keys): got %v and the current key %x, want nil, %x", err, both.KID(), second.KID())
	}
	missing := listed.Verify(seal.NewKeys(second))
	want := &keylist.MissingRootKeyError{KIDs: [][4]byte{first.KID()}}
	if got, ok := errors.AsType[*keylist.MissingRootKeyError](missing); !ok || !cmp.Equal(got, want) || !errors.Is(missing, seal.ErrWrongRootKey) {
		t.Errorf("Verify(without the first key): got %v, want %v", missing, want)
	}
	if err := listed.Verify(seal.NewKeys(seal.NewRootKey())); !errors.Is(err, seal.ErrWrongRootKey) || errors.Is(err, missing) {
		t.Errorf("Verify(another key): got %v, want %v", err, seal.ErrWrongRootKey)
	}
	listed.Keys[0].State = keylist.RootKeyRetired
	if err := listed.Verify(seal.NewKeys(second)); err != nil {
		t.Errorf("Verify(without a retired key): got %v, want nil", err)
	}
}
