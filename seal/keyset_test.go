package seal_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"hush/seal"
)

// keySet has the keys of two root keys, of which the second one seals.
func keySet(t *testing.T) (keys, first, second *seal.Keys) {
	t.Helper()
	old, next := seal.NewRootKey(), seal.NewRootKey()
	first, second = seal.NewKeys(old), seal.NewKeys(next)
	keys = seal.NewKeySet([]seal.RootKey{next, old}, make([]byte, seal.KeySetSize(2)))
	if err := keys.Ring().Arrange(seal.Arrangement{Current: next.KID(), First: old.KID()}); err != nil {
		t.Fatalf("Arrange(two keys): got %v, want nil", err)
	}
	return keys, first, second
}

// sealing is one kind of sealed value.
type sealing struct {
	seal func(*seal.Keys) []byte
	open func(*seal.Keys, []byte) ([]byte, error)
}

func sealings() map[string]sealing {
	row, share, token := []byte("row"), [32]byte{1}, mustToken(sampleParts().token)
	metaRow, secret, account := token.RowKey(seal.KindMetadata), mustSession(sampleSession).WrappingSecret(), sampleAccountKey()
	file := seal.NewFileKey()
	return map[string]sealing{
		"SealField": {
			func(k *seal.Keys) []byte { return k.SealField("label", row, []byte("text")) },
			func(k *seal.Keys, b []byte) ([]byte, error) { return k.OpenField("label", row, b) },
		},
		"SealMail": {
			func(k *seal.Keys) []byte { return k.SealMail(share, row, []byte("text")) },
			func(k *seal.Keys, b []byte) ([]byte, error) { return k.OpenMail(share, row, b) },
		},
		"SealMetadata": {
			func(k *seal.Keys) []byte { return k.SealMetadata(token, metaRow, "label", []byte("text")) },
			func(k *seal.Keys, b []byte) ([]byte, error) { return k.OpenMetadata(token, metaRow, "label", b) },
		},
		"WrapAccountKey": {
			func(k *seal.Keys) []byte { return k.WrapAccountKey(secret, row, account) },
			func(k *seal.Keys, b []byte) ([]byte, error) {
				key, err := k.UnwrapAccountKey(secret, row, b)
				if err == nil && key.Public() == account.Public() {
					return []byte("text"), nil
				}
				return nil, err
			},
		},
		"SealUpload": {
			func(k *seal.Keys) []byte { return k.SealUpload([32]byte{2}, metaRow, share, file) },
			func(k *seal.Keys, b []byte) ([]byte, error) {
				key, err := k.OpenUpload([32]byte{2}, metaRow, share, b)
				if err == nil && bytes.Equal(key.Expose(), file.Expose()) {
					return []byte("text"), nil
				}
				return nil, err
			},
		},
	}
}

// What any of the root keys sealed opens, and new values take the one that seals.
func TestKeySetOpensWhatEachKeySealed(t *testing.T) {
	t.Parallel()
	keys, first, second := keySet(t)
	for name, s := range sealings() {
		old, fresh := s.seal(first), s.seal(keys)
		for value, want := range map[string][4]byte{string(old): first.KID(), string(fresh): second.KID()} {
			got, err := s.open(keys, []byte(value))
			if err != nil || string(got) != "text" {
				t.Errorf("%s: got %q, %v from the key %x, want text", name, got, err, want)
			}
			if by := keys.Ring().SealedBy([]byte(value)); by != want {
				t.Errorf("SealedBy(%s): got %x, want %x", name, by, want)
			}
		}
		if keys.Ring().IsCurrent(old) || !keys.Ring().IsCurrent(fresh) {
			t.Errorf("IsCurrent(%s): got %t and %t for an old and a new value, want false and true", name, keys.Ring().IsCurrent(old), keys.Ring().IsCurrent(fresh))
		}
		if !bytes.HasPrefix(fresh, keys.Ring().VerifierOf(second.KID())[:4]) || len(fresh) != len(old)+4 {
			t.Errorf("%s: got %d bytes after %d, want the name of the second key in front", name, len(fresh), len(old))
		}
		for _, other := range []*seal.Keys{first, second} {
			if _, err := s.open(other, fresh); err == nil && other == first {
				t.Errorf("%s: got a value of the second key open with the first, want %v", name, seal.ErrSealBroken)
			}
		}
		if _, err := s.open(seal.NewKeys(seal.NewRootKey()), fresh); !errors.Is(err, seal.ErrSealBroken) {
			t.Errorf("%s with another root key: got %v, want %v", name, err, seal.ErrSealBroken)
		}
		for i := range fresh {
			if _, err := s.open(keys, flipped(fresh, i)); !errors.Is(err, seal.ErrSealBroken) {
				t.Errorf("%s, byte %d changed: got %v, want %v", name, i, err, seal.ErrSealBroken)
			}
		}
	}
}

