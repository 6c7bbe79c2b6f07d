package doctor

import (
	"context"
	"fmt"

	"hush/storage"
	"hush/vault/tables"
)

// Older counts the rows of a bucket that an earlier release wrote. This one reads
// them, and writes them in its own form when they change.
type Older struct {
	Bucket string `json:"bucket"`
	Rows   int64  `json:"rows"`
	Of     int64  `json:"of"` // all rows of the bucket
}

// CountOlder counts the rows of older versions in each bucket that has some. It
// reads the rows of the buckets whose records have several versions. tell is called
// now and then with the number of rows read so far.
func CountOlder(ctx context.Context, store storage.Store, tell func(rows int64)) (found []Older, err error) {
	err = store.View(ctx, func(tx storage.Tx) error {
		found = nil
		read := int64(0)
		for _, b := range tables.Copied() {
			if b.Version == 0 {
				continue
			}
			o := Older{Bucket: b.Name}
			err := tx.Range(b.Name, nil, nil, func(_, value []byte) error {
				o.Of++
				if len(value) > 0 && value[0] < b.Version {
					o.Rows++
				}
				if read++; read%progressRows == 0 {
					tell(read)
					return ctx.Err()
				}
				return nil
			})
			if err != nil {
				return fmt.Errorf("reading bucket %q: %w", b.Name, err)
			}
			if o.Rows > 0 {
				found = append(found, o)
			}
		}
		return nil
	})
	return found, err
}
