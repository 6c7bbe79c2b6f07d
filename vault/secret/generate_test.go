package secret_test

import (
	"strings"
	"testing"

	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

func TestGenerate(t *testing.T) {
	t.Parallel()
	const (
		upper     = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		lower     = "abcdefghijklmnopqrstuvwxyz"
		digits    = "0123456789"
		ambiguous = "0Oo1IiLl|"
	)
	all := secret.CharacterSets{Uppercase: true, Lowercase: true, Numbers: true, Symbols: true}
	readable := all
	readable.ExcludeAmbiguous = true
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	tests := []struct {
		name     string
		length   int
		sets     secret.CharacterSets
		want     int // 0: refused
		each     []string
		never    string
		onlyFrom string
	}{
		{name: "default", want: 12, onlyFrom: upper + lower + digits + "*$!?()", never: "ilo10"},
		{name: "shortest", length: 4, sets: all, want: 4, each: []string{upper, lower, digits}},
		{name: "longest", length: 128, sets: all, want: 128, each: []string{upper, lower, digits}},
		{name: "digits", length: 20, sets: secret.CharacterSets{Numbers: true}, want: 20, onlyFrom: digits},
		{name: "letters", length: 20, sets: secret.CharacterSets{Uppercase: true, Lowercase: true}, want: 20, onlyFrom: upper + lower, each: []string{upper, lower}},
		{name: "readable", length: 128, sets: readable, want: 128, never: ambiguous},
		{name: "too short", length: 3},
		{name: "negative", length: -1},
		{name: "too long", length: 129},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			concealed, value, err := k.Vault.Secrets.GenerateSecret(t.Context(), caller.Caller{}, test.length, test.sets, secret.Terms{})
			if test.want == 0 {
				vaulttest.WantInvalid(t, "GenerateSecret(length)", err, "length")
				vaulttest.Want(t, "GenerateSecret(length)", string(value), "")
				return
			}
			if err != nil {
				t.Fatalf("GenerateSecret(%d): got %v, want nil", test.length, err)
			}
			vaulttest.Want(t, "length", len(value), test.want)
			for _, set := range test.each {
				if !strings.ContainsAny(string(value), set) {
					t.Errorf("GenerateSecret(): got %q, want one of %s", string(value), set)
				}
			}
			if strings.ContainsAny(string(value), test.never) {
				t.Errorf("GenerateSecret(): got %q, want none of %s", string(value), test.never)
			}
			if test.onlyFrom != "" && strings.Trim(string(value), test.onlyFrom) != "" {
				t.Errorf("GenerateSecret(): got %q, want only of %s", string(value), test.onlyFrom)
			}
			vaulttest.Want(t, "RevealSecret(key)", k.MustReveal(t, caller.Caller{}, concealed.Secret.Key, ""), string(value))
		})
	}
}

// Its sender has seen the value, so the answer says new and the next look says
// viewed.
func TestGenerateStoresViewed(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	concealed, _, err := k.Vault.Secrets.GenerateSecret(t.Context(), caller.Caller{}, 0, secret.CharacterSets{}, secret.Terms{})
	if err != nil {
		t.Fatalf("GenerateSecret(): got %v, want nil", err)
	}
	vaulttest.Want(t, "Metadata.State", concealed.Metadata.State, receipt.StateNew)
	vaulttest.Want(t, "Secret.State", concealed.Secret.State, receipt.StateNew)
	vaulttest.WantState(t, k, concealed.Metadata.Key, receipt.StateViewed)
	vaulttest.Want(t, "audit rows", len(vaulttest.RowsIn(t, k.Store, audit.BucketAudit)), 1)
}

func TestGenerateWithPassphrase(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	concealed, value, err := k.Vault.Secrets.GenerateSecret(t.Context(), caller.Caller{}, 0, secret.CharacterSets{}, secret.Terms{Passphrase: "open"})
	if err != nil {
		t.Fatalf("GenerateSecret(): got %v, want nil", err)
	}
	vaulttest.WantErr(t, "RevealSecret(key)", vaulttest.RevealErr(t, k, caller.Caller{}, concealed.Secret.Key.Expose(), ""), refusal.ErrPassphrase)
	vaulttest.Want(t, "RevealSecret(key, passphrase)", k.MustReveal(t, caller.Caller{}, concealed.Secret.Key, "open"), string(value))
}
