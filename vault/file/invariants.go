package file

import (
	"errors"

	"hush/seal"
	"hush/storage"
	"hush/vault/exam"
	"hush/vault/rows"
)

// The codes of findings about files.
const (
	CodeUpload      exam.Code = "file-upload"
	CodeArrived     exam.Code = "file-arrived"
	CodeReceipt     exam.Code = "file-receipt"
	CodeUnheld      exam.Code = "file-unheld"
	CodeSecret      exam.Code = "file-secret"
	CodePartStray   exam.Code = "part-stray"
	CodeUploadStray exam.Code = "upload-stray"
	CodeBlobMissing exam.Code = "blob-missing"
	CodeBlobDamaged exam.Code = "blob-damaged"
	CodeBlobStray   exam.Code = "blob-stray"
)

// Invariants returns those of the buckets of this package. They come after those of secrets
// and claims. receipts is the bucket of receipts, and held reports, once secrets and claims
// were examined, whether one of them opens the file of a receipt.
func Invariants(x *exam.Exam, receipts string, held func(receipt seal.RowKey) bool) []exam.Invariant {
	i := &invariants{Exam: x, receipts: receipts, held: held, blobs: map[storage.BlobID]bool{}}
	return []exam.Invariant{
		{Bucket: BucketRemoval, Row: i.removal},
		{Bucket: BucketFile, Check: i.read, Row: i.file, End: i.strays},
		{Bucket: BucketUpload, Row: i.upload},
		{Bucket: BucketPart, Row: i.part},
	}
}

// ReportUnlike reports a secret or claim of a file whose record is missing, says that the
// file is gone, or has another length. A record that cannot be read is reported itself.
func ReportUnlike(x *exam.Exam, receipt seal.RowKey, size uint64, bucket string, key []byte) error {
	r, err := rows.LoadOr(x.Tx, BucketFile, receipt[:], decode, nil)
	if rows.IsDamage(err) {
		return nil
	}
	if err == nil && (r == nil || r.State == StateGone || r.Size != size) {
		x.Report(CodeSecret, bucket, key)
	}
	return err
}

// BlobOf returns the blob in a row of BucketFile. ok is false for a file that is gone.
func BlobOf(value []byte) (blob storage.BlobID, ok bool, err error) {
	r, err := decode(value)
	if err != nil {
		return blob, false, err
	}
	return r.Blob, r.State != StateGone, nil
}

// invariants is an examination of this package's buckets.
type invariants struct {
	*exam.Exam

	receipts string
	held     func(receipt seal.RowKey) bool
	blobs    map[storage.BlobID]bool // of files, and of those that are to be removed
	unknown  bool                    // which ones: a file cannot be read
}

// read notes that a file cannot be read, whose blob and parts are not known then.
func (i *invariants) read(key, value []byte) error {
	err := rows.CheckRow(len(seal.RowKey{}), decode)(key, value)
	i.unknown = i.unknown || err != nil
	return err
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
	i.blobs[r.Blob] = true
	if !i.held(seal.RowKey(key)) {
		i.Report(CodeUnheld, BucketFile, key)
	}
	i.blob(key, r)
	return i.parts(key, r)
}

// blob looks for the blob of a file.
func (i *invariants) blob(key []byte, r *Record) {
	if i.Blobs == nil {
		return
	}
	switch size, partSize, err := i.Blobs.Look(r.Blob); {
	case errors.Is(err, storage.ErrNotFound):
		i.Notef(CodeBlobMissing, BucketFile, key, "%s", r.Blob)
	case err != nil:
		i.Notef(CodeBlobDamaged, BucketFile, key, "%v", err)
	case size != stored(r.Size) || partSize != storedSize:
		i.Notef(CodeBlobDamaged, BucketFile, key, "%s has %d bytes in parts of %d, and should have %d in parts of %d",
			r.Blob, size, partSize, stored(r.Size), int64(storedSize))
	}
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

// strays reports blobs that nothing names. A service that begins a file has made the blob
// before its row.
func (i *invariants) strays() error {
	if i.Blobs == nil || i.Served || i.unknown {
		return nil
	}
	return i.Blobs.Each(func(id storage.BlobID) error {
		if !i.blobs[id] {
			i.Notef(CodeBlobStray, "", nil, "%s", id)
		}
		return nil
	})
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
		i.Report(CodeUploadStray, BucketUpload, key)
	}
	return err
}

func (i *invariants) part(key, _ []byte) error {
	if !i.unknown && len(key) == partKeySize && !i.blobs[storage.BlobID(key[:len(storage.BlobID{})])] {
		i.Report(CodePartStray, BucketPart, key)
	}
	return nil
}
