package seal_test

import (
	"bytes"
	"errors"
	"testing"

	"hush/seal"
)

var sampleLabel = []byte("account 1, session 1")

// sampleHolders returns a holder of each kind and near misses of them.
func sampleHolders() map[string]seal.WrappingSecret {
	salted := cheapPassword
	salted.Salt[0] = 1
	return map[string]seal.WrappingSecret{
		"password":       cheapPassword.Hash("pass").WrappingSecret(),
		"other password": cheapPassword.Hash("Pass").WrappingSecret(),
		"other salt":     salted.Hash("pass").WrappingSecret(),
		"token":          mustAPIToken(sampleAPIToken).WrappingSecret(),
		"other token":    mustAPIToken("0" + sampleAPIToken[1:]).WrappingSecret(),
		"session":        mustSession(sampleSession).WrappingSecret(),
		"other session":  flippedSession(31).WrappingSecret(),
	}
}

// Each holder unwraps what was wrapped for it, and nothing else.
func TestUnwrapAccountKey(t *testing.T) {
	keys, key := sampleParts().keys(), seal.NewAccountKey()
	for name, holder := range sampleHolders() {
		wrapped := keys.WrapAccountKey(holder, sampleLabel, key)
		if len(wrapped) != 60 {
			t.Errorf("WrapAccountKey(%s): got %d bytes, want 60", name, len(wrapped))
		}
		for other, h := range sampleHolders() {
			got, err := keys.UnwrapAccountKey(h, sampleLabel, wrapped)
			if other == name {
				wantKey(t, "UnwrapAccountKey("+name+")", got, err, key.Public())
			} else {
				wantNoKey(t, "UnwrapAccountKey("+other+" for "+name+")", err)
			}
		}
	}
}

func wantNoKey(t *testing.T, call string, err error) {
	t.Helper()
	if !errors.Is(err, seal.ErrSealBroken) {
		t.Errorf("%s: got %v, want %v", call, err, seal.ErrSealBroken)
	}
}

func TestWrapAccountKeyIsFresh(t *testing.T) {
	keys, key, holder := sampleParts().keys(), seal.NewAccountKey(), mustSession(sampleSession).WrappingSecret()
	first := keys.WrapAccountKey(holder, sampleLabel, key)
	second := keys.WrapAccountKey(holder, sampleLabel, key)
	if bytes.Equal(first[:12], second[:12]) {
		t.Errorf("WrapAccountKey(same): got nonce %x twice, want two", first[:12])
	}
}

func TestUnwrapAccountKeyRefusesWhatWasChanged(t *testing.T) {
	keys, holder := sampleParts().keys(), mustSession(sampleSession).WrappingSecret()
	wrapped := keys.WrapAccountKey(holder, sampleLabel, seal.NewAccountKey())
	refused := func(name string, k *seal.Keys, label, wrapped []byte) {
		_, err := k.UnwrapAccountKey(holder, label, wrapped)
		wantNoKey(t, "UnwrapAccountKey("+name+")", err)
	}
	for i := range wrapped {
		refused("wrapped changed", keys, sampleLabel, flipped(wrapped, i))
		refused("wrapped cut", keys, sampleLabel, wrapped[:i])
	}
	for i := range sampleLabel {
		refused("label changed", keys, flipped(sampleLabel, i), wrapped)
		refused("label cut", keys, sampleLabel[:i], wrapped)
	}
	refused("a byte more", keys, sampleLabel, append(bytes.Clone(wrapped), 0))
	refused("longer label", keys, append(bytes.Clone(sampleLabel), 0), wrapped)
	refused("other root", otherRoot(), sampleLabel, wrapped)
}

// What is authentic and yet no private half is refused.
func TestUnwrapAccountKeyRefusesOtherSizes(t *testing.T) {
	keys, holder := sampleParts().keys(), mustSession(sampleSession).WrappingSecret()
	for _, size := range []int{0, 31, 33} {
		wrapped := keys.WrapBytes(holder, sampleLabel, make([]byte, size))
		_, err := keys.UnwrapAccountKey(holder, sampleLabel, wrapped)
		if !errors.Is(err, seal.ErrSealBroken) {
			t.Errorf("UnwrapAccountKey(%d bytes): got %v, want %v", size, err, seal.ErrSealBroken)
		}
	}
}

// A thief of the database has rows and verifiers; read as holders they unwrap
// nothing.
func TestStoredHashesUnwrapNothing(t *testing.T) {
	keys, session := sampleParts().keys(), mustSession(sampleSession)
	wrapped := keys.WrapAccountKey(session.WrappingSecret(), sampleLabel, seal.NewAccountKey())
	row := session.Row()
	_, err := keys.UnwrapAccountKey(seal.HolderOf(row), sampleLabel, wrapped)
	wantNoKey(t, "UnwrapAccountKey(row of the session)", err)

	token := mustAPIToken(sampleAPIToken)
	wrapped = keys.WrapAccountKey(token.WrappingSecret(), sampleLabel, seal.NewAccountKey())
	_, err = keys.UnwrapAccountKey(seal.HolderOf(token.Row()), sampleLabel, wrapped)
	wantNoKey(t, "UnwrapAccountKey(row of the token)", err)

	hash := cheapPassword.Hash("pass")
	wrapped = keys.WrapAccountKey(hash.WrappingSecret(), sampleLabel, seal.NewAccountKey())
	_, err = keys.UnwrapAccountKey(seal.HolderOf(hash.Proof()), sampleLabel, wrapped)
	wantNoKey(t, "UnwrapAccountKey(verifier of the password)", err)
}
