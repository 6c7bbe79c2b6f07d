package quota_test

import (
	"context"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/storage"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/quota"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/sweep"
	"hush/vault/vaulttest"
)

// The attack: conceal one byte, write the longest memo to its receipt, burn the
// secret, and do so again. The receipts stay for twice the lifetime, so they
// must count: for the network, for the /48 around it, and for an account.
func TestQuotaCountsWhatOutlivesSecrets(t *testing.T) {
	t.Parallel()
	memo := caller.Text(strings.Repeat("\U0001F512", 500))
	for name, c := range map[string]caller.Caller{
		"network": vaulttest.Caller(1),
		"/48":     {Network: caller.NetworkOf(netip.MustParseAddr("2001:db8:1:1::1"))},
		"account": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const limit = 64 << 10
			k := vaulttest.New(t, vaulttest.Options{Manual: true, Limits: caller.Limits{NetworkBytes: limit, AccountBytes: limit}})
			if name == "account" {
				c = k.MustStoredAccount(t, c, "a")
			}
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
			if diff := cmp.Diff(storedCharges(t.Context(), k.Store), k.Vault.Usage.Charges()); diff != "" {
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
func churnReceipts(t *testing.T, k *vaulttest.Kit, c caller.Caller, memo caller.Text) int {
	t.Helper()
	for rounds := range 200 {
		kept, err := k.Vault.Secrets.ConcealSecret(t.Context(), c, "x", secret.Terms{})
		if err == nil {
			_, err = k.Vault.Receipts.UpdateMemo(t.Context(), c, kept.Metadata.Key.Expose(), memo)
			k.MustBurn(t, c, kept.Metadata.Key, "")
		}
		if err != nil {
			vaulttest.WantErr(t, "round beyond the quota", err, refusal.ErrQuota)
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
	kept := k.MustConceal(t, c, "x", secret.Terms{})
	total := func() int64 { return k.Vault.Usage.Charges().Total }
	set := func(memo caller.Text) {
		_, err := k.Vault.Receipts.UpdateMemo(t.Context(), c, kept.Metadata.Key.Expose(), memo)
		vaulttest.Want(t, "UpdateMemo(memo)", err, nil)
	}
	empty := total()
	vaulttest.Want(t, "bytes charged without a memo", empty, unit+quota.ReceiptBytes)
	set(caller.Text(strings.Repeat("m", 500)))
	long := total()
	if long < empty+500 {
		t.Errorf("bytes charged with a memo: got %d, want at least %d", long, empty+500)
	}
	set("short")
	if got := total(); got >= long || got <= empty {
		t.Errorf("bytes charged with a shorter memo: got %d, want between %d and %d", got, empty, long)
	}
	k.Reopen(t)
	set(caller.Text(strings.Repeat("m", 500))) // before the pass
	k.MustReclaim(t)
	vaulttest.Want(t, "bytes charged after the pass", total(), long)
	set("")
	vaulttest.Want(t, "bytes charged without a memo again", total(), empty)
}

// A memo that finds no room changes nothing; a shorter one never needs any.
func TestQuotaRefusesMemo(t *testing.T) {
	t.Parallel()
	const spare = 100
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Limits: caller.Limits{NetworkBytes: unit + quota.ReceiptBytes + spare}})
	c := vaulttest.Caller(1)
	kept := k.MustConceal(t, c, "x", secret.Terms{})
	k.MustReclaim(t)
	set := func(memo caller.Text, wanted error) {
		t.Helper()
		_, err := k.Vault.Receipts.UpdateMemo(t.Context(), vaulttest.Caller(2), kept.Metadata.Key.Expose(), memo)
		vaulttest.WantErr(t, "UpdateMemo(memo)", err, wanted)
	}
	set("a note", nil)
	before := k.Vault.Usage.Charges()
	set(caller.Text(strings.Repeat("m", spare)), refusal.ErrQuota)
	vaulttest.Want(t, "Memo after ErrQuota", string(k.MustMetadata(t, c, kept.Metadata.Key).Memo), "a note")
	if diff := cmp.Diff(before, k.Vault.Usage.Charges()); diff != "" {
		t.Errorf("usage after ErrQuota: -want +got\n%s", diff)
	}
	set("note", nil)
	set("", nil)
	vaulttest.Want(t, "bytes charged without a memo", k.Vault.Usage.Charges().Total, unit+quota.ReceiptBytes)
}

// A receipt that is forgotten before the pass after a start has come to it gives
// back no more than it counted for.
func TestQuotaOfReceiptForgottenBeforePass(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	k.MustConceal(t, c, "goes", secret.Terms{TTL: new(time.Minute)})
	k.MustConceal(t, c, "stays", secret.Terms{})
	k.Clock.Advance(time.Minute)
	k.MustSweep(t)
	k.Reopen(t)
	k.Clock.Advance(time.Minute)
	k.MustSweep(t)
	k.MustReclaim(t)
	vaulttest.Want(t, "bytes charged", k.Vault.Usage.Charges().Total, unit+quota.ReceiptBytes)
}

// What a burned secret leaves behind, keys included, is no more than its receipt
// counts for: with an account and without, and for each recipient.
func TestReceiptBytes(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Send: func(context.Context, outbox.Mail) error { return nil }})
	for name, c := range map[string]caller.Caller{
		"network": {Network: caller.NetworkOf(netip.MustParseAddr("2001:db8:1:1::1"))},
		"account": k.MustAccount(t, "ada@example.com"),
	} {
		for _, recipients := range [][]string{nil, {"bob@mail.example.com", "eve@mail.example.com", "mallory@mail.example.com"}} {
			if c.Anonymous() && recipients != nil {
				continue
			}
			burn := func() {
				k.MustBurn(t, c, k.MustConceal(t, c, "x", secret.Terms{Recipients: recipients}).Metadata.Key, "")
			}
			burn()
			before, charged := storedBytes(t, k), k.Vault.Usage.Charges().Total
			const n = 50
			for range n {
				burn()
			}
			k.MustSweep(t)
			vaulttest.MustPost(t, k) // drops the mails of what was burned
			stored, charged := (storedBytes(t, k)-before)/n, (k.Vault.Usage.Charges().Total-charged)/n
			t.Logf("%s, %d recipients: a burned secret leaves %d bytes and counts for %d", name, len(recipients), stored, charged)
			if stored > charged {
				t.Errorf("bytes that a burned secret with %d recipients leaves, %s: got %d, want at most %d", len(recipients), name, stored, charged)
			}
		}
	}
}

// storedBytes is what the rows of receipts and all that goes with them take.
func storedBytes(t *testing.T, k *vaulttest.Kit) (size int64) {
	t.Helper()
	err := k.Store.View(t.Context(), func(tx storage.Tx) error {
		size = 0
		for _, bucket := range []string{
			receipt.BucketMetadata, receipt.BucketExpiry, audit.BucketAudit,
			receipt.BucketEntry, outbox.BucketDelivery, sweep.BucketDue,
		} {
			err := tx.Range(bucket, nil, nil, func(key, value []byte) error {
				size += int64(len(key) + len(value))
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	vaulttest.Want(t, "View(rows)", err, nil)
	return size
}
