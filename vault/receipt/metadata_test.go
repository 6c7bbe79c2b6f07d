package receipt_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hush/seal"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// step is one thing that is done to a secret, and what its receipt says after.
type step struct {
	name  string
	after time.Duration // since the step before
	do    func(t *testing.T, k *vaulttest.Kit, concealed secret.Concealed)
	want  func(m *receipt.Metadata, now time.Time) // changes what the receipt said
}

// tokens compares tokens as such, not by what lies inside. The timeline has
// tests of its own.
func tokens() cmp.Option {
	return cmp.Options{cmpopts.EquateComparable(seal.Token{}), cmpopts.IgnoreFields(receipt.Metadata{}, "Events")}
}

// looked is a look at the receipt after the first, which shows viewed.
func looked(first time.Time) func(*receipt.Metadata, time.Time) {
	return func(m *receipt.Metadata, _ time.Time) {
		m.State = receipt.StateViewed
		m.Viewed = first
		m.Updated = first
	}
}

// Every path of a receipt, with each of its fields at each step.
func TestMetadataPaths(t *testing.T) {
	t.Parallel()
	const life = 30 * time.Minute
	start := vaulttest.StartTime()
	look := func(*testing.T, *vaulttest.Kit, secret.Concealed) {}
	same := func(*receipt.Metadata, time.Time) {}
	end := func(state receipt.State) func(*receipt.Metadata, time.Time) {
		return func(m *receipt.Metadata, now time.Time) {
			m.State = state
			m.Ended = now
			m.Updated = now
			m.Secret = nil
			m.SecretTTLLeft = 0
		}
	}
	expired := func(m *receipt.Metadata, _ time.Time) { end(receipt.StateExpired)(m, start.Add(life)) }
	reveal := func(t *testing.T, k *vaulttest.Kit, concealed secret.Concealed) {
		t.Helper()
		k.MustReveal(t, caller.Caller{}, concealed.Secret.Key, "")
	}
	burn := func(t *testing.T, k *vaulttest.Kit, concealed secret.Concealed) {
		t.Helper()
		k.MustBurn(t, caller.Caller{}, concealed.Metadata.Key, "")
	}
	sweep := func(t *testing.T, k *vaulttest.Kit, _ secret.Concealed) { t.Helper(); k.MustSweep(t) }
	memo := func(t *testing.T, k *vaulttest.Kit, concealed secret.Concealed) {
		t.Helper()
		got, err := k.Vault.Receipts.UpdateMemo(t.Context(), caller.Caller{}, concealed.Metadata.Key.Expose(), "a note")
		vaulttest.Want(t, "UpdateMemo(key)", err, nil)
		if diff := cmp.Diff(k.MustMetadata(t, caller.Caller{}, concealed.Metadata.Key), got, tokens()); diff != "" {
			t.Errorf("UpdateMemo(key): -GetMetadata(key) +got\n%s", diff)
		}
	}
	noted := func(m *receipt.Metadata, now time.Time) { m.Memo, m.Updated = "a note", now }
	tests := map[string][]step{
		"looked at twice": {
			{"first look", time.Second, look, same},
			{"second look", time.Minute, look, looked(start.Add(time.Second))},
		},
		"received unseen": {{"reveal", time.Second, reveal, end(receipt.StateReceived)}, {"look", time.Second, look, same}},
		"seen and received": {
			{"first look", time.Second, look, same},
			{"second look", time.Second, look, looked(start.Add(time.Second))},
			{"reveal", time.Second, reveal, end(receipt.StateReceived)},
		},
		"burned unseen": {{"burn", time.Second, burn, end(receipt.StateBurned)}, {"look", time.Second, look, same}},
		"seen and burned": {
			{"first look", time.Second, look, same},
			{"second look", time.Second, look, looked(start.Add(time.Second))},
			{"burn", time.Second, burn, end(receipt.StateBurned)},
		},
		"expired unseen, swept late": {
			{"look at the edge", life, look, expired},
			{"look later", time.Second, look, same},
			{"sweep", 10 * time.Second, sweep, same},
			{"look after", time.Second, look, same},
		},
		"seen and expired, swept at once": {
			{"first look", time.Second, look, same},
			{"second look", time.Second, look, looked(start.Add(time.Second))},
			{"sweep", life - 2*time.Second, sweep, expired},
		},
		"noted": {
			{"first look", time.Second, look, same},
			{"second look", time.Second, look, looked(start.Add(time.Second))},
			{"memo", time.Second, memo, noted},
			{"reveal", time.Second, reveal, end(receipt.StateReceived)},
			{"memo after", time.Second, memo, noted},
		},
		"noted after the end": {
			{"look at the edge", life, look, expired},
			{"memo", time.Second, memo, noted},
			{"sweep", time.Second, sweep, same},
		},
	}
	for name, steps := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := vaulttest.New(t, vaulttest.Options{Manual: true})
			concealed := k.MustConceal(t, caller.Caller{}, "the text", secret.Terms{TTL: new(life)})
			m := concealed.Metadata
			for _, s := range steps {
				k.Clock.Advance(s.after)
				m.TTLLeft -= s.after
				if m.Secret != nil {
					m.SecretTTLLeft -= s.after
				}
				s.do(t, k, concealed)
				s.want(&m, k.Clock.Now())
				if diff := cmp.Diff(m, k.MustMetadata(t, caller.Caller{}, concealed.Metadata.Key), tokens()); diff != "" {
					t.Fatalf("GetMetadata(key) after %s: -want +got\n%s", s.name, diff)
				}
			}
		})
	}
}

