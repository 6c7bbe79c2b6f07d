package seal_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"hush/seal"
)

func TestAddressID(t *testing.T) {
	keys := sampleParts().keys()
	seen := map[[32]byte]bool{
		keys.AddressID("a@example.com"):        true,
		keys.AddressID("b@example.com"):        true,
		keys.AddressID(""):                     true,
		otherRoot().AddressID("a@example.com"): true,
	}
	if len(seen) != 4 {
		t.Errorf("AddressID: got %d different rows, want 4", len(seen))
	}
	if !seen[sampleParts().keys().AddressID("a@example.com")] {
		t.Error("AddressID(a@example.com): got another row the second time, want the same")
	}
}

func TestChallengeKey(t *testing.T) {
	got := sampleParts().keys().ChallengeKey()
	if len(got) != 64 || strings.Trim(got, "0123456789abcdef") != "" {
		t.Errorf("ChallengeKey(): got %d characters, want 64 of [0-9a-f]", len(got))
	}
	if got == otherRoot().ChallengeKey() {
		t.Error("ChallengeKey(other root): got the same key, want another")
	}
}

// A link of one kind is unknown as any other.
func TestKindsOfLinksDoNotMix(t *testing.T) {
	token, seen := mustToken(sampleParts().token), map[seal.RowKey]bool{}
	kinds := []seal.TokenKind{
		seal.KindSecret, seal.KindMetadata, seal.KindVerify, seal.KindReset, seal.KindAddress, seal.KindInvite,
	}
	for _, kind := range kinds {
		seen[token.RowKey(kind)] = true
	}
	if len(seen) != len(kinds) {
		t.Errorf("RowKey: got %d different rows, want %d", len(seen), len(kinds))
	}
}

func TestRandomHex(t *testing.T) {
	for bytes, want := range map[int]int{-1: 0, 0: 0, 1: 2, 20: 40} {
		got := seal.RandomHex(bytes)
		if len(got) != want || strings.ToLower(got) != got {
			t.Errorf("RandomHex(%d): got %q, want %d lower-case digits", bytes, got, want)
		}
		if _, err := hex.DecodeString(got); err != nil {
			t.Errorf("RandomHex(%d): got %q, %v, want hexadecimal digits", bytes, got, err)
		}
	}
	if first, second := seal.RandomHex(16), seal.RandomHex(16); first == second {
		t.Errorf("RandomHex(16): got %q twice, want two", first)
	}
}
