package transfer

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"hush/vault/cluster"
	"hush/vault/file"
	"hush/vault/rows"
	"hush/vault/shares"
	"hush/vault/tables"
)

// scan reads the whole source: it counts rows, finds damage, and asks whether
// the target has room.
func (t *transfer) scan(ctx context.Context) error {
	progress := t.phase(PhaseRead)
	for _, b := range copied() {
		report := BucketReport{Name: b.Name}
		if err := t.scanBucket(ctx, b, &report, progress); err != nil {
			return fmt.Errorf("reading bucket %q: %w", b.Name, err)
		}
		t.report.Rows += report.Rows
		t.report.Damaged += report.Damaged
		t.report.Buckets = append(t.report.Buckets, report)
	}
	t.total = Progress{Rows: progress.Rows, Bytes: progress.Bytes}
	if t.report.Damaged > 0 && !t.SkipDamaged {
		return fmt.Errorf("%w: %d", ErrDamagedRows, t.report.Damaged)
	}
	if t.Room != nil && !t.report.Resumed {
		return t.Room(t.report.Bytes, t.report.Shares)
	}
	return nil
}

func (t *transfer) scanBucket(ctx context.Context, b shares.Holding, report *BucketReport, progress *Progress) error {
	return eachPage(ctx, t.from.store, b.Name, nil, func(p page) error {
		list, err := t.find(ctx, b, p)
		if err != nil {
			return err
		}
		for _, f := range list {
			t.report.count(f, report)
		}
		t.tell(progress, len(p), p.size())
		return nil
	})
}

// copied returns the buckets that are copied, in their order. Blobs stay where they are, and
// what is known of their parts with them: a source with files is refused, so the blobs that
// are left are of files that are gone, which nothing opens.
func copied() []shares.Holding {
	return slices.DeleteFunc(tables.Copied(), func(h shares.Holding) bool {
		return h.Name == file.BucketPart || h.Name == file.BucketRemoval
	})
}

// fill copies what the target does not have yet.
func (t *transfer) fill(ctx context.Context) error {
	progress := t.phase(PhaseCopy)
	all := copied()
	first := slices.IndexFunc(all, func(b shares.Holding) bool { return b.Name == t.to.record.Bucket })
	if t.to.record.Bucket == rows.BucketSystem {
		return nil
	}
	for _, b := range all[max(first, 0):] {
		var after []byte
		if b.Name == t.to.record.Bucket {
			after = t.to.record.After
		}
		if err := t.fillBucket(ctx, b, after, progress); err != nil {
			return fmt.Errorf("copying bucket %q: %w", b.Name, err)
		}
	}
	return t.fillSystem(ctx)
}

func (t *transfer) fillBucket(ctx context.Context, b shares.Holding, after []byte, progress *Progress) error {
	return eachPage(ctx, t.from.store, b.Name, after, func(p page) error {
		list, err := t.find(ctx, b, p)
		if err != nil {
			return err
		}
		list = slices.DeleteFunc(list, func(f found) bool { return f.err != nil })
		if err := t.putPage(ctx, b, list, p[len(p)-1].key); err != nil {
			return err
		}
		t.tell(progress, len(p), p.size())
		return nil
	})
}

// putPage stores a page with its shares. The target knows by the same transaction
// how far it is.
func (t *transfer) putPage(ctx context.Context, b shares.Holding, list []found, last []byte) error {
	slots, err := t.keep(ctx, b, list)
	if err == nil {
		err = t.to.advance(ctx, b.Name, last, func(tx *rows.Tx) error {
			for _, f := range list {
				if err := tx.Put(b.Name, f.key, f.value); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil && len(slots) > 0 {
		// The next run finds those that this one cannot destroy.
		_ = t.to.slots.Destroy(context.WithoutCancel(ctx), slots...)
	}
	return err
}

// advance runs fn in a transaction of a target, and stores how far it is then.
func (e *end) advance(ctx context.Context, bucket string, last []byte, fn func(*rows.Tx) error) error {
	before, next := e.record, e.record
	next.Bucket, next.After = bucket, last
	err := e.store.Update(ctx, func(tx *rows.Tx) error {
		stored, err := cluster.GetCopy(tx)
		if err != nil {
			return err
		}
		if !bytes.Equal(stored.Encode(), before.Encode()) {
			return fmt.Errorf("target %s: %w: another process copies to it", e.name, ErrServed)
		}
		if err := fn(tx); err != nil {
			return err
		}
		return cluster.PutCopy(tx, next)
	})
	if err == nil {
		e.record = next
	}
	return err
}

// fillSystem copies the bucket system, in one transaction. It is small.
func (t *transfer) fillSystem(ctx context.Context) error {
	var copied map[string][]byte
	err := t.from.store.View(ctx, func(tx *rows.Tx) (err error) {
		copied, err = copiedSystem(tx)
		return err
	})
	if err != nil {
		return fmt.Errorf("reading bucket %q: %w", rows.BucketSystem, err)
	}
	return t.to.advance(ctx, rows.BucketSystem, nil, func(tx *rows.Tx) error {
		for name, value := range copied {
			if err := rows.PutSystem(tx, name, value); err != nil {
				return err
			}
		}
		return nil
	})
}
