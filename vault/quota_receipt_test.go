package vault_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/storage"
	"hush/vault"
	"hush/vault/vaulttest"
)

// The attack: conceal one byte, write the longest memo to its receipt, burn the
// secret, and do so again. The receipts stay for twice the lifetime, so they
// must count: for the network, for the /48 around it, and for an account.
func TestQuotaCountsWhatOutlivesSecrets(t *testing.T) {
	t.Parallel()
	memo := vault.Text(strings.Repeat("\U0001F512", 500))
	for name, c := range map[string]vault.Caller{
		"network": vaulttest.Caller(1),
		"/48":     {Network: vault.NetworkOf(netip.MustParseAddr("2001:db8:1:1::1"))},
		"account": {Account: "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const limit = 64 << 10
			k := vaulttest.New(t, vaulttest.Options{Manual: true, Limits: vault.Limits{NetworkBytes: limit, AccountBytes: limit}})
			k.MustReclaim(t)
			rounds := churnReceipts(t, k, c, memo)
			if most := limit / len(memo); rounds > most {
				t.Errorf("rounds until ErrQuota: got %d, want at most %d", rounds, most)
			}
			k.Reopen(t)
			k.MustReclaim(t)
			if rounds := churnReceipts(t, k, c, memo); rounds > 0 {
				t.Errorf("rounds after a restart: got %d, want 0", rounds)
			}
			k.Clock.Advance(15 * 24 * time.Hour)
			for range 3 {
				k.MustSweep(t)
				k.Clock.Advance(time.Minute)
			}
			if diff := cmp.Diff(vault.StoredCharges(t.Context(), k.Store), k.Vault.Charged()); diff != "" {
				t.Errorf("usage beside what is stored: -want +got\n%s", diff)
			}
			if again := churnReceipts(t, k, c, memo); again < rounds {
				t.Errorf("rounds after all was forgotten: got %d, want %d", again, rounds)
			}
		})
	}
}

// churnReceipts runs the attack until it is refused and returns how many rounds
// it got.
func churnReceipts(t *testing.T, k *vaulttest.Kit, c vault.Caller, memo vault.Text) int {
	t.Helper()
	for rounds := range 200 {
		kept, err := k.Vault.ConcealSecret(t.Context(), c, "x", vault.Wish{})
		if err == nil {
			_, err = k.Vault.UpdateMemo(t.Context(), c, kept.Metadata.Key.Expose(), memo)
			k.MustBurn(t, c, kept.Metadata.Key, "")
		}
		if err != nil {
			wantErr(t, "round beyond the quota", err, vault.ErrQuota)
			return rounds
		}
	}
	t.Fatal("200 rounds: got none refused, want ErrQuota")
	return 0
}

// A memo takes room and gives it back, also where the pass after a start has not
// come to its receipt yet.
func TestQuotaOfMemo(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	kept := k.MustConceal(t, c, "x", vault.Wish{})
	total := func() int64 { return k.Vault.Charged().Total }
	set := func(memo vault.Text) {
		_, err := k.Vault.UpdateMemo(t.Context(), c, kept.Metadata.Key.Expose(), memo)
		want(t, "UpdateMemo(memo)", err, nil)
	}
	empty := total()
	want(t, "bytes charged without a memo", empty, unit+vault.ReceiptBytes)
	set(vault.Text(strings.Repeat("m", 500)))
	long := total()
	if long < empty+500 {
		t.Errorf("bytes charged with a memo: got %d, want at least %d", long, empty+500)
	}
	set("short")
	if got := total(); got >= long || got <= empty {
		t.Errorf("bytes charged with a shorter memo: got %d, want between %d and %d", got, empty, long)
	}
	k.Reopen(t)
	set(vault.Text(strings.Repeat("m", 500))) // before the pass
	k.MustReclaim(t)
	want(t, "bytes charged after the pass", total(), long)
	set("")
	want(t, "bytes charged without a memo again", total(), empty)
}

// A receipt that is forgotten before the pass after a start has come to it gives
// back no more than it counted for.
func TestQuotaOfReceiptForgottenBeforePass(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	k.MustConceal(t, c, "goes", vault.Wish{TTL: new(time.Minute)})
	k.MustConceal(t, c, "stays", vault.Wish{})
	k.Clock.Advance(time.Minute)
	k.MustSweep(t)
	k.Reopen(t)
	k.Clock.Advance(time.Minute)
	k.MustSweep(t)
	k.MustReclaim(t)
	want(t, "bytes charged", k.Vault.Charged().Total, unit+vault.ReceiptBytes)
}

// What an anonymous secret leaves behind when it was burned, keys included, is
// no more than its receipt counts for.
func TestReceiptBytes(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vault.Caller{Network: vault.NetworkOf(netip.MustParseAddr("2001:db8:1:1::1"))}
	burn := func() { k.MustBurn(t, c, k.MustConceal(t, c, "x", vault.Wish{}).Metadata.Key, "") }
	burn()
	before := storedBytes(t, k)
	const n = 50
	for range n {
		burn()
	}
	k.MustSweep(t)
	each := (storedBytes(t, k) - before) / n
	t.Logf("stored bytes that a burned secret leaves: %d", each)
	if each > vault.ReceiptBytes {
		t.Errorf("stored bytes that a burned secret leaves: got %d, want at most %d", each, vault.ReceiptBytes)
	}
}

// storedBytes is what the rows of receipts, the index of what expires and the
// audit trail take.
func storedBytes(t *testing.T, k *vaulttest.Kit) (size int) {
	t.Helper()
	err := k.Store.View(t.Context(), func(tx storage.Tx) error {
		size = 0
		for _, bucket := range []string{vault.BucketMetadata, vault.BucketExpiry, vault.BucketAudit} {
			err := tx.Range(bucket, nil, nil, func(key, value []byte) error {
				size += len(key) + len(value)
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	want(t, "View(rows)", err, nil)
	return size
}
