package secret_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/storage"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

func TestConcealGrantsLifetimes(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	anonymous, account := vaulttest.Caller(1), k.MustStoredAccount(t, caller.Caller{}, "ada@example.com")
	tests := []struct {
		name   string
		caller caller.Caller
		ttl    *time.Duration
		want   time.Duration // 0: refused
	}{
		{"absent", anonymous, nil, 7 * day},
		{"zero", anonymous, new(time.Duration(0)), 0},
		{"negative", anonymous, new(time.Duration(-1)), 0},
		{"most negative", anonymous, new(time.Duration(math.MinInt64)), 0},
		{"1 ns", anonymous, new(time.Duration(1)), time.Minute},
		{"1 ms", anonymous, new(time.Millisecond), time.Minute},
		{"1 s", anonymous, new(time.Second), time.Minute},
		{"59 s", anonymous, new(59 * time.Second), time.Minute},
		{"60 s", anonymous, new(time.Minute), time.Minute},
		{"61.9 s", anonymous, new(61*time.Second + 900*time.Millisecond), 61 * time.Second},
		{"just below the ceiling", anonymous, new(7*day - 1), 7*day - time.Second},
		{"ceiling", anonymous, new(7 * day), 7 * day},
		{"above the ceiling", anonymous, new(7*day + time.Second), 7 * day},
		{"huge", anonymous, new(time.Duration(math.MaxInt64)), 7 * day},
		{"absent, account", account, nil, 7 * day},
		{"ceiling, account", account, new(30 * day), 30 * day},
		{"huge, account", account, new(time.Duration(math.MaxInt64)), 30 * day},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := k.Vault.Secrets.ConcealSecret(t.Context(), test.caller, "x", secret.Terms{TTL: test.ttl})
			if test.want == 0 {
				vaulttest.WantInvalid(t, "ConcealSecret(ttl)", err, "ttl")
				return
			}
			if err != nil {
				t.Fatalf("ConcealSecret(ttl): got %v, want nil", err)
			}
			now := k.Clock.Now()
			vaulttest.Want(t, "Secret.TTL", got.Secret.TTL, test.want)
			vaulttest.Want(t, "Secret.TTLLeft", got.Secret.TTLLeft, test.want)
			vaulttest.Want(t, "Secret.Expires", got.Secret.Expires, now.Add(test.want))
			vaulttest.Want(t, "Metadata.TTL", got.Metadata.TTL, test.want)
			vaulttest.Want(t, "Metadata.SecretTTLLeft", got.Metadata.SecretTTLLeft, test.want)
			vaulttest.Want(t, "Metadata.Forgotten", got.Metadata.Forgotten, now.Add(2*test.want))
		})
	}
}

func TestConcealLimitsSizes(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Limits: caller.Limits{AnonymousSecret: 1000, AccountSecret: 2000}})
	tests := []struct {
		name   string
		caller caller.Caller
		size   int
		limit  int64 // 0: accepted
	}{
		{"one byte", vaulttest.Caller(1), 1, 0},
		{"at the limit", vaulttest.Caller(1), 1000, 0},
		{"over the limit", vaulttest.Caller(1), 1001, 1000},
		{"far over the limit", vaulttest.Caller(1), 1 << 20, 1000},
		{"account at its limit", k.MustStoredAccount(t, caller.Caller{}, "a"), 2000, 0},
		{"account over its limit", k.MustStoredAccount(t, caller.Caller{}, "a"), 2001, 2000},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text := caller.Text(strings.Repeat("x", test.size))
			got, err := k.Vault.Secrets.ConcealSecret(t.Context(), test.caller, text, secret.Terms{})
			if test.limit == 0 {
				if err != nil {
					t.Fatalf("ConcealSecret(%d bytes): got %v, want nil", test.size, err)
				}
				vaulttest.Want(t, "RevealSecret(key)", k.MustReveal(t, test.caller, got.Secret.Key, ""), string(text))
				return
			}
			vaulttest.WantErr(t, "ConcealSecret(too long)", err, refusal.ErrTooLarge)
			diff := cmp.Diff(&refusal.TooLargeError{Field: "secret", Limit: test.limit}, err)
			if diff != "" {
				t.Errorf("ConcealSecret(too long): -want +got\n%s", diff)
			}
		})
	}
}

func TestConcealDefaultSizes(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	anonymous, account := vaulttest.Caller(1), k.MustStoredAccount(t, caller.Caller{}, "a")
	for c, limit := range map[caller.Caller]int{anonymous: 100 << 10, account: 1 << 20} {
		text := caller.Text(strings.Repeat("x", limit))
		key := k.MustConceal(t, c, text, secret.Terms{}).Secret.Key
		if k.MustReveal(t, c, key, "") != string(text) {
			t.Errorf("RevealSecret(key of %d bytes): got another text, want the same", limit)
		}
		_, err := k.Vault.Secrets.ConcealSecret(t.Context(), c, text+"x", secret.Terms{})
		vaulttest.WantErr(t, "ConcealSecret(over the default limit)", err, refusal.ErrTooLarge)
	}
}

