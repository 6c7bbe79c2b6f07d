package transfer

import (
	"encoding/hex"
	"fmt"
)

// Report is what a copy found and did.
type Report struct {
	// Before reports that an earlier call had finished the copy.
	Before bool
	// Resumed reports that an earlier call had begun the copy.
	Resumed bool
	// Buckets has the rows of the source, in the order of copying.
	Buckets []BucketReport
	// Rows and Bytes are those of the source that can be read, and Shares the
	// number of shares among them.
	Rows, Bytes, Shares int64
	// Expired is the number of secrets and mails that had expired. They get new
	// shares, which open nothing, and the target's sweeper ends them.
	Expired int64
	// Damaged is the number of rows that cannot be read.
	Damaged int64
	// Verified is the number of rows of the target that were compared.
	Verified int64
}

// BucketReport is what a copy found in a bucket.
type BucketReport struct {
	Name    string
	Rows    int64
	Damaged int64
	// Keys are the keys of the first damaged rows, in hexadecimal.
	Keys []string
}

// damagedNamed is the number of damaged rows that are named in each bucket.
const damagedNamed = 10

func (b *BucketReport) damaged(key []byte) {
	b.Damaged++
	if len(b.Keys) < damagedNamed {
		b.Keys = append(b.Keys, hex.EncodeToString(key))
	}
}

// count adds a row of the source.
func (r *Report) count(f found, bucket *BucketReport) {
	if f.err != nil {
		bucket.damaged(f.key)
		return
	}
	bucket.Rows++
	r.Bytes += f.size()
	if f.holds {
		r.Shares++
	}
	if f.expired {
		r.Expired++
	}
}

// Phase is a part of a copy.
type Phase string

// The phases, in their order.
const (
	PhaseRead   Phase = "reading"
	PhaseCopy   Phase = "copying"
	PhaseVerify Phase = "comparing"
	PhaseRetire Phase = "emptying the source"
)

// Progress is how far a phase is.
type Progress struct {
	Phase       Phase
	Rows, Bytes int64
	// OfRows and OfBytes are what there is to do, 0 while that is unknown.
	OfRows, OfBytes int64
}

// tell adds rows to the progress of a phase.
func (t *transfer) tell(p *Progress, rows int, bytes int64) {
	p.Rows += int64(rows)
	p.Bytes += bytes
	if t.Progress != nil {
		t.Progress(*p)
	}
}

// phase returns the progress at the beginning of a phase.
func (t *transfer) phase(phase Phase) *Progress {
	return &Progress{Phase: phase, OfRows: t.total.Rows, OfBytes: t.total.Bytes}
}

func differs(bucket string, key []byte, what string) error {
	return fmt.Errorf("%w: bucket %q, row %s: %s", ErrDiffers, bucket, hex.EncodeToString(key), what)
}
