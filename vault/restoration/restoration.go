// Package restoration makes the data of a backup safe to be served again. It is the one
// place that says what a restore keeps, what it ends and in which order.
//
// Promise: what Settle has settled has no session, no mailed link, no invite, no queued mail,
// no upload and no claim of the backup, no file without its content, and nothing that has ended since by the spent log. Until
// Served, the log belongs to the old data, so a restore that is interrupted anywhere
// leaves everything as it was.
//
// Policy: rows are restored one by one, with the slots that they name, and so are the shares
// of secrets. The package that owns a thing says how it ends. No request, no mail and no
// background work sees the store before Served.
//
// It also says what a backup has and lacks. It owns no bucket. Only what makes, checks and
// restores backups uses it.
package restoration

import (
	"context"
	"log/slog"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/storage/spentlog"
	"hush/vault"
	"hush/vault/counter"
	"hush/vault/secret"
	"hush/vault/shares"
	"hush/vault/spent"
)

// Options say how to restore. Keys, Now and Log are required.
type Options struct {
	// Keys are derived from the root key that the data of the backup was made with.
	Keys *seal.Keys
	Now  func() time.Time
	Log  *slog.Logger
	// Since says what has ended since the backup; nil for nothing.
	Since *Since
	// Blobs are those in the restored folder; nil for none. Files whose blobs are not there
	// are burned: no backup has them.
	Blobs storage.BlobViewer
	// BurnAll burns every secret.
	BurnAll bool
	// Progress gets how many of the entries of the log are replayed, now and then and at
	// the end. Nil for none.
	Progress func(done, of uint64)
}

// Since is the spent log that continues a backup: spent.Continues accepts it.
type Since struct {
	Log    *spentlog.Log
	Reader *spentlog.Reader
	Folder string
	// Sequence is the last one that the backup knows of.
	Sequence uint64
}

// Report is what a restore found and did.
type Report struct {
	Waiting  int64 // secrets that can be opened
	Damaged  int64 // secrets that cannot be read
	Dropped  Dropped
	Replayed Replayed
	Files    int64 // files that were burned because their contents are not there
	Burned   int64 // secrets without a share, or all
}

// Restore is one restore. While the backup is read, KeepsRow and KeepsShare say what to
// store. Settle comes when all of it is stored, and Served when a service may open the
// store. It is for one goroutine.
type Restore struct {
	Options

	now     time.Time
	secrets shares.Holding
	unfound map[uint64]uint64 // generations by slot, of secrets whose share has not come yet
	report  Report
}

// New begins a restore.
func New(o Options) *Restore {
	return &Restore{Options: o, now: o.Now(), secrets: secret.Holding(), unfound: map[uint64]uint64{}}
}

// KeepsRow reports whether a row of the backup belongs into the restored store. It is
// called with every row, before the first share. A secret that cannot be read is
// restored as it is.
func (r *Restore) KeepsRow(bucket string, key, value []byte) bool {
	if bucket != r.secrets.Name {
		return !isLeftOut(bucket)
	}
	switch slot, _, ok, err := r.secrets.Find(key, value); {
	case err != nil:
		r.report.Damaged++
	case ok:
		r.unfound[slot.Number] = slot.Generation
	}
	return true
}

// KeepsShare reports whether a share belongs into the restored store: that of a secret.
// Queued mails, claims and uploads are dropped, with their shares.
func (r *Restore) KeepsShare(slot storage.Slot) bool {
	if generation, named := r.unfound[slot.Number]; !named || generation != slot.Generation {
		return false
	}
	delete(r.unfound, slot.Number)
	return true
}

// Settle ends on the restored store what no restore keeps, what the log says, files without
// their contents and secrets without a share, and makes the store use the log from now on, or none. It returns
// seal.ErrWrongRootKey if the keys are not those of the store, a
// keylist.MissingRootKeyError if they are not all, and a cluster.FormatError if a newer
// release wrote it. After any error the store must be given up. Nothing may serve the
// store, and the log is not changed.
func (r *Restore) Settle(ctx context.Context, store storage.Store, shares storage.Shares) (Report, error) {
	err := r.settle(ctx, vault.Options{Store: store, Shares: shares, Keys: r.Keys, Now: r.Options.Now, Log: r.Log})
	return r.report, err
}

func (r *Restore) settle(ctx context.Context, opts vault.Options) (err error) {
	if err := vault.CheckKeys(ctx, opts.Store, opts.Keys); err != nil {
		return err
	}
	if err := vault.Upgrade(ctx, opts); err != nil {
		return err
	}
	// Mail must be gone before a vault opens, which would send it.
	if r.report.Dropped, err = drop(ctx, opts.Store, r.now); err != nil {
		return err
	}
	if r.Since != nil {
		if r.report.Replayed, err = replay(ctx, opts, r.Since.Reader, r.Since.Sequence, r.Progress); err != nil {
			return err
		}
	}
	if !r.BurnAll {
		if r.report.Files, err = burnLost(ctx, opts, r.Blobs); err != nil {
			return err
		}
	}
	if r.BurnAll || len(r.unfound) > 0 {
		r.report.Burned, err = burn(ctx, opts, func(slot storage.Slot) bool {
			return r.BurnAll || r.unfound[slot.Number] == slot.Generation
		})
		if err != nil {
			return err
		}
	}
	if err := r.adopt(ctx, opts.Store); err != nil {
		return err
	}
	return r.count(ctx, opts.Store)
}

// adopt makes the restored store use the log from now on, or none.
func (r *Restore) adopt(ctx context.Context, store storage.Store) error {
	if r.Since == nil {
		return store.Update(ctx, spent.Drop)
	}
	return spent.Adopt(ctx, store, r.Since.Log, r.Since.Folder, r.Since.Sequence, r.now)
}

// count counts what can be opened now.
func (r *Restore) count(ctx context.Context, store storage.Store) error {
	return store.View(ctx, func(tx storage.Tx) error {
		counts, err := counter.Get(tx)
		r.report.Waiting = counts[counter.Secrets]
		return err
	})
}

// Served tells the log that the restored store, which a service can open from now on,
// replaces the old one. That is the last step: a restore that ends before it leaves the log
// to the old data. If it fails, the first start tells the log.
func (r *Restore) Served(ctx context.Context, store storage.Store) error {
	if r.Since == nil {
		return nil
	}
	if err := spent.Restored(r.Since.Log, r.Since.Sequence, r.now); err != nil {
		return err
	}
	return spent.Settle(context.WithoutCancel(ctx), store, r.Since.Log, r.Since.Sequence, r.now)
}
