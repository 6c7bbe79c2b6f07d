package vaulttest

import (
	"runtime"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/counter"
	"hush/vault/outbox"
	"hush/vault/rows"
	"hush/vault/secret"
)

// Parallel runs operation b.N times in all, from that many callers.
func Parallel(b *testing.B, callers int, operation func() error) {
	b.Helper()
	if callers == 1 {
		for range b.N {
			if err := operation(); err != nil {
				b.Fatal(err)
			}
		}
		return
	}
	b.SetParallelism((callers + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0))
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := operation(); err != nil {
				b.Error(err)
			}
		}
	})
}

// Flipped returns a copy of a token with its first character changed.
func Flipped(key seal.Token) string {
	text := []byte(key.Expose())
	if text[0]++; text[0] > 'z' || text[0] > '9' && text[0] < 'a' {
		text[0] = '0'
	}
	return string(text)
}

// MustPost sends what is due and returns how many mails were handled.
func MustPost(t testing.TB, k *Kit) int {
	t.Helper()
	n, err := k.Vault.Outbox.PostDue(t.Context())
	if err != nil {
		t.Fatalf("PostDue(): got %v, want nil", err)
	}
	return n
}

// MustConcealAll conceals a secret of a minute for each of slots, at once, and
// fills in their slots.
func MustConcealAll(t testing.TB, k *Kit, slots []storage.Slot) {
	t.Helper()
	done := make(chan error)
	kept := make([]secret.Concealed, len(slots))
	for i := range slots {
		go func() {
			var err error
			kept[i], err = k.Vault.Secrets.ConcealSecret(t.Context(), caller.Caller{}, "x", secret.Terms{TTL: new(time.Minute)})
			done <- err
		}()
	}
	for range slots {
		if err := <-done; err != nil {
			t.Fatalf("ConcealSecret(x): got %v, want nil", err)
		}
	}
	for i := range slots {
		slots[i] = SlotOf(t, k, kept[i].Secret.Key)
	}
}

// AdvanceInSteps moves the clock by half hours and sweeps after each.
func AdvanceInSteps(t testing.TB, k *Kit, d time.Duration) {
	t.Helper()
	for range int(d / (30 * time.Minute)) {
		k.Clock.Advance(30 * time.Minute)
		k.MustSweep(t)
	}
}

// FillQueue counts as many mails as may wait.
func FillQueue(tx storage.Tx) error {
	return rows.Plain(func(tx *rows.Tx) error {
		return counter.Add(tx, counter.Change{Counter: counter.Queued, By: outbox.QueueMost})
	})(tx)
}
