package secret_test

import (
	"log/slog"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/memory"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// benchmark runs one operation on each backend, from one caller and from 64.
// The operation gets a fresh vault and returns what is repeated.
func benchmark(b *testing.B, prepare func(b *testing.B, v *vault.Vault) (operation func() error)) {
	b.Helper()
	for name, open := range map[string]func(*testing.B, *seal.Keys) (storage.Store, storage.Shares){
		"bolt": openBolt, "memory": openMemory,
	} {
		for _, callers := range []int{1, 64} {
			b.Run(name+"/callers="+strconv.Itoa(callers), func(b *testing.B) {
				operation := prepare(b, openVault(b, open))
				b.ResetTimer()
				vaulttest.Parallel(b, callers, operation)
			})
		}
	}
}

func openVault(b *testing.B, open func(*testing.B, *seal.Keys) (storage.Store, storage.Shares)) *vault.Vault {
	b.Helper()
	keys := seal.NewKeys(seal.NewRootKey())
	store, shares := open(b, keys)
	v, err := vault.Open(b.Context(), vault.Options{
		Store: store, Shares: shares, Keys: keys, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Manual: true, Limits: caller.Limits{NetworkBytes: 1 << 40, TotalBytes: 1 << 40},
	})
	if err != nil {
		b.Fatalf("vault.Open(): got %v, want nil", err)
	}
	b.Cleanup(v.Close)
	return v
}

func openBolt(b *testing.B, keys *seal.Keys) (storage.Store, storage.Shares) {
	b.Helper()
	folder, err := bolt.OpenFolder(filepath.Join(b.TempDir(), "data"))
	if err != nil {
		b.Fatalf("OpenFolder(dir): got %v, want nil", err)
	}
	b.Cleanup(func() { _ = folder.Close() })
	store, shares, err := folder.Open(bolt.Options{Init: vault.Init(keys, time.Now())})
	if err != nil {
		b.Fatalf("Folder.Open(): got %v, want nil", err)
	}
	return store, shares
}

func openMemory(b *testing.B, keys *seal.Keys) (storage.Store, storage.Shares) {
	b.Helper()
	store, shares := memory.New()
	if err := store.Update(b.Context(), vault.Init(keys, time.Now())); err != nil {
		b.Fatalf("Update(Init): got %v, want nil", err)
	}
	return store, shares
}

const benchmarkText = "a secret of a usual length, such as a password"

func BenchmarkConceal(b *testing.B) {
	benchmark(b, func(b *testing.B, v *vault.Vault) func() error {
		b.Helper()
		return func() error {
			_, err := v.Secrets.ConcealSecret(b.Context(), vaulttest.Caller(1), benchmarkText, secret.Terms{})
			return err
		}
	})
}

// Callers of many networks: what is counted for each of them must not cost a page.
func BenchmarkConcealOfNetworks(b *testing.B) {
	benchmark(b, func(b *testing.B, v *vault.Vault) func() error {
		b.Helper()
		var calls atomic.Int64
		return func() error {
			const networks, step = 1000, 617 // which have no common divisor
			from := vaulttest.Caller(int(calls.Add(step) % networks))
			_, err := v.Secrets.ConcealSecret(b.Context(), from, benchmarkText, secret.Terms{})
			return err
		}
	})
}

func BenchmarkReveal(b *testing.B) {
	benchmarkReveal(b, func(b *testing.B, v *vault.Vault, key seal.Token) error {
		b.Helper()
		_, err := v.Secrets.RevealSecret(b.Context(), vaulttest.Caller(1), key.Expose(), secret.Opening{})
		return err
	})
}

// What a claim costs, without and with its acknowledgement.
func BenchmarkRevealClaimed(b *testing.B) {
	benchmarkReveal(b, func(b *testing.B, v *vault.Vault, key seal.Token) error {
		b.Helper()
		_, err := v.Secrets.RevealSecret(b.Context(), vaulttest.Caller(1), key.Expose(), secret.Opening{Claim: vaulttest.Claim(1)})
		return err
	})
}

func BenchmarkRevealAcknowledged(b *testing.B) {
	benchmarkReveal(b, func(b *testing.B, v *vault.Vault, key seal.Token) error {
		b.Helper()
		_, err := v.Secrets.RevealSecret(b.Context(), vaulttest.Caller(1), key.Expose(), secret.Opening{Claim: vaulttest.Claim(1)})
		if err != nil {
			return err
		}
		return v.Secrets.AcknowledgeReveal(b.Context(), key.Expose(), vaulttest.Claim(1))
	})
}

func benchmarkReveal(b *testing.B, reveal func(b *testing.B, v *vault.Vault, key seal.Token) error) {
	b.Helper()
	benchmark(b, func(b *testing.B, v *vault.Vault) func() error {
		b.Helper()
		keys := make([]seal.Token, b.N)
		var concealed, revealed atomic.Int64
		vaulttest.Parallel(b, 64, func() error {
			kept, err := v.Secrets.ConcealSecret(b.Context(), vaulttest.Caller(1), benchmarkText, secret.Terms{})
			if err == nil {
				keys[concealed.Add(1)-1] = kept.Secret.Key
			}
			return err
		})
		return func() error {
			return reveal(b, v, keys[revealed.Add(1)-1])
		}
	})
}

func BenchmarkStatus(b *testing.B) {
	benchmark(b, func(b *testing.B, v *vault.Vault) func() error {
		b.Helper()
		kept, err := v.Secrets.ConcealSecret(b.Context(), vaulttest.Caller(1), benchmarkText, secret.Terms{})
		if err != nil {
			b.Fatalf("ConcealSecret(text): got %v, want nil", err)
		}
		return func() error {
			_, err := v.Secrets.GetSecret(b.Context(), vaulttest.Caller(1), kept.Secret.Key.Expose())
			return err
		}
	})
}
