package offline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"

	"go.etcd.io/bbolt"
	"golang.org/x/sys/unix"

	"hush/storage/bolt"
	"hush/storage/disk"
	"hush/storage/sharefile"
)

// CompactStep is a part of Compact.
type CompactStep string

// The steps, in their order. Whatever ends the process in one of them, the folder
// has all data and can be served.
const (
	CompactWrite  CompactStep = "writing the new database"
	CompactVerify CompactStep = "comparing the new database"
	CompactName   CompactStep = "naming the new database"
	CompactShares CompactStep = "cutting the shares"
)

const (
	// compactBatch is how many bytes of rows are written with one commit.
	compactBatch = 2 << 20
	// compactGrowth is the step in which the new file grows, so that it does not
	// end with much that is not in use.
	compactGrowth = 1 << 20
	// compactSpare is what must stay free on the disk.
	compactSpare = 16 << 20
)

// ErrNoRoom reports that the disk has no room for a second database.
var ErrNoRoom = errors.New("too little free space on the disk")

// CompactOptions say how to compact a folder.
type CompactOptions struct {
	// Last is the last slot that a row owns or lists for destruction, nil if that
	// is not known. The slots after it are cut off.
	Last *uint64
	// Check stops before anything is changed.
	Check bool
	// Step, unless nil, is called before each step; its error ends Compact.
	Step func(CompactStep) error
	// Tell, unless nil, is called with the number of rows that were written, or
	// compared.
	Tell func(rows int64)
}

// Compacted is what Compact did, or with Check would do, in bytes.
type Compacted struct {
	DatabaseBefore, DatabaseAfter int64
	SharesBefore, SharesAfter     int64
	// Needed is the free space that it takes while it runs.
	Needed int64
	Rows   int64
}

// Compact rewrites the database without its free pages, and cuts free slots off
// the end of the shares file. Both must be open. The size that Check tells is at
// most that: pages that are half empty are filled, too.
//
// The new database gets its name when it is durable and was compared with the old
// one; until then the old one stays as it is.
func (i *Inspection) Compact(ctx context.Context, opts CompactOptions) (done Compacted, err error) {
	if done, err = i.plan(opts); err != nil || opts.Check {
		return done, err
	}
	step := func(s CompactStep) error {
		if err := ctx.Err(); err != nil || opts.Step == nil {
			return err
		}
		return opts.Step(s)
	}
	if err := i.folder.Renew(disk.System{}); err != nil {
		return done, err
	}
	if err := i.rewrite(ctx, opts.Tell, step, &done); err != nil {
		return done, err
	}
	if opts.Last == nil {
		return done, nil
	}
	if err := step(CompactShares); err != nil {
		return done, err
	}
	return done, sharefile.Cut(i.folder.Path(bolt.SharesName), i.slots, *opts.Last+1)
}

// plan measures, and returns ErrNoRoom if there is no room.
func (i *Inspection) plan(opts CompactOptions) (done Compacted, err error) {
	info, err := os.Stat(i.folder.Path(bolt.DatabaseName))
	if err != nil {
		return done, err
	}
	done.DatabaseBefore, done.DatabaseAfter = info.Size(), min(i.used+compactGrowth, info.Size())
	done.SharesBefore, done.SharesAfter = i.slots.Size(), i.slots.Size()
	if opts.Last != nil {
		done.SharesAfter = min(i.slots.Size(), int64(*opts.Last+1)*sharefile.SlotSize)
	}
	done.Needed = i.used + compactGrowth + compactSpare
	if free, known := disk.FreeBytes(i.folder.Path(".")); known && free < done.Needed {
		return done, fmt.Errorf("%w: %s", ErrNoRoom, disk.Shortage(free, done.Needed))
	}
	return done, nil
}

// rewrite replaces the database.
func (i *Inspection) rewrite(ctx context.Context, tell func(int64), step func(CompactStep) error, done *Compacted) error {
	path := i.folder.Path(bolt.NewDatabaseName)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing an unfinished database: %w", err)
	}
	if err := step(CompactWrite); err != nil {
		return err
	}
	sum, rows, err := i.write(ctx, path, tell)
	if err != nil {
		return errors.Join(fmt.Errorf("writing the new database: %w", err), os.Remove(path))
	}
	if err := step(CompactVerify); err != nil {
		return err
	}
	size, err := compare(ctx, path, sum, rows, tell)
	if err != nil {
		return errors.Join(fmt.Errorf("comparing the new database: %w", err), os.Remove(path))
	}
	if err := step(CompactName); err != nil {
		return err
	}
	if err := os.Rename(path, i.folder.Path(bolt.DatabaseName)); err != nil {
		return fmt.Errorf("naming the new database: %w", err)
	}
	done.DatabaseAfter, done.Rows = size, rows
	return i.folder.Sync()
}

