package doctor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/cluster"
	"hush/vault/exam"
	"hush/vault/rows"
	"hush/vault/tables"
)

// Options say what to examine. Store, Now and Findings are required.
type Options struct {
	Store storage.Viewer
	// Names are those of the buckets of the store; nil if they are not known.
	Names []string
	// Slots are those of the shares file, nil if there is none or if it cannot be
	// read. Then shares are not examined.
	Slots exam.Slots
	// Blobs are those of files; nil if they are not examined.
	Blobs storage.BlobViewer
	// Keys are those of the store; nil if its root key is not at hand. Then nothing
	// sealed is opened.
	Keys *seal.Keys
	// Served says that a service or nodes may use the store meanwhile.
	Served bool
	// Prepare, unless nil, is called in the read transaction before any row is read,
	// and sets what must not be older than the rows: Slots and Keys of a store in use.
	Prepare func(opts *Options) error
	Now     time.Time
	// Findings gets what is found.
	Findings *Findings
	// Progress is called now and then with the number of rows read so far, and the
	// bucket; nil for none.
	Progress func(bucket string, rows int64)
}

// progressRows is how many rows are read between two calls of Progress.
const progressRows = 4096

// Examine reads all rows of a store in one read transaction, and adds what it
// finds to the findings. Its error is one of the store, or a cluster.FormatError for
// a store of a newer release, whose sound rows would look damaged.
//
// Shares and blobs that end while a served store is examined are no findings.
func Examine(ctx context.Context, opts Options) error {
	var gone *suspects
	err := opts.Store.View(ctx, func(tx storage.Tx) error {
		if opts.Prepare != nil {
			if err := opts.Prepare(&opts); err != nil {
				return err
			}
		}
		if err := cluster.CheckFormat(tx); err != nil && !rows.IsDamage(err) { // such a row is reported
			return err
		}
		found := NewFindings() // View may run this more than once
		gone = newSuspects()
		x := exam.NewExam(opts.Now, func(f exam.Finding) {
			if !opts.Served || !gone.take(tx, f) {
				found.Add(f)
			}
		})
		x.Tx, x.Keys, x.Slots, x.Blobs, x.Served = tx, opts.Keys, opts.Slots, opts.Blobs, opts.Served
		e := &examination{Options: opts, exam: x, ctx: ctx}
		all := tables.Invariants(x)
		for _, i := range all {
			if err := e.bucket(i); err != nil {
				return fmt.Errorf("reading bucket %q: %w", i.Bucket, err)
			}
		}
		if err := x.EndCounts(); err != nil {
			return fmt.Errorf("reading the counters: %w", err)
		}
		reportUnknown(x, opts.Names, all)
		opts.Findings.replace(found)
		opts.Findings.Rows = e.rows
		return nil
	})
	if err != nil {
		return err
	}
	return opts.Findings.settle(ctx, opts.Store, gone)
}

// reportUnknown reports the buckets that this release does not know.
func reportUnknown(x *exam.Exam, names []string, all []exam.Invariant) {
	for _, name := range names {
		if !slices.ContainsFunc(all, func(i exam.Invariant) bool { return i.Bucket == name }) {
			x.Report(CodeBucket, name, nil)
		}
	}
}

// settle adds the suspects that are findings.
func (f *Findings) settle(ctx context.Context, store storage.Viewer, gone *suspects) error {
	lost, err := gone.again(ctx, store)
	for _, one := range lost {
		f.Add(one)
	}
	if gone.more > 0 {
		f.Skipped = append(f.Skipped, fmt.Sprintf("%d more rows had no share or blob when those were looked at: whether they ended just then was not looked at", gone.more))
	}
	return err
}

// examination is one under way.
type examination struct {
	Options
	exam *exam.Exam
	ctx  context.Context //nolint:containedctx // it lasts as long as one call
	rows int64
}

// bucket examines the rows of a bucket.
func (e *examination) bucket(i exam.Invariant) error {
	e.exam.Begin(i)
	err := e.exam.Tx.Range(i.Bucket, nil, nil, func(key, value []byte) error {
		if err := e.tell(i.Bucket); err != nil {
			return err
		}
		err := i.Check(key, value)
		if err == nil && i.Row != nil {
			err = i.Row(key, value)
		}
		if rows.IsDamage(err) {
			e.exam.Damaged(i, key)
			return nil
		}
		return err
	})
	if err == nil && i.End != nil {
		err = i.End()
	}
	return err
}

func (e *examination) tell(bucket string) error {
	if e.rows++; e.rows%progressRows == 0 {
		if e.Progress != nil {
			e.Progress(bucket, e.rows)
		}
		return e.ctx.Err()
	}
	return nil
}
