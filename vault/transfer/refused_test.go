package transfer_test

import (
	"errors"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/cluster"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/transfer"
	"hush/vault/vaulttest"
)

// copyErr copies with changed options, and returns the report and the error.
func (c *content) copyErr(t *testing.T, from, to site, change func(*transfer.Options)) (transfer.Report, error) {
	t.Helper()
	source, closeSource := from.open(t)
	defer closeSource()
	target, closeTarget := to.open(t)
	defer closeTarget()
	opts := options(source, target, c.root, c.clock)
	if change != nil {
		change(&opts)
	}
	return transfer.Copy(t.Context(), opts)
}

// small fills a folder with a secret.
func (c *content) small(t *testing.T) site {
	t.Helper()
	from := folderSite(t, c.root)
	k := from.serve(t, c.clock, vaulttest.Options{})
	c.plain = k.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, secret.Terms{})
	k.Close(t)
	return from
}

// The contents of files lie in the folder alone. A source with some is refused before anything
// is changed, and served as before; once they have ended, it is moved.
func TestFilesAreRefused(t *testing.T) {
	t.Parallel()
	c := newContent(t)
	from, to := c.small(t), keepingSite(t, c.root)
	k := from.serve(t, c.clock, vaulttest.Options{})
	arriving, waiting, fetched := k.BeginFile(t, caller.Caller{}, 400), k.BeginFile(t, caller.Caller{}, 400).Send(t), k.BeginFile(t, caller.Caller{}, 400).Send(t)
	claimed := fetched.MustOpen(t)
	k.Close(t)
	_, err := c.copyErr(t, from, to, nil)
	vaulttest.WantErr(t, "Copy(with files)", err, transfer.ErrFiles)
	_, err = c.copyErr(t, from, to, func(o *transfer.Options) { o.CheckOnly, o.SkipDamaged = true, true })
	vaulttest.WantErr(t, "Copy(with files, check)", err, transfer.ErrFiles)

	k = from.serve(t, c.clock, vaulttest.Options{})
	opened := waiting.In(k).MustOpen(t)
	waiting.In(k).WantContent(t, opened)
	k.MustBurn(t, caller.Caller{}, arriving.Receipt, "")
	k.MustAcknowledge(t, fetched.Key, claimed)
	k.Close(t)
	_, err = c.copyErr(t, from, to, nil)
	vaulttest.WantErr(t, "Copy(while a file is fetched)", err, transfer.ErrFiles)

	k = from.serve(t, c.clock, vaulttest.Options{})
	k.MustAcknowledge(t, waiting.Key, opened)
	k.Close(t)
	_, err = c.copyErr(t, from, to, nil)
	vaulttest.WantErr(t, "Copy(after all files ended)", err, nil)
}

// What must not be copied is refused, and the source is served as before.
func TestCopyIsRefused(t *testing.T) {
	t.Parallel()
	c := newContent(t)
	from := c.small(t)
	for name, test := range map[string]struct {
		to     site
		change func(*transfer.Options)
		want   error
	}{
		"another root key":        {keepingSite(t, c.root), func(o *transfer.Options) { o.Keys = seal.NewKeys(seal.NewRootKey()) }, seal.ErrWrongRootKey},
		"a target that is in use": {c.small(t), nil, transfer.ErrNotEmpty},
		"no room":                 {keepingSite(t, c.root), func(o *transfer.Options) { o.Room = func(_, _ int64) error { return storage.ErrFull } }, storage.ErrFull},
		"only a check":            {keepingSite(t, c.root), func(o *transfer.Options) { o.CheckOnly = true }, nil},
		"only a check, of a target that does not exist": {keepingSite(t, c.root), func(o *transfer.Options) {
			o.CheckOnly, o.To = true, transfer.Store{Name: "new"}
		}, nil},
	} {
		_, err := c.copyErr(t, from, test.to, test.change)
		if !errors.Is(err, test.want) {
			t.Errorf("Copy(%s): got %v, want %v", name, err, test.want)
		}
		vaulttest.WantErr(t, "vault.Open(source) after "+name, c.serveErr(t, from), nil)
	}
}

// A node that serves a database keeps it from being copied.
func TestServedSourceIsRefused(t *testing.T) {
	t.Parallel()
	c := newContent(t)
	middle := keepingSite(t, c.root)
	c.move(t, c.small(t), middle)
	k := middle.serve(t, c.clock, vaulttest.Options{})
	_, err := c.copyErr(t, middle, folderSite(t, c.root), nil)
	vaulttest.WantErr(t, "Copy(served source)", err, transfer.ErrServed)
	k.Close(t)
	c.move(t, middle, folderSite(t, c.root))
	_, err = c.copyErr(t, middle, folderSite(t, c.root), nil)
	vaulttest.WantErr(t, "Copy(moved source)", err, transfer.ErrMoved)
}

