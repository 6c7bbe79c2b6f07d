package postgres

import (
	"context"
	"encoding/binary"
	"sync"
	"time"
)

// buckets knows the numbers of buckets. A bucket gets its number when it is
// first named, in a transaction of its own: a number without rows changes
// nothing for any caller.
//
// A number counts on one timeline of the database. A standby that lagged when
// it was promoted may give it to another bucket. Each new connection is asked whether
// the numbers are still those; see seen.
type buckets struct {
	db  *Store
	ids sync.Map // of int16 by namedBucket
}

// noBucket is the number of no bucket.
const noBucket = -1

type namedBucket struct{ timeline, name string }

// id returns the number of a bucket on that timeline, or errMoved if the
// database has left it.
func (b *buckets) id(timeline, name string) (int16, error) {
	if id, ok := b.ids.Load(namedBucket{timeline, name}); ok {
		if id, ok := id.(int16); ok {
			return id, nil
		}
	}
	var id int16
	err := b.db.patiently(context.Background(), time.Now().Add(b.db.opts.Patience), func(c *conn) error {
		if c.timeline != timeline {
			return errMoved
		}
		c.queue(stmtBucket, []byte(name))
		if err := c.exchange(intoInt2(&id)); err != nil || id != 0 || b.db.opts.ReadOnly {
			return err
		}
		c.queue(stmtNewBucket, []byte(name))
		c.sync()
		c.queue(stmtBucket, []byte(name))
		c.sync()
		if err := c.flush(); err != nil {
			return err
		}
		if err := c.receive(nil); err != nil {
			return err
		}
		if err := c.receive(intoInt2(&id)); err != nil || id != 0 {
			return err
		}
		return c.changed()
	})
	if err != nil {
		return 0, err
	}
	switch {
	case id != 0:
	case b.db.opts.ReadOnly:
		return noBucket, nil // it may get one later
	default:
		return 0, errProtocol
	}
	b.ids.Store(namedBucket{timeline, name}, id)
	return id, nil
}

// known returns the numbers that are known on a timeline.
func (b *buckets) known(timeline string) map[string]int16 {
	numbers := map[string]int16{}
	b.ids.Range(func(at, id any) bool {
		if at, ok := at.(namedBucket); ok && at.timeline == timeline {
			numbers[at.name], _ = id.(int16)
		}
		return true
	})
	return numbers
}

// carry takes the numbers that are known on a timeline over to that of c. It
// reports whether they are the same there.
func (b *buckets) carry(c *conn, timeline string) (same bool, err error) {
	found := map[string]int16{}
	c.queue(stmtBuckets)
	err = c.exchange(func(_ int, columns [][]byte) error {
		if len(columns) != 2 || len(columns[0]) != 2 {
			return errProtocol
		}
		found[string(columns[1])] = int16(binary.BigEndian.Uint16(columns[0]))
		return nil
	})
	if err != nil {
		return false, err
	}
	same = true
	b.ids.Range(func(at, id any) bool {
		if at, ok := at.(namedBucket); ok && at.timeline == timeline && id != any(found[at.name]) {
			same = false
		}
		return same
	})
	for name, id := range found {
		b.ids.Store(namedBucket{c.timeline, name}, id)
	}
	return same, nil
}

func intoInt2(id *int16) row {
	return func(_ int, columns [][]byte) error {
		if len(columns) != 1 || len(columns[0]) != 2 {
			return errProtocol
		}
		*id = int16(binary.BigEndian.Uint16(columns[0]))
		return nil
	}
}

func intoInt8(n *int64) row {
	return func(_ int, columns [][]byte) error {
		if len(columns) != 1 || len(columns[0]) != 8 {
			return errProtocol
		}
		*n = int64(binary.BigEndian.Uint64(columns[0]))
		return nil
	}
}
