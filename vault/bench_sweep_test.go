package vault_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/sweep"
	"hush/vault/vaulttest"
)

const benchmarkText = "correct horse battery staple"

// BenchmarkMassExpiry measures a sweep over b.N things that end in one minute,
// and what callers feel of it: p99 of a conceal and a reveal of four callers
// before the sweep and while it runs. The acceptance is
//
//	go test ./vault -run '^$' -bench MassExpiry -benchtime 1000000x -timeout 60m
//
// and make bench BENCHTIME=1x runs it for one.
func BenchmarkMassExpiry(b *testing.B) {
	b.Run("secrets", func(b *testing.B) {
		k := massKit(b)
		vaulttest.Parallel(b, 64, func() error {
			_, err := k.Vault.Secrets.ConcealSecret(b.Context(), vaulttest.Caller(1), benchmarkText, secret.Terms{TTL: new(time.Minute)})
			return err
		})
		measureSweep(b, k, time.Minute)
	})
	b.Run("audit", func(b *testing.B) {
		k := massKit(b)
		row := audit.Record{
			Time: k.Clock.Now().Add(-audit.Keep + time.Minute), Kind: audit.View, Result: audit.Done,
		}.Encode()
		massPut(b, k, audit.BucketAudit, func(i int) []byte { return vaulttest.Number(uint64(i + 1)) }, row)
		vaulttest.Put(b, k.Store, rows.BucketSystem, []byte(audit.SystemAudit), vaulttest.Number(uint64(b.N)))
		measureSweep(b, k, 2*time.Minute)
	})
	for kind, name := range map[byte]string{1: "sessions", 4: "challenges", 9: "deliveries"} {
		b.Run(name, func(b *testing.B) {
			k := massKit(b)
			massPut(b, k, sweep.BucketDue, func(i int) []byte {
				key := make([]byte, 32)
				copy(key, vaulttest.Number(uint64(i)))
				return sweep.DueKey(k.Clock.Now(), sweep.DueKind(kind), key[:massKeySize(kind)])
			}, nil)
			measureSweep(b, k, time.Minute)
			wantEmpty(b, k, sweep.BucketDue)
		})
	}
}

// massKeySize is how long the keys of a kind of due things are.
func massKeySize(kind byte) int {
	if kind == 9 {
		return len(seal.RowKey{}) + 1
	}
	return 32
}

func massKit(b *testing.B) *vaulttest.Kit {
	b.Helper()
	k := vaulttest.New(b, vaulttest.Options{Manual: true, Limits: caller.Limits{NetworkBytes: 1 << 40, TotalBytes: 1 << 40}})
	k.MustReclaim(b)
	return k
}

// massPut puts b.N rows of one value.
func massPut(b *testing.B, k *vaulttest.Kit, bucket string, key func(int) []byte, value []byte) {
	b.Helper()
	for from := 0; from < b.N; from += 4096 {
		err := k.Store.Update(b.Context(), func(tx storage.Tx) error {
			for i := from; i < min(b.N, from+4096); i++ {
				if err := tx.Put(bucket, key(i), value); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatalf("Put(%s): got %v, want nil", bucket, err)
		}
	}
}

func wantEmpty(b *testing.B, k *vaulttest.Kit, bucket string) {
	b.Helper()
	if left := len(vaulttest.RowsIn(b, k.Store, bucket)); left > 0 {
		b.Errorf("rows of %s after the sweep: got %d, want none", bucket, left)
	}
}

// measureSweep sweeps once after d, which is what is timed, beside callers.
func measureSweep(b *testing.B, k *vaulttest.Kit, d time.Duration) {
	b.Helper()
	before := newCallers(b, k, 4)
	time.Sleep(time.Second)
	quiet := before.stop()
	k.Clock.Advance(d)
	during := newCallers(b, k, 4)
	b.ResetTimer()
	_, err := k.Vault.Sweep(b.Context())
	b.StopTimer()
	busy := during.stop()
	if err != nil {
		b.Fatalf("Sweep(): got %v, want nil", err)
	}
	b.ReportMetric(float64(quiet.Microseconds()), "p99-before-us")
	b.ReportMetric(float64(busy.Microseconds()), "p99-during-us")
}

// callers conceal and reveal until they are stopped.
type callers struct {
	done  chan struct{}
	all   sync.WaitGroup
	times [][]time.Duration
}

func newCallers(b *testing.B, k *vaulttest.Kit, n int) *callers {
	b.Helper()
	c := &callers{done: make(chan struct{}), times: make([][]time.Duration, n)}
	for i := range n {
		c.all.Go(func() {
			for {
				began := time.Now()
				kept, err := k.Vault.Secrets.ConcealSecret(b.Context(), vaulttest.Caller(2), benchmarkText, secret.Terms{TTL: new(time.Hour)})
				if err == nil {
					_, err = k.Vault.Secrets.RevealSecret(b.Context(), vaulttest.Caller(2), kept.Secret.Key.Expose(), secret.Opening{})
				}
				if err != nil {
					b.Errorf("conceal and reveal: got %v, want nil", err)
					return
				}
				c.times[i] = append(c.times[i], time.Since(began))
				select {
				case <-c.done:
					return
				default:
				}
			}
		})
	}
	return c
}

// stop returns the callers' p99.
func (c *callers) stop() time.Duration {
	close(c.done)
	c.all.Wait()
	all := slices.Sorted(slices.Values(slices.Concat(c.times...)))
	if len(all) == 0 {
		return 0
	}
	return all[len(all)*99/100]
}