func TestConcealedMetadata(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	now := vaulttest.StartTime()
	concealed := k.MustConceal(t, k.MustStoredAccount(t, caller.Caller{}, "ada"), "x", secret.Terms{TTL: new(time.Hour), Passphrase: "p"})
	wanted := secret.Concealed{
		Metadata: receipt.Metadata{
			Key: concealed.Metadata.Key, Secret: &concealed.Secret.Key, Hint: concealed.Secret.Key.Short(6),
			State: receipt.StateNew, Encryption: receipt.EncryptionServer, HasPassphrase: true, Created: now, Updated: now,
			Forgotten: now.Add(2 * time.Hour), Expires: now.Add(time.Hour),
			TTL: time.Hour, SecretTTLLeft: time.Hour, TTLLeft: 2 * time.Hour, Account: "ada",
		},
		Secret: secret.Secret{
			Key: concealed.Secret.Key, State: receipt.StateNew, Encryption: receipt.EncryptionServer, HasPassphrase: true,
			Created: now, Expires: now.Add(time.Hour), TTL: time.Hour, TTLLeft: time.Hour, Owned: true,
		},
	}
	if diff := cmp.Diff(wanted, concealed, tokens()); diff != "" {
		t.Errorf("ConcealSecret(): -want +got\n%s", diff)
	}
}

// An account's receipt shows the link to credentials of that account that may reveal, and
// to no other. A receipt without an account shows it to each holder.
func TestReceiptShowsItsKey(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	ada, bob := k.MustStoredAccount(t, caller.Caller{}, "ada"), k.MustStoredAccount(t, caller.Caller{}, "bob")
	token := caller.Verified{ID: ada.AccountID(), Address: "ada", Scopes: caller.ScopesAll &^ caller.ScopeReveal}
	narrow := caller.WithCredential(vaulttest.Caller(3), &token)
	owned := k.MustConceal(t, ada, "x", secret.Terms{}).Metadata.Key.Expose()
	anonymous := k.MustConceal(t, vaulttest.Caller(1), "x", secret.Terms{}).Metadata.Key.Expose()
	for _, c := range []struct {
		name  string
		by    caller.Caller
		key   string
		shown bool
	}{
		{"the account", ada, owned, true},
		{"a token without reveal", narrow, owned, false},
		{"another account", bob, owned, false},
		{"no account", vaulttest.Caller(2), owned, false},
		{"another holder of one without an account", bob, anonymous, true},
		{"a token without reveal, of one without an account", narrow, anonymous, true},
	} {
		got, err := k.Vault.Receipts.GetMetadata(t.Context(), c.by, c.key)
		if err != nil || (got.Secret != nil) != c.shown {
			t.Errorf("GetMetadata(%s): got the key %t, %v, want %t", c.name, got.Secret != nil, err, c.shown)
		}
	}
}

// Of any number of first looks one says new.
func TestFirstLookIsOne(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	concealed := k.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
	var fresh atomic.Int32
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			m, err := k.Vault.Receipts.GetMetadata(t.Context(), caller.Caller{}, concealed.Metadata.Key.Expose())
			if err == nil && m.State == receipt.StateNew {
				fresh.Add(1)
			}
		})
	}
	all.Wait()
	vaulttest.Want(t, "looks that say new", fresh.Load(), 1)
	vaulttest.Want(t, "audit rows", len(vaulttest.RowsIn(t, k.Store, audit.BucketAudit)), 2)
}

func TestMemo(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	concealed := k.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
	for _, memo := range []caller.Text{"first", "second\x00 ✓", ""} {
		k.Clock.Advance(time.Second)
		got, err := k.Vault.Receipts.UpdateMemo(t.Context(), caller.Caller{}, concealed.Metadata.Key.Expose(), memo)
		vaulttest.Want(t, "UpdateMemo(key)", err, nil)
		vaulttest.Want(t, "UpdateMemo(key).Memo", string(got.Memo), string(memo))
		vaulttest.Want(t, "UpdateMemo(key).State", got.State, receipt.StateNew)
		vaulttest.Want(t, "UpdateMemo(key).Updated", got.Updated, k.Clock.Now())
		k.Reopen(t)
	}
	vaulttest.WantState(t, k, concealed.Metadata.Key, receipt.StateNew)
}

func TestListMetadataNeedsAccount(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	_, err := k.Vault.Receipts.ListMetadata(t.Context(), vaulttest.Caller(1), receipt.ListQuery{})
	vaulttest.WantErr(t, "ListMetadata(anonymous)", err, refusal.ErrUnauthenticated)
}
