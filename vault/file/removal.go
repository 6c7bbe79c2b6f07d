package file

import (
	"context"
	"errors"
	"time"

	"hush/storage"
	"hush/vault/rows"
)

const (
	// removeEvery is when blobs are removed that could not be removed before.
	removeEvery = time.Minute
	// forgetBatch is how many rows of parts one transaction deletes.
	forgetBatch = 512
)

// Begin looks for blobs that no record names, which a crash has left. They are removed in
// the background. It runs before the first request.
func (f *Files) Begin(ctx context.Context) error {
	if f.blobs == nil {
		return nil
	}
	named, err := f.named(ctx)
	if rows.IsDamage(err) {
		f.log.Error("blobs that no file names are not looked for", "cause", err)
		return nil
	}
	if err != nil {
		return err
	}
	return f.blobs.List(ctx, func(id storage.BlobID, _ int64) error {
		if !named[id] {
			f.stray = append(f.stray, id)
		}
		return nil
	})
}

// named returns the blobs of all files.
func (f *Files) named(ctx context.Context) (named map[storage.BlobID]bool, err error) {
	err = f.store.View(ctx, func(tx *rows.Tx) error {
		named = map[storage.BlobID]bool{}
		err := tx.Range(BucketFile, nil, nil, func(_, value []byte) error {
			r, err := decode(value)
			if err != nil {
				return err // its blob is unknown
			}
			named[r.Blob] = true
			return nil
		})
		if err != nil {
			return err
		}
		return tx.Range(BucketRemoval, nil, nil, func(key, _ []byte) error {
			if len(key) == len(storage.BlobID{}) {
				named[storage.BlobID(key)] = true
			}
			return nil
		})
	})
	return named, err
}

// Wake lets RemoveUntil look for what is to be removed.
func (f *Files) Wake() {
	select {
	case f.rung <- struct{}{}:
	default:
	}
}

// RemoveUntil removes the blobs of files that are gone, until ctx ends. What it removes
// cannot be opened any more.
func (f *Files) RemoveUntil(ctx context.Context) {
	if f.blobs == nil {
		return
	}
	if err := f.RemoveStray(ctx); err != nil && ctx.Err() == nil {
		f.log.Error("removing blobs that no file names", "cause", err)
	}
	tick := time.NewTicker(removeEvery)
	defer tick.Stop()
	for {
		if err := f.Remove(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, storage.ErrClosed) {
			f.log.Error("removing the blobs of files that are gone", "cause", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-f.rung:
		case <-tick.C:
		}
	}
}

// RemoveStray removes the blobs that Begin found. It is called once, after Begin.
func (f *Files) RemoveStray(ctx context.Context) error {
	removed := 0
	var failed error
	for _, id := range f.stray {
		if err := f.blobs.Delete(ctx, id); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		removed++
	}
	if removed > 0 {
		f.log.Info("removed blobs that no file names", "count", removed)
	}
	return failed
}

// Remove removes the blobs of files that are gone, one after the other. One that cannot be
// removed does not hold up the others.
func (f *Files) Remove(ctx context.Context) (failed error) {
	for from := []byte(nil); ; {
		var keys [][]byte
		err := f.store.View(ctx, func(tx *rows.Tx) (err error) {
			keys, err = rows.FirstKeysFrom(tx, BucketRemoval, from, nil, rows.SweepBatch)
			return err
		})
		if err != nil || len(keys) == 0 {
			return errors.Join(failed, err)
		}
		for _, key := range keys {
			failed = errors.Join(failed, f.remove(ctx, key))
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		from = append(keys[len(keys)-1], 0) // the key after it
	}
}

// RemoveNow removes a blob that is listed for it. What it cannot remove is removed later.
func (f *Files) RemoveNow(ctx context.Context, blob storage.BlobID) {
	if err := f.remove(context.WithoutCancel(ctx), blob[:]); err != nil {
		f.log.Error("removing the blob of an upload that began anew", "cause", err)
		f.Wake()
	}
}

func (f *Files) remove(ctx context.Context, key []byte) error {
	if len(key) == len(storage.BlobID{}) {
		if err := f.blobs.Delete(ctx, storage.BlobID(key)); err != nil {
			return err
		}
	}
	for more := true; more; {
		err := f.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
			parts, err := rows.FirstKeysFrom(tx, BucketPart, key, rows.PrefixEnd(key), forgetBatch)
			if err != nil {
				return err
			}
			more = len(parts) == forgetBatch
			if err := rows.DeleteAll(tx, BucketPart, parts); err != nil || more {
				return err
			}
			return tx.Delete(BucketRemoval, key)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Held is what the blobs take.
type Held struct {
	// Blobs is how many there are, and Bytes what they take on the medium.
	Blobs, Bytes int64
	// Removing is how many of them are to be removed, and Uploads how many files arrive.
	Removing, Uploads int64
}

// Held returns what the blobs take. It reads the list of all of them.
func (f *Files) Held(ctx context.Context) (h Held, err error) {
	if f.blobs == nil {
		return Held{}, nil
	}
	err = f.blobs.List(ctx, func(_ storage.BlobID, bytes int64) error {
		h.Blobs++
		h.Bytes += bytes
		return nil
	})
	if err != nil {
		return Held{}, err
	}
	blobs := h
	err = f.store.View(ctx, func(tx *rows.Tx) error {
		h = blobs
		for bucket, count := range map[string]*int64{BucketRemoval: &h.Removing, BucketUpload: &h.Uploads} {
			if err := tx.Range(bucket, nil, nil, func(_, _ []byte) error { *count++; return nil }); err != nil {
				return err
			}
		}
		return nil
	})
	return h, err
}
