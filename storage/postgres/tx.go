package postgres

import (
	"slices"

	"hush/storage"
)

const maxKeySize = 1024

const (
	// firstPage is how many rows of a range are read at first; many ranges are
	// left after a few.
	firstPage = 32
	// maxPage bounds the rows of a page, and pageBytes about how large it is.
	maxPage   = 1024
	pageBytes = 256 << 10
)

var _ storage.Tx = (*tx)(nil)

// tx is a storage.Tx on a snapshot. What fn writes is kept in own, above what
// earlier updates of its batch have written.
type tx struct {
	snap     *snapshot
	buckets  *buckets
	base     *overlay // of the batch; nil for none
	writable bool
	records  bool // keep account of what is read

	own    overlay
	reads  map[rowKey]uint32 // version, of rows read from the snapshot
	ranges []rangeRead

	needs   []storage.Slot // of shares that the database has to have at the commit
	ranging []string
	done    bool
	lost    error // of the store: what fn makes of it does not count
}

// rangeRead is a range that was read: how many rows of it the snapshot has.
// The rows themselves are in reads.
type rangeRead struct {
	bucket int16
	keyRange
	rows int
}

// Get implements storage.Tx.
func (t *tx) Get(bucket string, key []byte) ([]byte, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	id, err := t.bucket(bucket)
	if err != nil {
		return nil, err
	}
	at := rowKey{id, string(key)}
	if c, changed := t.own.get(at); changed {
		return c.result()
	}
	if c, changed := t.base.get(at); changed {
		return c.result()
	}
	row, err := t.snap.get(at)
	if err != nil {
		return nil, t.lose(err)
	}
	t.record(at, row.version)
	if row.version == 0 {
		return nil, storage.ErrNotFound
	}
	return append([]byte{}, row.value...), nil
}

// Same implements storage.Tx.
func (t *tx) Same(bucket string, key, value []byte) (bool, error) {
	return storage.SameByGet(t, bucket, key, value)
}

// Change implements storage.Tx. It is Get and Put: what is written waits in memory for
// the commit of the batch anyway.
func (t *tx) Change(bucket, key string, fn func(value []byte) ([]byte, error)) error {
	return storage.ChangeByPut(t, bucket, key, fn)
}

func (c change) result() ([]byte, error) {
	if c.gone {
		return nil, storage.ErrNotFound
	}
	return append([]byte{}, c.value...), nil
}

// Put implements storage.Tx.
func (t *tx) Put(bucket string, key, value []byte) error {
	return t.write(bucket, key, change{value: append([]byte{}, value...)})
}

// Delete implements storage.Tx.
func (t *tx) Delete(bucket string, key []byte) error {
	return t.write(bucket, key, change{gone: true})
}

func (t *tx) write(bucket string, key []byte, c change) error {
	if !t.writable {
		return errReadOnly
	}
	if slices.Contains(t.ranging, bucket) {
		return errRanging
	}
	if err := checkKey(key); err != nil {
		return err
	}
	id, err := t.bucket(bucket)
	if err != nil {
		return err
	}
	t.own.set(rowKey{id, string(key)}, c)
	return nil
}

// Range implements storage.Tx. Pages of the snapshot are merged with the
// changes above it.
func (t *tx) Range(bucket string, from, to []byte, fn func(key, value []byte) error) error {
	id, err := t.bucket(bucket)
	if err != nil {
		return err
	}
	r := newRange(from, to)
	if !r.open && r.to <= r.from {
		return nil
	}
	t.ranging = append(t.ranging, bucket)
	defer func() { t.ranging = t.ranging[:len(t.ranging)-1] }()
	w := walk{
		tx: t, fn: fn, read: rangeRead{bucket: id, keyRange: r},
		changes: mergeChanges(t.base.within(id, r), t.own.within(id, r)),
	}
	return w.run()
}

// walk is one Range under way.
type walk struct {
	tx      *tx
	fn      func(key, value []byte) error
	read    rangeRead
	changes []keyed
	last    string // key that was passed last
}

func (w *walk) run() error {
	err := w.pages()
	for err == nil && len(w.changes) > 0 {
		err = w.next()
	}
	if w.tx.records {
		if err != nil {
			w.read.keyRange = w.read.through(w.last)
		}
		w.tx.ranges = append(w.tx.ranges, w.read)
	}
	return err
}

// pages walks over the rows of the snapshot and the changes before the last of
// them.
func (w *walk) pages() error {
	from, limit := w.read.from, firstPage
	for {
		page, err := w.tx.snap.page(w.read.bucket, from, w.read.end(), limit)
		if err != nil {
			return w.tx.lose(err)
		}
		for _, row := range page {
			if err := w.row(row); err != nil {
				return err
			}
		}
		if len(page) < limit {
			return nil
		}
		from, limit = page[len(page)-1].key+"\x00", nextLimit(page)
	}
}

// row hands over the changes before row, and then the row or its change.
func (w *walk) row(row pageRow) error {
	for len(w.changes) > 0 && w.changes[0].key < row.key {
		if err := w.next(); err != nil {
			return err
		}
	}
	w.read.rows++
	w.tx.record(rowKey{w.read.bucket, row.key}, row.version)
	if len(w.changes) > 0 && w.changes[0].key == row.key {
		return w.next()
	}
	w.last = row.key
	return w.fn([]byte(row.key), row.value)
}

// next hands the first change to fn, unless it is a deletion.
func (w *walk) next() error {
	c := w.changes[0]
	w.changes, w.last = w.changes[1:], c.key
	if c.gone {
		return nil
	}
	return w.fn([]byte(c.key), append([]byte{}, c.value...))
}

// nextLimit grows the pages up to pageBytes.
func nextLimit(page []pageRow) int {
	size := 1
	for i := range page {
		size += len(page[i].key) + len(page[i].value)
	}
	fits := pageBytes * len(page) / size
	return max(1, min(fits, 4*len(page), maxPage))
}

func (t *tx) record(at rowKey, version uint32) {
	if !t.records {
		return
	}
	if t.reads == nil {
		t.reads = map[rowKey]uint32{}
	}
	t.reads[at] = version
}

// NeedShare implements storage.Tx. The commit looks for the share in the
// database that it is made to.
func (t *tx) NeedShare(slot storage.Slot) { t.needs = append(t.needs, slot) }

// conflicts reports whether the transaction has read what changes holds.
func (t *tx) conflicts(changes *overlay) bool {
	if changes.empty() {
		return false
	}
	for at := range t.reads {
		if _, changed := changes.get(at); changed {
			return true
		}
	}
	for _, r := range t.ranges {
		if changes.touches(r.bucket, r.keyRange) {
			return true
		}
	}
	return false
}

// lose notes that the store failed, so that the result of fn is worth nothing.
func (t *tx) lose(err error) error {
	if t.lost == nil {
		t.lost = err
	}
	return outward(err)
}

func (t *tx) bucket(name string) (int16, error) {
	if t.done {
		return 0, errTxDone
	}
	if name == "" || name[0] == 0 {
		return 0, errBadBucket
	}
	id, err := t.buckets.id(t.snap.line(), name)
	if err != nil {
		return 0, t.lose(err)
	}
	return id, nil
}

func checkKey(key []byte) error {
	if len(key) == 0 || len(key) > maxKeySize {
		return errBadKey
	}
	return nil
}