// A node that has not learned yet which key seals opens what others sealed.
func TestKeySetOpensBeforeItIsArranged(t *testing.T) {
	t.Parallel()
	old, next := seal.NewRootKey(), seal.NewRootKey()
	late := seal.NewKeys(old)
	keys := seal.NewKeySet([]seal.RootKey{old, next}, make([]byte, seal.KeySetSize(2)))
	late.Ring().Add(next, make([]byte, seal.KeysSize))
	late.Ring().Add(next, nil) // has it
	if err := keys.Ring().Arrange(seal.Arrangement{Current: next.KID(), First: old.KID()}); err != nil {
		t.Fatal(err)
	}
	for name, s := range sealings() {
		if got, err := s.open(late, s.seal(keys)); err != nil || string(got) != "text" {
			t.Errorf("%s: got %q, %v, want text", name, got, err)
		}
		if value := s.seal(late); late.Ring().SealedBy(value) != old.KID() {
			t.Errorf("%s: got a value of the key %x, want %x until Arrange says otherwise", name, late.Ring().SealedBy(value), old.KID())
		}
	}
}

// names are what the index keys make.
func names(k *seal.Keys) string {
	network, address, topic := k.NetworkID([]byte("network")), k.AddressID("address"), k.Topic([]byte("topic"))
	return string(network[:]) + string(address[:]) + string(topic[:]) + k.ChallengeKey() + k.Shrimp(mustSession(sampleSession))
}

// Names that are stored or handed out keep their values when another root key takes
// the place of the first, even once the first is gone.
func TestIndexKeysOutliveTheFirstRootKey(t *testing.T) {
	t.Parallel()
	old, next, last := seal.NewRootKey(), seal.NewRootKey(), seal.NewRootKey()
	want := names(seal.NewKeys(old))
	keys := seal.NewKeySet([]seal.RootKey{next, old}, make([]byte, seal.KeySetSize(2)))
	if err := keys.Ring().Arrange(seal.Arrangement{Current: old.KID(), First: old.KID()}); err != nil {
		t.Fatal(err)
	}
	index, err := keys.Ring().SealIndex(next.KID())
	if err != nil {
		t.Fatal(err)
	}
	arrangement := seal.Arrangement{Current: next.KID(), First: old.KID(), Index: index}
	memory := make([]byte, seal.KeySetSize(2))
	without := seal.NewKeySet([]seal.RootKey{next, last}, memory)
	for name, k := range map[string]*seal.Keys{"both": keys, "without the first": without} {
		if err := k.Ring().Arrange(arrangement); err != nil {
			t.Fatalf("Arrange(%s): got %v, want nil", name, err)
		}
		if names(k) != want {
			t.Errorf("names, %s: got others, want those of the first root key", name)
		}
	}
	again, err := without.Ring().SealIndex(last.KID())
	if err != nil {
		t.Fatal(err)
	}
	third := seal.NewKeySet([]seal.RootKey{last}, make([]byte, seal.KeySetSize(1)))
	if err := third.Ring().Arrange(seal.Arrangement{Current: last.KID(), First: old.KID(), Index: again}); err != nil || names(third) != want {
		t.Errorf("Arrange(third root key): got %v, or other names, want nil and those of the first", err)
	}
	clear(memory)
	if names(without) == want {
		t.Error("names after the memory was cleared: got the same, want the index keys in it")
	}
}

func TestArrangeRefuses(t *testing.T) {
	t.Parallel()
	keys, first, second := keySet(t)
	missing := seal.NewKeys(seal.NewRootKey()).KID()
	if err := keys.Ring().Arrange(seal.Arrangement{Current: missing, First: first.KID()}); !errors.Is(err, seal.ErrWrongRootKey) {
		t.Errorf("Arrange(current key missing): got %v, want %v", err, seal.ErrWrongRootKey)
	}
	if err := keys.Ring().Arrange(seal.Arrangement{Current: second.KID(), First: missing, Index: []byte("x")}); !errors.Is(err, seal.ErrSealBroken) {
		t.Errorf("Arrange(broken index keys): got %v, want %v", err, seal.ErrSealBroken)
	}
	if got := keys.KID(); got != second.KID() {
		t.Errorf("KID() after refusals: got %x, want %x", got, second.KID())
	}
	if _, err := keys.Ring().SealIndex(missing); !errors.Is(err, seal.ErrWrongRootKey) {
		t.Errorf("SealIndex(missing key): got %v, want %v", err, seal.ErrWrongRootKey)
	}
}

