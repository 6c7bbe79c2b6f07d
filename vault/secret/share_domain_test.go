package secret_test

import (
	"errors"
	"testing"

	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

func TestConcealShareDomain(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Host: "Hush.Example.org"})
	tests := []struct {
		domain  string
		refused bool
	}{
		{"", false},
		{"  ", false},
		{"hush.example.org", false},
		{"HUSH.example.ORG", false},
		{" hush.example.org. ", false},
		{"localhost", false},
		{"foo", false},
		{"com", false},
		{"co.uk", false},
		{"127.0.0.1", false},
		{"::1", false},
		{"http://example.com/", false},
		{"user@example.com", false},
		{"example.com:443", false},
		{"exam ple.com", false},
		{"foo.internal", false},
		{"example.com", true},
		{"EXAMPLE.com", true},
		{"example.com.", true},
		{" example.com ", true},
		{"secrets.example.co.uk", true},
		{"example.org", true},
		{"not.hush.example.org", true},
	}
	for _, test := range tests {
		t.Run(test.domain, func(t *testing.T) {
			t.Parallel()
			for _, c := range []caller.Caller{vaulttest.Caller(1), k.MustStoredAccount(t, caller.Caller{}, "a")} {
				got, err := k.Vault.Secrets.ConcealSecret(t.Context(), c, "x", secret.Wish{ShareDomain: test.domain})
				if !test.refused {
					if err != nil {
						t.Fatalf("ConcealSecret(%q): got %v, want nil", test.domain, err)
					}
					vaulttest.Want(t, "Secret.ShareDomain", got.Secret.ShareDomain, "")
					vaulttest.Want(t, "Metadata.ShareDomain", got.Metadata.ShareDomain, "")
					continue
				}
				vaulttest.WantErr(t, "ConcealSecret("+test.domain+")", err, refusal.ErrDomainNotFound)
				if domain, ok := errors.AsType[*refusal.DomainError](err); ok {
					vaulttest.Want(t, "DomainError.Domain", domain.Domain, test.domain)
				}
			}
		})
	}
}
