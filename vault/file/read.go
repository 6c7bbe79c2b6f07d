package file

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"hush/seal"
	"hush/storage"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// ReadPart returns a part of a whole file, of which key is the at-rest key. The caller owns
// it. It returns ErrNotFound if the file is gone, and an InvalidError for a number that it
// does not have.
func (f *Files) ReadPart(ctx context.Context, row seal.RowKey, key seal.FileKey, number uint32) ([]byte, error) {
	var r *Record
	var p part
	err := f.store.View(ctx, func(tx *rows.Tx) (err error) {
		if r, err = Load(tx, row); err != nil {
			return err
		}
		if PartLength(r.Size, number) == 0 {
			return &refusal.InvalidError{Field: "number", Text: fmt.Sprintf("must be less than %d, the number of parts", Parts(r.Size))}
		}
		if r.State != StateWhole {
			return refusal.ErrNotFound
		}
		p, err = rows.Load(tx, BucketPart, partKey(r.Blob, number), decodePart)
		if errors.Is(err, refusal.ErrNotFound) {
			err = fmt.Errorf("whole file without a part: %w", rows.ErrInconsistent)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if f.blobs == nil {
		return nil, fmt.Errorf("file on a service without a place for them: %w", refusal.ErrUnavailable)
	}
	sealed, err := f.blobs.Get(ctx, r.Blob, int64(number), int(p.length)+seal.PartOverhead)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, f.explainMissing(ctx, row, r)
	}
	if err != nil {
		return nil, fmt.Errorf("reading a part: %w", refusal.Unavailable(err))
	}
	content, err := key.OpenPart(place(r, number), sealed)
	if err != nil {
		return nil, fmt.Errorf("opening part %d of a file: %w", number, errors.Join(err, rows.ErrInconsistent))
	}
	return content, nil
}

// explainMissing returns ErrNotFound for a blob that was removed because its file ended, and
// an error about damage for one that is missing.
func (f *Files) explainMissing(ctx context.Context, row seal.RowKey, read *Record) error {
	return f.store.View(ctx, func(tx *rows.Tx) error {
		r, err := Load(tx, row)
		if err == nil && r.Blob != read.Blob {
			err = refusal.ErrNotFound
		}
		if err != nil {
			return err
		}
		return fmt.Errorf("whole file without its blob: %w", rows.ErrInconsistent)
	})
}

// Fetched notes in the record of a file how many of its parts were fetched, unless more were
// noted before. It does nothing for one that is forgotten.
func Fetched(tx *rows.Tx, row seal.RowKey, parts uint32) error {
	r, err := Load(tx, row)
	if errors.Is(err, refusal.ErrNotFound) || err == nil && r.Fetched >= parts {
		return nil
	}
	if err != nil {
		return err
	}
	r.Fetched = min(parts, Parts(r.Size))
	return r.put(tx, row)
}

// partNumber returns the number in the key of a part.
func partNumber(key []byte) (number uint32, ok bool) {
	if len(key) != partKeySize {
		return 0, false
	}
	return binary.BigEndian.Uint32(key[len(storage.BlobID{}):]), true
}