// The attack: a large source is read for a while, and meanwhile a node begins to
// serve the target. What it keeps there must not be lost.
func TestTargetServedMeanwhile(t *testing.T) {
	t.Parallel()
	c := newContent(t)
	from, to := c.small(t), keepingSite(t, c.root)
	var kept secret.Concealed
	for name, want := range map[string]error{"serving": transfer.ErrServed, "stopped": transfer.ErrNotEmpty} {
		_, err := c.copyErr(t, from, to, func(o *transfer.Options) {
			o.Room = func(_, _ int64) error {
				target, closed := to.open(t)
				vaulttest.Want(t, "InitShared()", vault.InitShared(t.Context(), target.Store, seal.NewKeys(c.root), c.clock.Now()), nil)
				closed()
				k := to.serve(t, c.clock, vaulttest.Options{})
				kept = k.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, secret.Terms{})
				if name == "stopped" {
					k.Close(t)
				}
				return nil
			}
		})
		vaulttest.WantErr(t, "Copy(to what a node is "+name+")", err, want)
		vaulttest.WantErr(t, "vault.Open(source)", c.serveErr(t, from), nil)
		k := to.serve(t, c.clock, vaulttest.Options{})
		vaulttest.Want(t, "RevealSecret(kept meanwhile)", k.MustReveal(t, caller.Caller{}, kept.Secret.Key, ""), vaulttest.Plaintext)
		k.Close(t)
		to = keepingSite(t, c.root)
	}
}

// The attack: a node is paused for a minute, so that it counts as stopped, and
// goes on when its store was moved. What it kept then would be lost.
func TestPausedNodeOfAMovedStore(t *testing.T) {
	t.Parallel()
	c := newContent(t)
	from := keepingSite(t, c.root)
	c.move(t, c.small(t), from)
	paused := from.serve(t, c.clock, vaulttest.Options{})
	c.clock.Advance(time.Minute)
	c.move(t, from, folderSite(t, c.root))
	paused.Clock.Advance(time.Minute)
	conceal := func(when string) {
		t.Helper()
		_, err := paused.Vault.Secrets.ConcealSecret(t.Context(), caller.Caller{}, caller.Text(vaulttest.Plaintext), secret.Terms{})
		vaulttest.WantErr(t, "ConcealSecret("+when+")", err, refusal.ErrUnavailable)
	}
	conceal("before its heartbeat")
	vaulttest.WantErr(t, "Beat()", paused.Vault.Beat(t.Context()), cluster.ErrCopied)
	conceal("after its heartbeat")
}

// An interrupted copy that is given up leaves the source as it was, and no way
// to go on with the target.
func TestAbandonedCopy(t *testing.T) {
	t.Parallel()
	c := newContent(t)
	from, to := c.small(t), keepingSite(t, c.root)
	vaulttest.WantErr(t, "Copy(killed)", c.attempt(t, from, to, 5, true), errKilled)
	wantNotServed(t, c, from)
	source, closed := from.open(t)
	vaulttest.WantErr(t, "Abandon()", transfer.Abandon(t.Context(), options(source, transfer.Store{}, c.root, c.clock)), nil)
	closed()
	vaulttest.WantErr(t, "vault.Open(source)", c.serveErr(t, from), nil)
	_, err := c.copyErr(t, from, to, nil)
	vaulttest.WantErr(t, "Copy(to the abandoned target)", err, transfer.ErrNotEmpty)
	wantNotServed(t, c, to)
	c.move(t, from, folderSite(t, c.root))
}

// A program that does not know of copies has served the source meanwhile. What
// was copied before may have been opened since, so the copy does not go on.
func TestChangedSourceIsRefused(t *testing.T) {
	t.Parallel()
	c := newContent(t)
	from, to := c.small(t), keepingSite(t, c.root)
	vaulttest.WantErr(t, "Copy(killed)", c.attempt(t, from, to, 5, true), errKilled)
	source, closed := from.open(t)
	err := source.Store.Update(t.Context(), func(tx storage.Tx) error { return cluster.PutMark(tx, c.clock.Now().Add(time.Second)) })
	vaulttest.Want(t, "Update(mark)", err, nil)
	closed()
	_, err = c.copyErr(t, from, to, nil)
	vaulttest.WantErr(t, "Copy(changed source)", err, transfer.ErrChanged)
}

// Rows that cannot be read are named and stop the copy, unless the operator
// leaves them behind.
func TestDamagedRows(t *testing.T) {
	t.Parallel()
	c := newContent(t)
	from := c.small(t)
	opened, closed := from.open(t)
	vaulttest.Put(t, opened.Store, account.BucketAccount, []byte("no account"), []byte{1})
	closed()
	report, err := c.copyErr(t, from, keepingSite(t, c.root), nil)
	vaulttest.WantErr(t, "Copy(damaged row)", err, transfer.ErrDamagedRows)
	for _, b := range report.Buckets {
		if b.Name == account.BucketAccount {
			wantSame(t, "damaged keys", b.Keys, []string{"6e6f206163636f756e74"})
		}
	}
	vaulttest.WantErr(t, "vault.Open(source)", c.serveErr(t, from), nil)
	to := keepingSite(t, c.root)
	report, err = c.copyErr(t, from, to, func(o *transfer.Options) { o.SkipDamaged = true })
	vaulttest.WantErr(t, "Copy(skip damaged rows)", err, nil)
	vaulttest.Want(t, "damaged rows", report.Damaged, 1)
	k := to.serve(t, c.clock, vaulttest.Options{})
	vaulttest.Want(t, "RevealSecret()", k.MustReveal(t, caller.Caller{}, c.plain.Secret.Key, ""), vaulttest.Plaintext)
	k.Close(t)
}
