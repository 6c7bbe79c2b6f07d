package secret_test

import (
	"bytes"
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/domain"
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
				got, err := k.Vault.Secrets.ConcealSecret(t.Context(), c, "x", secret.Terms{ShareDomain: test.domain})
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

// A domain is suspended between the first look at a secret and the transaction that
// consumes it. Its secrets are locked by then, and stay.
func TestSuspendedDomainConsumesNothing(t *testing.T) {
	t.Parallel()
	const name = "secrets.example.com"
	proof := &proofs{}
	store := &interposed{}
	k := vaulttest.New(t, vaulttest.Options{
		Manual: true, Host: "hush.example.org", Resolver: proof,
		WrapStore: func(s storage.Store) storage.Store { store.Store = s; return store },
	})
	owner := k.MustAccount(t, "owner@example.net")
	made, err := k.Vault.Domains.AddDomain(t.Context(), owner, name)
	vaulttest.Want(t, "AddDomain()", err, nil)
	state := func() (record [2][]byte) { // its key and its value
		t.Helper()
		err := k.Store.View(t.Context(), func(tx storage.Tx) error {
			return tx.Range(domain.BucketDomain, nil, nil, func(key, value []byte) error {
				record = [2][]byte{bytes.Clone(key), bytes.Clone(value)}
				return nil
			})
		})
		vaulttest.Want(t, "View()", err, nil)
		return record
	}
	proof.text = made.TXTValue
	_, err = k.Vault.Checks.VerifyDomain(t.Context(), owner, name)
	vaulttest.Want(t, "VerifyDomain()", err, nil)
	proof.text = ""
	for range 9 * 24 {
		k.Clock.Advance(time.Hour)
		_, err := k.Vault.Checks.Recheck(t.Context())
		vaulttest.Want(t, "Recheck()", err, nil)
	}
	suspended := state()
	proof.text = made.TXTValue
	back, err := k.Vault.Checks.VerifyDomain(t.Context(), owner, name)
	if err != nil || back.State != domain.DomainVerified {
		t.Fatalf("VerifyDomain(suspended): got %v, %v, want it verified", back.State, err)
	}
	kept := k.MustConceal(t, owner, "the text", secret.Terms{ShareDomain: name})
	verified := state()
	set := func(record [2][]byte) { vaulttest.Put(t, store.Store, domain.BucketDomain, record[0], record[1]) }
	store.first = func() { set(suspended) }
	vaulttest.WantErr(t, "RevealSecret(suspended meanwhile)", vaulttest.RevealErr(t, k, vaulttest.Caller(2), kept.Secret.Key.Expose(), ""), refusal.ErrDomainSuspended)
	set(verified)
	vaulttest.Want(t, "RevealSecret(back)", k.MustReveal(t, vaulttest.Caller(2), kept.Secret.Key, ""), "the text")
}

// proofs answers every question with one text, empty for none.
type proofs struct{ text string }

func (p *proofs) TXT(_ context.Context, name string) ([]string, string, error) {
	if p.text == "" {
		return nil, name, nil
	}
	return []string{p.text}, name, nil
}

func (*proofs) Addresses(context.Context, string) ([]netip.Addr, []string, error) {
	return nil, nil, nil
}

// interposed runs first, if it is set, before the next update.
type interposed struct {
	storage.Store
	first func()
}

func (s *interposed) Update(ctx context.Context, fn func(storage.Tx) error) error {
	if first := s.first; first != nil {
		s.first = nil
		first()
	}
	return s.Store.Update(ctx, fn)
}

func (s *interposed) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}