// write writes all rows to a new database, which is durable then. It belongs to
// the owner of the old one.
func (i *Inspection) write(ctx context.Context, path string, tell func(int64)) (sum [sha256.Size]byte, rows int64, err error) {
	opts := bolt.DatabaseOptions()
	opts.NoSync = true // one sync at the end
	db, err := bolt.CreateDatabase(path, opts, i.sameOwner)
	if err != nil {
		return sum, 0, err
	}
	db.AllocSize = compactGrowth
	w := compaction{db: db}
	defer func() { err = errors.Join(err, w.rollback(), db.Close()) }()
	if w.files, err = i.folder.RecordOfRenamed(i.db, path); err != nil {
		return sum, 0, err
	}
	sum, rows, err = hashRows(ctx, i.db, tell, w.put)
	if err == nil {
		err = w.commit()
	}
	if err == nil {
		err = db.Sync()
	}
	return sum, rows, err
}

// sameOwner gives a file of root's to the owner of the database.
func (i *Inspection) sameOwner(file *os.File) error {
	var stat unix.Stat_t
	if err := unix.Stat(i.folder.Path(bolt.DatabaseName), &stat); err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		return nil
	}
	return file.Chown(int(stat.Uid), int(stat.Gid))
}

// compaction is a new database that is being filled.
type compaction struct {
	db     *bbolt.DB
	tx     *bbolt.Tx // nil between two commits
	bucket *bbolt.Bucket
	name   []byte
	bytes  int
	files  []byte // takes the place of the record of the files; nil to leave it as it is
}

// put adds a row, whose key is after all others of its bucket. Pages are filled
// as tightly as in ordinary use.
func (w *compaction) put(bucket, key, value []byte) (err error) {
	if w.tx == nil {
		if w.tx, err = w.db.Begin(true); err != nil {
			return err
		}
		w.bucket, w.bytes = nil, 0
	}
	if w.bucket == nil || !bytes.Equal(w.name, bucket) {
		if w.bucket, err = w.tx.CreateBucketIfNotExists(bucket); err != nil {
			return err
		}
		w.bucket.FillPercent = bolt.FillPercent
		w.name = bytes.Clone(bucket)
	}
	if key == nil {
		return nil // the bucket may have no rows
	}
	if w.files != nil && bolt.IsFilesRow(bucket, key) {
		value = w.files
	}
	if err := w.bucket.Put(key, value); err != nil {
		return err
	}
	if w.bytes += len(key) + len(value); w.bytes > compactBatch {
		return w.commit()
	}
	return nil
}

func (w *compaction) commit() error {
	if w.tx == nil {
		return nil
	}
	err := w.tx.Commit()
	w.tx, w.bucket = nil, nil
	return err
}

func (w *compaction) rollback() error {
	if w.tx == nil {
		return nil
	}
	return w.tx.Rollback()
}

// errNested reports a bucket within a bucket, which no release makes.
var errNested = errors.New("bolt: a bucket within a bucket")

// hashRows calls fn for each bucket, with a nil key, and each of its rows, in one
// read transaction. It returns a hash of them all but the record of the files, and the
// number of rows but for the store's own.
func hashRows(ctx context.Context, db *bbolt.DB, tell func(int64), fn func(bucket, key, value []byte) error) (sum [sha256.Size]byte, rows int64, err error) {
	h := sha256.New()
	err = db.View(func(btx *bbolt.Tx) error {
		return btx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			hashPart(h, name)
			if err := fn(name, nil, nil); err != nil {
				return err
			}
			return b.ForEach(func(key, value []byte) error {
				if value == nil {
					return errNested
				}
				if string(name) != bolt.OwnBucket {
					rows++
				}
				if err := pause(ctx, rows, tell); err != nil {
					return err
				}
				if !bolt.IsFilesRow(name, key) {
					hashPart(h, key)
					hashPart(h, value)
				}
				return fn(name, key, value)
			})
		})
	})
	return [sha256.Size]byte(h.Sum(nil)), rows, err
}

// pause calls tell, unless it is nil, and looks at the context, now and then.
func pause(ctx context.Context, rows int64, tell func(int64)) error {
	if rows%1024 != 0 {
		return nil
	}
	if tell != nil {
		tell(rows)
	}
	return ctx.Err()
}

// hashPart adds bytes behind their length.
func hashPart(h hash.Hash, part []byte) {
	_, _ = h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
	_, _ = h.Write(part)
}

// compare checks the pages of a new database and that it has the rows of the old
// one. It returns its size.
func compare(ctx context.Context, path string, want [sha256.Size]byte, rows int64, tell func(int64)) (size int64, err error) {
	opts := bolt.DatabaseOptions()
	opts.ReadOnly, opts.InitialMmapSize = true, 0
	db, err := bolt.OpenDatabase(path, opts)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	if _, err := checkPages(ctx, db, info.Size(), nil); err != nil {
		return 0, err
	}
	got, n, err := hashRows(ctx, db, tell, func(_, _, _ []byte) error { return nil })
	if err == nil && (got != want || n != rows) {
		err = fmt.Errorf("%w: the new database has %d rows that differ from the %d of the old one", bolt.ErrMismatch, n, rows)
	}
	return info.Size(), err
}
