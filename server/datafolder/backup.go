package datafolder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"hush/backup"
	"hush/seal"
	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/sharefile"
	"hush/vault/cluster"
	"hush/vault/keylist"
	"hush/vault/restoration"
	"hush/vault/rows"
)

// The errors of Backup beside those of what it writes to.
var (
	// ErrBackingUp is returned while another backup is made: each holds back what
	// the database could use again.
	ErrBackingUp = errors.New("another backup of this service is being made: try again when it is complete")
	// ErrNoBackup is returned for data that is not in a folder.
	ErrNoBackup = errors.New("the data is in PostgreSQL, of which hush makes no backup: use pg_dump --exclude-table-data=hush.record_epoch, since destroyed secrets can be opened again from a dump with the epoch keys")
)

// BackupOptions is what a backup says of itself, and who is told about it.
type BackupOptions struct {
	Release string
	// Begun is called with the length of the database, and Wrote now and then with
	// the bytes that were written so far. Both may be nil.
	Begun, Wrote func(bytes int64)
}

// Backup writes a backup of everything in the data folder but keys and
// certificates, while it is in use or not. First come all rows of one moment,
// then those of their shares that are live after it. Shares of later secrets are
// left out: nothing that begins after a backup can be opened with it.
func (d *Data) Backup(ctx context.Context, to io.Writer, opts BackupOptions) (trailer backup.Trailer, err error) {
	store, ok := d.store.(*bolt.Store)
	shares, also := d.shares.(*sharefile.File)
	if !ok || !also {
		return trailer, ErrNoBackup
	}
	if !d.backingUp.CompareAndSwap(false, true) {
		return trailer, ErrBackingUp
	}
	defer d.backingUp.Store(false)
	header, err := d.backupHeader(ctx, store, opts)
	if err != nil {
		return trailer, err
	}
	w, err := backup.NewWriter(to, header)
	if err != nil {
		return trailer, err
	}
	tell := func() {
		if opts.Wrote != nil {
			opts.Wrote(w.Bytes())
		}
	}
	find, named := restoration.SlotFinder(), slotSet{}
	err = store.Snapshot(ctx, func(s *bolt.Snapshot) error {
		if opts.Begun != nil {
			opts.Begun(s.Bytes())
		}
		return s.Rows(ctx, func(bucket string, key, value []byte) error {
			if w.Rows()%toldEvery == 0 {
				tell()
			}
			if slot, ok := find(bucket, key, value); ok {
				named.add(slot.Number)
			}
			return w.Row(bucket, key, value)
		})
	})
	if err != nil {
		return trailer, err
	}
	all, err := shares.Live(ctx, func(slot storage.Slot, share [storage.ShareSize]byte) error {
		if !named.has(slot.Number) {
			return nil
		}
		return w.Slot(slot, share)
	})
	if err != nil {
		return trailer, err
	}
	tell()
	return w.End(all.Slots, all.Generation)
}

// slotSet is a set of the numbers of slots, with a bit for each.
type slotSet []uint64

// mostSlots bounds what a damaged row can make a slotSet take: 128 MiB.
const mostSlots = 1 << 30

func (s *slotSet) add(number uint64) {
	if number >= mostSlots {
		return
	}
	if missing := int(number/64) + 1 - len(*s); missing > 0 {
		*s = append(*s, make([]uint64, missing)...)
	}
	(*s)[number/64] |= 1 << (number % 64)
}

func (s slotSet) has(number uint64) bool {
	return number/64 < uint64(len(s)) && s[number/64]&(1<<(number%64)) != 0
}

// toldEvery is how many rows are written between two calls of Wrote.
const toldEvery = 512

// backupHeader returns what a backup that begins now says of itself. The position
// of the spent log is read before the rows: what they do not know to have ended
// has a higher sequence.
func (d *Data) backupHeader(ctx context.Context, store *bolt.Store, opts BackupOptions) (h backup.Header, err error) {
	h = backup.Header{Release: opts.Release, Time: time.Now()}
	log, sequence, inUse, err := d.SpentPosition(ctx)
	if err != nil {
		return h, err
	}
	if inUse {
		h.Spent = &backup.Position{Log: backup.ID(log), Sequence: sequence}
	}
	id, err := store.ID()
	if err != nil {
		return h, err
	}
	h.Store = id
	err = store.View(ctx, func(tx storage.Tx) error {
		format, err := cluster.GetFormat(tx)
		if err != nil {
			return err
		}
		h.Format = uint32(format.Format)
		keys, err := keylist.GetRootKeys(tx)
		if err != nil {
			return err
		}
		for _, key := range keys.Needed() {
			h.RootKeys = append(h.RootKeys, fmt.Sprintf("%x", key.KID()))
		}
		return nil
	})
	return h, err
}

// CheckBackup returns an error for a backup of a newer release, whose rows this one
// cannot read.
func CheckBackup(h backup.Header) error {
	if newest := rows.FormatNewest(); rows.Format(h.Format) > newest {
		return fmt.Errorf("the backup has format %d, and this release of hush reads formats up to %d: upgrade to hush %s or later, which made it",
			h.Format, newest, h.Release)
	}
	return nil
}

// MissingKeys returns the part of an error that names the root keys which a file lacks,
// or nil if it is no such error.
func MissingKeys(err error) error {
	if missing, ok := errors.AsType[*keylist.MissingRootKeyError](err); ok {
		return missing
	}
	return nil
}

// ReadKeys returns the root keys in a file.
func ReadKeys(ctx context.Context, path string) (*seal.Keys, error) {
	keys, _, err := readKeys(ctx, path)
	return keys, err
}

// ID returns the id of the store, of which backups have a part in their names, or
// ErrNoBackup.
func (d *Data) ID() (id backup.ID, err error) {
	store, ok := d.store.(*bolt.Store)
	if !ok {
		return id, ErrNoBackup
	}
	raw, err := store.ID()
	return raw, err
}