// Secrets and passwords name their root key in their records.
func TestKeysByName(t *testing.T) {
	t.Parallel()
	keys, first, second := keySet(t)
	p := sampleParts()
	token := mustToken(p.token)
	for _, one := range []*seal.Keys{first, second} {
		want := mustKey(one, token, p.row, p.share, p.passphrase)
		got, err := keys.SecretKeys().Key(one.KID(), token, p.row, p.share, p.passphrase)
		if err != nil || !got.Matches(want.Verifier()) {
			t.Errorf("Key(%x): got another key, or %v, want that of the root key", one.KID(), err)
		}
		hash := cheapPassword.Hash("pass")
		stored, kid := one.PasswordVerifier(hash)
		if !keys.PasswordMatches(hash, stored, kid) || keys.PasswordMatches(cheapPassword.Hash("other"), stored, kid) {
			t.Errorf("PasswordMatches(root key %x): got a wrong answer, want the password to match, and no other", kid)
		}
	}
	if _, err := second.SecretKeys().Key(first.KID(), token, p.row, p.share, p.passphrase); !errors.Is(err, seal.ErrNoRootKey) {
		t.Errorf("Key(missing root key): got %v, want %v", err, seal.ErrNoRootKey)
	}
	if err := errors.Join(keys.Verify(first.Verifier()), keys.Verify(second.Verifier())); err != nil {
		t.Errorf("Verify(verifier of each): got %v, want nil", err)
	}
}

func TestParseRootKeys(t *testing.T) {
	t.Parallel()
	one, two := string(seal.NewRootKey().Text()), string(seal.NewRootKey().Text())
	many := ""
	for range seal.RootKeysMost + 1 {
		many += string(seal.NewRootKey().Text())
	}
	for _, c := range []struct {
		name, text string
		keys       int
		want       error
	}{
		{"one", one, 1, nil},
		{"two", one + two, 2, nil},
		{"without the last newline", one + two[:64], 2, nil},
		{"empty lines, Windows", "\r\n" + one[:64] + "\r\n\r\n" + two[:64] + "\r\n", 2, nil},
		{"empty", " \n", 0, seal.ErrRootKeyFormat},
		{"twice", one + one, 0, seal.ErrSameRootKey},
		{"too many", many, 0, seal.ErrManyRootKeys},
		{"placeholder", one + string(bytes.Repeat([]byte("0"), 64)), 0, seal.ErrWeakRootKey},
		{"torn", one + two[:40], 0, seal.ErrRootKeyFormat},
		{"comment", "# the key of October\n" + one, 0, seal.ErrRootKeyFormat},
		{"comment after a key", one[:64] + " # October\n", 0, seal.ErrRootKeyFormat},
		{"byte order mark", "\ufeff" + one, 0, seal.ErrRootKeyFormat},
		{"upper case of a key", one + strings.ToUpper(one), 0, seal.ErrSameRootKey},
		{"17", strings.Repeat(many, 2)[:17*65], 0, seal.ErrSameRootKey},
		{"on one line", one[:64] + two, 0, seal.ErrRootKeyFormat},
	} {
		roots, err := seal.ParseRootKeys([]byte(c.text))
		if len(roots) != c.keys || !errors.Is(err, c.want) {
			t.Errorf("ParseRootKeys(%s): got %d keys, %v, want %d, %v", c.name, len(roots), err, c.keys, c.want)
		}
	}
}

// The index keys that were stored stay, whatever a later arrangement brings.
func TestStoredIndexKeysStay(t *testing.T) {
	t.Parallel()
	old, next, other := seal.NewRootKey(), seal.NewRootKey(), seal.NewRootKey()
	index := func(first seal.RootKey) []byte {
		k := seal.NewKeySet([]seal.RootKey{next, first}, make([]byte, seal.KeySetSize(2)))
		if err := k.Ring().Arrange(seal.Arrangement{Current: first.KID(), First: first.KID()}); err != nil {
			t.Fatal(err)
		}
		sealed, err := k.Ring().SealIndex(next.KID())
		if err != nil {
			t.Fatal(err)
		}
		return sealed
	}
	keys := seal.NewKeySet([]seal.RootKey{next}, make([]byte, seal.KeySetSize(1)))
	for _, first := range []seal.RootKey{old, other} {
		arrangement := seal.Arrangement{Current: next.KID(), First: old.KID(), Index: index(first)}
		if err := keys.Ring().Arrange(arrangement); err != nil || names(keys) != names(seal.NewKeys(old)) {
			t.Errorf("Arrange(index keys of %x): got %v, or other names, want nil and those of the first arrangement", first.KID(), err)
		}
	}
}
