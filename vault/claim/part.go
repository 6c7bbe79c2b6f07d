package claim

import (
	"context"
	"errors"
	"fmt"

	"hush/seal"
	"hush/vault/file"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Part returns a part of the file that a secret's token and a claim open. The caller owns it.
// Its reader is at it, so the claim lasts longer. It returns ErrNotFound unless the claim
// lasts and is on a file, and an InvalidError for a number that the file does not have. After
// Acknowledge has returned, no part is read.
func (cl *Claims) Part(ctx context.Context, token seal.Token, claim string, number uint32) ([]byte, error) {
	bound, ok := bondOf(claim)
	if !ok {
		return nil, refusal.ErrNotFound
	}
	row := token.RowKey(seal.KindSecret)
	give, _, err := cl.takePart(ctx, row, 1)
	if err != nil {
		return nil, err
	}
	defer give()
	record, err := cl.find(ctx, row, bound)
	if err == nil && !record.ofFile {
		err = refusal.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	if _, err := cl.extend(ctx, row, record, bound); err != nil {
		return nil, err
	}
	k := cl.see(row, record, cl.clock.Stopwatch())
	if err := cl.spend(ctx, k, record.Spent); err != nil {
		return nil, err
	}
	key, err := cl.openFile(ctx, token, row, record, bound)
	if err != nil {
		return nil, err
	}
	content, err := cl.files.ReadPart(ctx, record.Receipt, key, number)
	if err != nil {
		return nil, err
	}
	cl.mu.Lock()
	defer cl.mu.Unlock()
	k.fetched.note(number, file.Parts(record.FileSize))
	return content, nil
}

// openFile returns the key of a file's parts, which is in memory for one call only.
func (cl *Claims) openFile(ctx context.Context, token seal.Token, row seal.RowKey, r *Record, bound bond) (seal.FileKey, error) {
	bytes, err := cl.open(ctx, token, row, r, bound)
	if err != nil {
		return seal.FileKey{}, err
	}
	defer clear(bytes)
	key, err := seal.FileKeyOf(bytes)
	if err != nil {
		return key, fmt.Errorf("claim on a file without its key: %w", rows.ErrInconsistent)
	}
	return key, nil
}

// endFile notes that the file of a claim is gone, and how much of it was fetched. A damaged
// record does not keep the claim alive.
func (cl *Claims) endFile(tx *rows.Tx, row seal.RowKey, r *Record, delivered bool) error {
	err := rows.Try(tx, func() error {
		if err := file.Fetched(tx, r.Receipt, cl.fetchedOf(row, r, delivered)); err != nil {
			return err
		}
		_, err := cl.files.Ended(tx, r.Receipt)
		return err
	})
	if rows.IsDamage(err) && !errors.Is(err, rows.ErrHalfDone) {
		cl.log.Error("noting the end of a file", "cause", err)
		return nil
	}
	return err
}

// fetchedOf returns how many parts of a file its reader has fetched, as far as this process
// knows: all of them if the reader says that it has the file.
func (cl *Claims) fetchedOf(row seal.RowKey, r *Record, delivered bool) uint32 {
	if delivered {
		return file.Parts(r.FileSize)
	}
	cl.mu.Lock()
	defer cl.mu.Unlock()
	if k := cl.known[row]; k != nil {
		return k.fetched.count
	}
	return 0
}

// noteFetched writes how many parts were fetched, with the deadline that moves.
func (cl *Claims) noteFetched(tx *rows.Tx, r *Record, k *known) error {
	if !r.ofFile {
		return nil
	}
	cl.mu.Lock()
	count := k.fetched.count
	cl.mu.Unlock()
	return file.Fetched(tx, r.Receipt, count)
}

// fetched are the parts of a file that a reader has fetched from this process.
type fetched struct {
	parts []uint64 // bits
	count uint32
}

// note notes a part of a file that has so many.
func (f *fetched) note(number, parts uint32) {
	if number >= parts {
		return
	}
	if f.parts == nil {
		f.parts = make([]uint64, (int(parts)+63)/64)
	}
	word, bit := number/64, uint64(1)<<(number%64)
	if f.parts[word]&bit == 0 {
		f.parts[word] |= bit
		f.count++
	}
}
