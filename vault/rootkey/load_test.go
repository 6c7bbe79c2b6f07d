package rootkey_test

import (
	"strings"
	"sync"
	"testing"

	"hush/vault/caller"
	"hush/vault/keylist"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// Secrets come and go, people sign in and use their tokens while the root key is rotated
// again and again. Everything opens, at once and after a restart.
func TestRotateUnderLoad(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var all sync.WaitGroup
	done := make(chan struct{})
	var kept [4][]secret.Concealed
	for worker := range kept {
		all.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				c := s.MustAuthenticate(t, vaulttest.ByToken(s.usedToken))
				made := s.MustConceal(t, vaulttest.Caller(worker), "x", secret.Terms{})
				if i%3 == 0 {
					kept[worker] = append(kept[worker], made)
					continue
				}
				vaulttest.Want(t, "RevealSecret()", s.MustReveal(t, caller.Caller{}, made.Secret.Key, ""), "x")
				vaulttest.Want(t, "memo", string(s.MustMetadata(t, c, s.kept.Metadata.Key).Memo), "memo-canary")
			}
		})
	}
	for range 4 {
		s.rotate(t)
		s.SignIn(t, false)
		vaulttest.Want(t, "Reseal()", s.Vault.RootKeys.Reseal(t.Context()), nil)
	}
	close(done)
	all.Wait()
	s.restart(t)
	total := 0
	for _, made := range kept {
		for _, one := range made {
			vaulttest.Want(t, "RevealSecret(after a restart)", s.MustReveal(t, caller.Caller{}, one.Secret.Key, ""), "x")
			total++
		}
	}
	if total == 0 {
		t.Error("secrets that were kept: got none, want some")
	}
	s.wantAccount(t)
}

// Large secrets are counted a few at a time, and none is left out.
func TestListCountsLargeSecrets(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	large := caller.Text(strings.Repeat("x", 9_000))
	const number = 150 // more than a megabyte
	for range number {
		_, err := s.Vault.Secrets.ConcealSecret(t.Context(), caller.Caller{}, large, secret.Terms{})
		vaulttest.Want(t, "ConcealSecret(large)", err, nil)
	}
	list, err := s.Vault.RootKeys.List(t.Context())
	vaulttest.Want(t, "List()", err, nil)
	vaulttest.Want(t, "secrets", list.Keys[0].Uses[keylist.SealedSecrets], number)
	vaulttest.Want(t, "receipts", list.Keys[0].Uses[keylist.SealedReceipts], number)
}
