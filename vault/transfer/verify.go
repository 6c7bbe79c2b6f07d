package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"

	"hush/storage"
	"hush/vault/cluster"
	"hush/vault/rows"
	"hush/vault/shares"
)

// verify compares every row of the target with the source, and every share.
func (t *transfer) verify(ctx context.Context) error {
	progress := t.phase(PhaseVerify)
	for _, b := range copied() {
		if err := t.verifyBucket(ctx, b, progress); err != nil {
			return fmt.Errorf("comparing bucket %q: %w", b.Name, err)
		}
	}
	if err := t.verifySystem(ctx); err != nil {
		return err
	}
	record := t.to.record
	record.State = cluster.CopyChecked
	return t.to.put(ctx, record)
}

func (t *transfer) verifyBucket(ctx context.Context, b shares.Holding, progress *Progress) error {
	target := walk(t.to.store, b.Name, nil)
	err := eachPage(ctx, t.from.store, b.Name, nil, func(p page) error {
		list, err := t.find(ctx, b, p)
		if err != nil {
			return err
		}
		if err := t.compare(ctx, b, list, target); err != nil {
			return err
		}
		t.tell(progress, len(p), p.size())
		return nil
	})
	if err != nil {
		return err
	}
	extra, more, err := target.next(ctx)
	if err == nil && more {
		err = differs(b.Name, extra.key, "the source has no such row")
	}
	return err
}

// compare compares a page of the source with the next rows of the target.
func (t *transfer) compare(ctx context.Context, b shares.Holding, list []found, target *walker) error {
	var copies []row
	var originals []found
	for _, f := range list {
		if f.err != nil {
			continue
		}
		r, ok, err := target.next(ctx)
		if err != nil {
			return err
		}
		if !ok || !bytes.Equal(r.key, f.key) {
			return differs(b.Name, f.key, "it is missing")
		}
		if !f.holds && !bytes.Equal(r.value, f.value) {
			return differs(b.Name, f.key, "its value is another")
		}
		copies, originals = append(copies, r), append(originals, f)
	}
	err := each(t.Log, len(copies), func(i int) error {
		if !originals[i].holds {
			return nil
		}
		return t.compareShare(ctx, b, originals[i], copies[i])
	})
	if err == nil {
		t.report.Verified += int64(len(copies))
	}
	return err
}

// compareShare compares a row that holds a share: the row without its slot, the
// share, and what the share opens without a link.
func (t *transfer) compareShare(ctx context.Context, b shares.Holding, original found, copied row) error {
	slot, owner, ok, err := b.Find(copied.key, copied.value)
	if err != nil || !ok {
		return errors.Join(differs(b.Name, copied.key, "it cannot be read"), err)
	}
	was, err := b.Move(original.value, storage.Slot{})
	if err != nil {
		return err
	}
	is, err := b.Move(copied.value, storage.Slot{})
	if err != nil {
		return err
	}
	if !bytes.Equal(was, is) {
		return differs(b.Name, copied.key, "its value is another")
	}
	share, err := t.to.shares.Get(ctx, slot, owner)
	if errors.Is(err, storage.ErrShareGone) || errors.Is(err, shares.ErrEnded) {
		return errors.Join(differs(b.Name, copied.key, "its share is missing"), err)
	}
	if err != nil || original.expired {
		return err
	}
	if share != original.share {
		return differs(b.Name, copied.key, "its share is another")
	}
	if b.Open != nil && b.Open(t.Keys, copied.key, copied.value, share) != nil {
		return differs(b.Name, copied.key, "its share does not open it")
	}
	return nil
}

func (t *transfer) verifySystem(ctx context.Context) error {
	var both [2]map[string][]byte
	for i, e := range []*end{&t.from, &t.to} {
		err := e.store.View(ctx, func(tx *rows.Tx) (err error) {
			both[i], err = copiedSystem(tx)
			return err
		})
		if err != nil {
			return err
		}
	}
	if !maps.EqualFunc(both[0], both[1], bytes.Equal) {
		return fmt.Errorf("%w: bucket %q", ErrDiffers, rows.BucketSystem)
	}
	t.report.Verified += int64(len(both[1]))
	return nil
}