func TestConcealRefusals(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	_, err := k.Vault.Secrets.ConcealSecret(t.Context(), vaulttest.Caller(1), "", secret.Terms{})
	vaulttest.WantInvalid(t, `ConcealSecret("")`, err, "secret")
	_, err = k.Vault.Secrets.ConcealSecret(t.Context(), vaulttest.Caller(1), "x", secret.Terms{Recipients: []string{"ada@example.com"}})
	vaulttest.WantErr(t, "ConcealSecret(anonymous, recipients)", err, refusal.ErrAccountRequired)
	vaulttest.Want(t, "secrets kept", len(vaulttest.RowsIn(t, k.Store, secret.BucketSecret)), 0)
	vaulttest.Want(t, "audit rows", len(vaulttest.RowsIn(t, k.Store, audit.BucketAudit)), 0)
	vaulttest.Want(t, "KeptBytes()", k.MustLiveBytes(t), 0)
}

func TestConcealWithoutRoom(t *testing.T) {
	t.Parallel()
	room := true
	k := vaulttest.New(t, vaulttest.Options{Manual: true, HasDiskSpace: func() bool { return room }})
	kept := k.MustConceal(t, caller.Caller{}, "before", secret.Terms{})
	room = false
	_, err := k.Vault.Secrets.ConcealSecret(t.Context(), caller.Caller{}, "x", secret.Terms{})
	vaulttest.WantErr(t, "ConcealSecret(no room)", err, refusal.ErrDiskFull)
	vaulttest.Want(t, "RevealSecret(no room)", k.MustReveal(t, caller.Caller{}, kept.Secret.Key, ""), "before")
}

// A store that fails keeps neither the record nor the share nor the bytes on
// the account of their sender.
func TestConcealFailureKeepsNothing(t *testing.T) {
	t.Parallel()
	var faulty vaulttest.FaultyStore
	k := vaulttest.New(t, vaulttest.Options{Manual: true, WrapStore: func(s storage.Store) storage.Store {
		faulty.Store = s
		return &faulty
	}})
	failure := storage.ErrFull
	faulty.Before.Store(&failure)
	_, err := k.Vault.Secrets.ConcealSecret(t.Context(), caller.Caller{}, "x", secret.Terms{})
	vaulttest.WantErr(t, "ConcealSecret(full disk)", err, refusal.ErrDiskFull)
	faulty.Before.Store(nil)
	vaulttest.Want(t, "secrets kept", len(vaulttest.RowsIn(t, k.Store, secret.BucketSecret)), 0)
	vaulttest.Want(t, "receipts kept", len(vaulttest.RowsIn(t, k.Store, receipt.BucketMetadata)), 0)
	vaulttest.Want(t, "audit rows", len(vaulttest.RowsIn(t, k.Store, audit.BucketAudit)), 0)
	vaulttest.Want(t, "KeptBytes()", k.MustLiveBytes(t), 0)
	k.MustConceal(t, caller.Caller{}, "again", secret.Terms{})
}

// The slot of a share whose record was not kept is the next one to be used.
func TestConcealFailureFreesTheSlot(t *testing.T) {
	t.Parallel()
	var faulty vaulttest.FaultyStore
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Folder: true, WrapStore: func(s storage.Store) storage.Store {
		faulty.Store = s
		return &faulty
	}})
	failure := storage.ErrFull
	faulty.Before.Store(&failure)
	_, err := k.Vault.Secrets.ConcealSecret(t.Context(), caller.Caller{}, "x", secret.Terms{})
	vaulttest.WantErr(t, "ConcealSecret(full disk)", err, refusal.ErrUnavailable)
	faulty.Before.Store(nil)
	key := k.MustConceal(t, caller.Caller{}, "again", secret.Terms{}).Secret.Key
	vaulttest.Want(t, "slot of the next secret", vaulttest.SlotOf(t, k, key), storage.Slot{Number: 1, Generation: 2})
}

func TestConcealPreservesText(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	for name, text := range map[string]string{
		"white space":   " \t\r\n two lines \n\n",
		"one space":     " ",
		"zero bytes":    "a\x00b\x00",
		"only zero":     "\x00",
		"not UTF-8":     "\xff\xfe\xc3\x28",
		"decomposed":    "e\u0301 is not \u00e9",
		"direction":     "\u202eabc\u2066",
		"marked":        "\ufefftext",
		"emoji":         "👩‍👩‍👧‍👦",
		"markup":        "<script>&amp;</script>",
		"255 bytes":     strings.Repeat("a", 255),
		"252 bytes":     strings.Repeat("a", 252),
		"253 bytes":     strings.Repeat("a", 253),
		"zeros at end":  "a" + strings.Repeat("\x00", 600),
		"format string": "%s%d%!v(MISSING)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			key := k.MustConceal(t, caller.Caller{}, caller.Text(text), secret.Terms{}).Secret.Key
			vaulttest.Want(t, "RevealSecret(key)", k.MustReveal(t, caller.Caller{}, key, ""), text)
		})
	}
}
