package file

import (
	"hush/storage"
	"hush/vault/exam"
	"hush/vault/rows"
)

// The codes of findings about files.
const (
	CodeUpload    exam.Code = "file-upload"
	CodeArrived   exam.Code = "file-arrived"
	CodePartStray exam.Code = "part-stray"
	CodeStray     exam.Code = "upload-stray"
	CodeReceipt   exam.Code = "file-receipt"
)

// Invariants returns those of the buckets of this package. receipts is the bucket of
// receipts.
func Invariants(x *exam.Exam, receipts string) []exam.Invariant {
	i := &invariants{Exam: x, receipts: receipts, blobs: map[storage.BlobID]bool{}}
	return []exam.Invariant{
		{Bucket: BucketRemoval, Row: i.removal},
		{Bucket: BucketFile, Row: i.file},
		{Bucket: BucketUpload, Row: i.upload},
		{Bucket: BucketPart, Row: i.part},
	}
}

// invariants is an examination of this package's buckets.
type invariants struct {
	*exam.Exam

	receipts string
	blobs    map[storage.BlobID]bool // of files, and of those that are to be removed
}

func (i *invariants) removal(key, _ []byte) error {
	i.blobs[storage.BlobID(key)] = true
	return nil
}

func (i *invariants) file(key, value []byte) error {
	r, err := decode(value)
	if err != nil {
		return err
	}
	if r.State != StateGone {
		i.blobs[r.Blob] = true
	}
	there, err := i.Has(i.receipts, key)
	if err == nil && !there {
		i.Report(CodeReceipt, BucketFile, key)
	}
	if err != nil {
		return err
	}
	arrives, err := i.Has(BucketUpload, key)
	if err == nil && arrives != (r.State == StateArriving) {
		i.Report(CodeUpload, BucketFile, key)
	}
	if err != nil || r.State == StateGone {
		return err
	}
	return i.parts(key, r)
}

// parts compares the parts of a file with what its records say.
func (i *invariants) parts(key []byte, r *Record) error {
	want := Parts(r.Size)
	if r.State == StateArriving {
		u, err := rows.LoadOr(i.Tx, BucketUpload, key, decodeUpload, nil)
		if rows.IsDamage(err) || u == nil {
			return nil // it is reported
		}
		if err != nil {
			return err
		}
		want = u.Arrived
	}
	have := uint32(0)
	err := i.Tx.Range(BucketPart, r.Blob[:], rows.PrefixEnd(r.Blob[:]), func(part, value []byte) error {
		p, err := decodePart(value)
		n, _ := partNumber(part)
		if err == nil && int(p.length) == PartLength(r.Size, n) {
			have++
		}
		return nil
	})
	if err == nil && have != want {
		i.Notef(CodeArrived, BucketFile, key, "%d parts are stored, and there should be %d", have, want)
	}
	return err
}

func (i *invariants) upload(key, value []byte) error {
	u, err := decodeUpload(value)
	if err != nil {
		return err
	}
	i.Own(u.slot, BucketUpload, key)
	r, err := rows.LoadOr(i.Tx, BucketFile, key, decode, nil)
	if rows.IsDamage(err) {
		return nil // its row is reported
	}
	if err == nil && (r == nil || r.State != StateArriving) {
		i.Report(CodeStray, BucketUpload, key)
	}
	return err
}

func (i *invariants) part(key, _ []byte) error {
	if len(key) == partKeySize && !i.blobs[storage.BlobID(key[:len(storage.BlobID{})])] {
		i.Report(CodePartStray, BucketPart, key)
	}
	return nil
}
