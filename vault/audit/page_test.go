package audit_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/storage"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// exported returns the rows on all pages, and how many cannot be read. between
// runs after the first page.
func exported(t *testing.T, k *vaulttest.Kit, filter audit.Filter, between func()) (all []audit.Row, unreadable int) {
	t.Helper()
	trail, token := k.Vault.Operator().Audit, ""
	for {
		page, err := trail.Page(t.Context(), filter, token)
		if err != nil {
			t.Fatalf("Page(%q): got %v, want nil", token, err)
		}
		all, unreadable = append(all, page.Rows...), unreadable+page.Unreadable
		if token = page.Next; token == "" {
			return all, unreadable
		}
		if between != nil {
			between()
			between = nil
		}
	}
}

// merged returns the rows in the order of Range.
func merged(t *testing.T, k *vaulttest.Kit) (all []audit.Row) {
	t.Helper()
	err := k.Store.View(t.Context(), func(tx storage.Tx) error {
		return audit.Range(tx, &rows.Damage{}, func(r audit.Row) error { all = append(all, r); return nil })
	})
	vaulttest.Want(t, "RangeAudit()", err, nil)
	return all
}

// The pages of an export have the rows of all nodes by time, each once, and none
// that was stored after the first page.
func TestAuditPages(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	a, b := c.Node(t, "a", vaulttest.Options{Manual: true}), c.Node(t, "b", vaulttest.Options{Manual: true})
	for i := range 1400 {
		k := a
		if i%7 == 0 || i > 1200 {
			k = b
		}
		k.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
		a.Clock.Advance(time.Millisecond)
		b.Clock.Set(a.Clock.Now())
	}
	want := merged(t, a)
	got, unreadable := exported(t, a, audit.Filter{}, func() {
		b.MustConceal(t, caller.Caller{}, "later", secret.Terms{})
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pages: -want +got\n%s", diff)
	}
	vaulttest.Want(t, "rows that cannot be read", unreadable, 0)
	vaulttest.Want(t, "rows of the next export", len(merged(t, a)), len(want)+1)
}

// An export is bounded by time and kind.
func TestAuditFilter(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	start := k.Clock.Now()
	for range 3 {
		kept := k.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
		k.Clock.Advance(time.Minute)
		k.MustReveal(t, caller.Caller{}, kept.Secret.Key, "")
		k.Clock.Advance(time.Minute)
	}
	for name, tt := range map[string]struct {
		filter audit.Filter
		want   int
	}{
		"all":            {audit.Filter{}, 6},
		"since":          {audit.Filter{Since: start.Add(time.Minute)}, 5},
		"until":          {audit.Filter{Until: start.Add(time.Minute)}, 1},
		"both":           {audit.Filter{Since: start.Add(time.Minute), Until: start.Add(3 * time.Minute)}, 2},
		"kind":           {audit.Filter{Kinds: []audit.Type{audit.Reveal}}, 3},
		"kind and since": {audit.Filter{Kinds: []audit.Type{audit.Reveal}, Since: start.Add(2 * time.Minute)}, 2},
		"other kind":     {audit.Filter{Kinds: []audit.Type{audit.Role}}, 0},
	} {
		got, _ := exported(t, k, tt.filter, nil)
		vaulttest.Want(t, "rows with a filter: "+name, len(got), tt.want)
	}
}

// Rows that cannot be read are counted once, whatever page they are on, and keep no
// other from being exported.
func TestAuditPagesPassDamage(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	vaulttest.MustConcealAll(t, k, make([]storage.Slot, 1100))
	for _, n := range []uint64{1, 300, 512, 513, 1100} {
		vaulttest.Put(t, k.Store, audit.BucketAudit, vaulttest.Number(n), []byte("damaged"))
	}
	got, unreadable := exported(t, k, audit.Filter{}, nil)
	vaulttest.Want(t, "rows", len(got), 1095)
	vaulttest.Want(t, "rows that cannot be read", unreadable, 5)
}

// A token that no page returned is refused, or is one of some page.
func FuzzAuditPageToken(f *testing.F) {
	k := vaulttest.New(f, vaulttest.Options{Manual: true})
	vaulttest.MustConcealAll(f, k, make([]storage.Slot, 600))
	page, err := k.Vault.Operator().Audit.Page(f.Context(), audit.Filter{}, "")
	if err != nil || page.Next == "" {
		f.Fatalf("Page(): got next %q and %v, want a token", page.Next, err)
	}
	for _, token := range []string{page.Next, "AQ", "x", "!", page.Next[:10]} {
		f.Add(token)
	}
	f.Fuzz(func(t *testing.T, token string) {
		page, err := k.Vault.Operator().Audit.Page(t.Context(), audit.Filter{}, token)
		if err != nil && !errors.Is(err, refusal.ErrInvalid) {
			t.Errorf("Page(%q): got %v, want nil or ErrInvalid", token, err)
		}
		if len(page.Rows) > 600 {
			t.Errorf("Page(%q): got %d rows, want at most 600", token, len(page.Rows))
		}
	})
}
