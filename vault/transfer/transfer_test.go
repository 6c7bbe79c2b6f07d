package transfer_test

import (
	"errors"
	"slices"
	"testing"

	"hush/vault/audit"
	"hush/vault/cluster"
	"hush/vault/counter"
	"hush/vault/file"
	"hush/vault/rows"
	"hush/vault/tables"
	"hush/vault/transfer"
	"hush/vault/vaulttest"
)

// move copies from one site to another, and returns the report.
func (c *content) move(t *testing.T, from, to site) transfer.Report {
	t.Helper()
	source, closeSource := from.open(t)
	defer closeSource()
	target, closeTarget := to.open(t)
	defer closeTarget()
	report, err := transfer.Copy(t.Context(), options(source, target, c.root, c.clock))
	vaulttest.Want(t, "Copy()", err, nil)
	return report
}

// A service moves from a folder to a store that does not overwrite, and from
// there to another folder. Everything works there as it would have before, and
// the stores that it left serve no one.
func TestServiceMovesThereAndBack(t *testing.T) {
	t.Parallel()
	c := newContent(t)
	first, last := folderSite(t, c.root), folderSite(t, c.root)
	middle := keepingSite(t, c.root)
	k := first.serve(t, c.clock, c.options(t))
	c.fill(t, k)
	for _, bucket := range tables.Names() {
		own := slices.Contains([]string{"node", "shred", "epoch", "budget", "usage", "pending", file.BucketUpload}, bucket)
		if n := len(vaulttest.RowsIn(t, k.Store, bucket)); n == 0 && !own {
			t.Errorf("bucket %q: got no row to copy, want some", bucket)
		}
	}
	trail, counts := auditOf(t, k), countsOf(t, k)
	k.Close(t)

	report := c.move(t, first, middle)
	vaulttest.Want(t, "damaged rows", report.Damaged, 0)
	if slices.ContainsFunc(report.Buckets, func(b transfer.BucketReport) bool { return b.Name == file.BucketPart || b.Name == file.BucketRemoval }) {
		t.Errorf("Copy(): got buckets %+v, want none of blobs, which stay", report.Buckets)
	}
	vaulttest.Want(t, "shares", report.Shares, 9) // four secrets and an answer, a claim on each, and two mails
	wantNotServed(t, c, first)
	k = middle.serve(t, c.clock, c.options(t))
	wantSame(t, "audit trail", auditOf(t, k), trail)
	vaulttest.Want(t, "counters", countsOf(t, k), counts)
	vaulttest.Want(t, "epoch keys", len(vaulttest.RowsIn(t, k.Store, "epoch")) > 0, true)
	k.Close(t)

	c.move(t, middle, last)
	k = last.serve(t, c.clock, c.options(t))
	defer k.Close(t)
	wantSame(t, "audit trail", auditOf(t, k), trail)
	vaulttest.Want(t, "counters", countsOf(t, k), counts)
	vaulttest.Want(t, "epoch keys", len(vaulttest.RowsIn(t, k.Store, "epoch")), 0)
	c.wantWorks(t, k)
}

func auditOf(t *testing.T, k *vaulttest.Kit) (trail []audit.Row) {
	t.Helper()
	var lost rows.Damage
	view(t, k, func(tx tx) error {
		trail = nil
		return audit.Range(tx, &lost, func(row audit.Row) error {
			trail = append(trail, row)
			return nil
		})
	})
	return trail
}

func countsOf(t *testing.T, k *vaulttest.Kit) (counts counter.Counts) {
	t.Helper()
	view(t, k, func(tx tx) (err error) {
		counts, err = counter.Get(tx)
		return err
	})
	return counts
}

func wantSame[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// wantNotServed fails the test unless a vault refuses to open at a site.
func wantNotServed(t *testing.T, c *content, s site) {
	t.Helper()
	if err := c.serveErr(t, s); !errors.Is(err, cluster.ErrCopied) {
		t.Errorf("vault.Open(%s): got %v, want %v", "site", err, cluster.ErrCopied)
	}
}
