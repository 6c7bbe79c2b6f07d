package seal_test

import (
	"bytes"
	"testing"

	"hush/seal"
)

// All working keys lie in the caller's memory: what they do changes with it.
func TestNewKeysIn(t *testing.T) {
	t.Parallel()
	root := seal.NewRootKey()
	memory := make([]byte, seal.KeysSize)
	keys, others := seal.NewKeysIn(root, memory), seal.NewKeys(root)
	row := []byte("row")
	uses := func(k *seal.Keys) [][]byte {
		network, address := k.NetworkID(row), k.AddressID("a")
		return [][]byte{k.Verifier(), network[:], address[:], []byte(k.ChallengeKey())}
	}
	for i, got := range uses(keys) {
		if !bytes.Equal(got, uses(others)[i]) {
			t.Errorf("NewKeysIn: got other keys than NewKeys, want the same")
		}
	}
	field := keys.SealField("label", row, []byte("text"))
	for i := range seal.KeysSize / 32 {
		if bytes.Equal(memory[32*i:32*i+32], make([]byte, 32)) {
			t.Errorf("NewKeysIn: got key %d empty, want each in the memory", i)
		}
	}
	clear(memory)
	for i, got := range uses(keys) {
		if bytes.Equal(got, uses(others)[i]) {
			t.Errorf("use %d after the memory was cleared: got the same, want all keys in it", i)
		}
	}
	if _, err := keys.OpenField("label", row, field); err == nil {
		t.Error("OpenField after the memory was cleared: got nil, want an error")
	}
}

// A wiped root key yields no guessable keys.
func TestWipedRootKeyGivesNoKeys(t *testing.T) {
	t.Parallel()
	root := seal.NewRootKey()
	root.Wipe()
	defer func() {
		if recover() == nil {
			t.Error("NewKeys(wiped): got keys, want the program to stop")
		}
	}()
	seal.NewKeys(root)
}
