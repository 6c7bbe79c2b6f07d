package transfer

import (
	"context"

	"hush/vault/cluster"
	"hush/vault/rows"
)

const (
	// pageRows and pageBytes bound what is read or written in one transaction.
	pageRows  = 512
	pageBytes = 1 << 20
)

// row is a row of a bucket.
type row struct{ key, value []byte }

func (r row) size() int64 { return int64(len(r.key) + len(r.value)) }

// page is some rows of a bucket, in order.
type page []row

func (p page) size() (size int64) {
	for _, r := range p {
		size += r.size()
	}
	return size
}

// eachPage calls fn with the rows of a bucket after a key, all for nil, a page at a time.
// Each page is read in one transaction, in which fn does not run.
func eachPage(ctx context.Context, store cluster.Store, bucket string, after []byte, fn func(page) error) error {
	for w := walk(store, bucket, after); !w.ended; {
		if err := w.read(ctx); err != nil {
			return err
		}
		if len(w.page) == 0 {
			return nil
		}
		if err := fn(w.page); err != nil {
			return err
		}
	}
	return nil
}

// walker reads the rows of a bucket in order, a page in each transaction.
type walker struct {
	store  cluster.Store
	bucket string
	from   []byte
	page   page
	ended  bool
}

// walk returns a walker over the rows after a key; all for nil.
func walk(store cluster.Store, bucket string, after []byte) *walker {
	w := &walker{store: store, bucket: bucket}
	if after != nil {
		w.from = append(append(w.from, after...), 0)
	}
	return w
}

// next returns the next row. ok is false after the last.
func (w *walker) next(ctx context.Context) (r row, ok bool, err error) {
	if len(w.page) == 0 && !w.ended {
		if err := w.read(ctx); err != nil {
			return row{}, false, err
		}
	}
	if len(w.page) == 0 {
		return row{}, false, nil
	}
	r, w.page = w.page[0], w.page[1:]
	return r, true, nil
}

// read reads the next page, which is empty after the last row.
func (w *walker) read(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var read page
	full := false
	err := w.store.View(ctx, func(tx *rows.Tx) error {
		read, full = nil, false
		size := int64(0)
		return rows.IgnoreEnough(tx.Range(w.bucket, w.from, nil, func(key, value []byte) error {
			r := row{append([]byte{}, key...), append([]byte{}, value...)}
			read, size = append(read, r), size+r.size()
			if full = len(read) == pageRows || size >= pageBytes; full {
				return rows.ErrEnough
			}
			return nil
		}))
	})
	if err != nil {
		return err
	}
	w.page, w.ended = read, !full
	if full {
		w.from = append(append([]byte{}, read[len(read)-1].key...), 0)
	}
	return nil
}
