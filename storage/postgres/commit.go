package postgres

import (
	"context"
	"fmt"
	"time"

	"hush/storage"
)

// mode is how a batch is kept apart from those of other nodes.
type mode struct {
	begin []string
	apply string
	// inside: the commit ends the transaction of the snapshot.
	inside bool
	// uncertain: what was read is right only if the commit succeeds.
	uncertain bool
}

// certified reads a snapshot without any lock and certifies it in the commit.
var certified = mode{begin: []string{stmtBegin, stmtHoldLayout}, apply: stmtApply}

// locked takes the lock before it reads, so that no other node can fail it. It
// is for batches that others failed again and again.
var locked = mode{begin: []string{stmtBeginLocked, stmtLock}, apply: stmtApply, inside: true}

func (s *Store) newSnapshot(c *conn, m mode) *snapshot {
	return &snapshot{db: s, conn: c, read: time.Now(), timeline: c.timeline, begin: m.begin, uncertain: m.uncertain}
}

// commit makes the changes of b durable and gives the connection back. It
// returns nil, or an error after which nothing was changed, or
// storage.ErrUnknownOutcome.
func (l *lane) commit(b *group, m mode) error {
	l.batch++
	l.db.commits.Add(1)
	c := b.snap.conn
	b.snap.conn = nil
	defer func() { l.db.pool.give(c) }()
	err := l.apply(c, b, m)
	switch {
	case err == nil && c.warned:
		return l.settle(&brokenError{errUnconfirmed})
	case err == nil:
		l.db.connector.seen.confirm(c.timeline, l.number, l.batch)
		return nil
	case isBroken(err):
		return l.settle(err)
	case m.inside:
		c.queue(stmtRollback)
		_ = c.exchange(nil)
	}
	// It was rolled back and left no row, so its number is free. The next
	// commit removes the row of the number before it and finds it.
	l.batch--
	return err
}

// apply sends the commit in one piece and reads the answer. It returns
// errChanged, and ends the connection, if the commit would not be kept, and
// storage.ErrShareGone if the database lacks a share that is needed.
func (l *lane) apply(c *conn, b *group, m mode) error {
	switch {
	case m.inside && !b.snap.begun:
		for _, s := range m.begin {
			c.queue(s)
		}
	case !m.inside && b.snap.begun:
		c.queue(stmtCommit)
		c.sync()
		c.owed++
	}
	c.queue(m.apply, b.parameters(l.number, l.batch)...)
	if m.inside {
		c.queue(stmtCommit)
	}
	kept, there := false, false
	err := c.exchange(func(_ int, columns [][]byte) error {
		if len(columns) != 2 || len(columns[0]) != 1 {
			return errProtocol
		}
		kept, there = true, columns[0][0] != 0
		return nil
	})
	switch {
	case err != nil:
		return err
	case !kept:
		_ = c.changed()
		return errChanged
	case !there:
		return storage.ErrShareGone
	}
	return nil
}

// parameters returns the arguments of the function apply.
func (b *group) parameters(lane, batch int64) [][]byte {
	readBucket, readKey, readVersion := newArray(oidInt2), newArray(oidBytea), newArray(oidXid)
	seen := make(map[rowKey]struct{}, len(b.runs))
	rangeBucket, rangeFrom, rangeTo, rangeRows := newArray(oidInt2), newArray(oidBytea), newArray(oidBytea), newArray(oidInt4)
	needNumber, needGeneration := newArray(oidInt8), newArray(oidInt8)
	for _, r := range b.runs {
		if r.err == nil { // otherwise it stores nothing
			for _, slot := range r.needs {
				needNumber.int8(int64(slot.Number))
				needGeneration.int8(int64(slot.Generation))
			}
		}
		for at, version := range r.reads {
			if _, again := seen[at]; again {
				continue
			}
			seen[at] = struct{}{}
			readBucket.int2(at.bucket)
			readKey.text(at.key)
			readVersion.int4(version)
		}
		for _, read := range r.ranges {
			rangeBucket.int2(read.bucket)
			rangeFrom.text(read.from)
			rangeTo.bytea(read.end())
			rangeRows.int4(uint32(read.rows))
		}
	}
	putBucket, putKey, putValue := newArray(oidInt2), newArray(oidBytea), newArray(oidBytea)
	deleteBucket, deleteKey := newArray(oidInt2), newArray(oidBytea)
	for _, bucket := range b.changes.sortedBuckets() {
		b.changes.buckets[bucket].Scan(func(key string, c change) bool {
			if c.gone {
				deleteBucket.int2(bucket)
				deleteKey.text(key)
			} else {
				putBucket.int2(bucket)
				putKey.text(key)
				putValue.bytea(c.value)
			}
			return true
		})
	}
	return [][]byte{
		encodeInt8(lane), encodeInt8(batch),
		readBucket.bytes(), readKey.bytes(), readVersion.bytes(),
		rangeBucket.bytes(), rangeFrom.bytes(), rangeTo.bytes(), rangeRows.bytes(),
		putBucket.bytes(), putKey.bytes(), putValue.bytes(),
		deleteBucket.bytes(), deleteKey.bytes(),
		needNumber.bytes(), needGeneration.bytes(),
	}
}

// settle finds out what became of a commit whose connection broke, or which the
// server did not wait for its standbys with. It puts the batch's own row into
// commits, marked void. If the commit was made, its row is there already; if it
// is still under way, the server waits for its end; and if it comes later, it
// finds the row and fails. The answer is right after a failover too, since it is
// the new primary's own data that is asked; a transaction's number may mean
// another transaction there.
func (l *lane) settle(cause error) error {
	until := l.db.patience()
	void := false
	err := l.db.patiently(context.Background(), until, func(c *conn) (err error) {
		if void, err = l.fence(c); err != nil || void {
			return err
		}
		// A primary that crashed shows commits that its standbys lack.
		if err = c.confirm(); err == nil {
			l.db.connector.seen.confirm(c.timeline, l.number, l.batch)
		}
		return err
	})
	switch {
	case err != nil:
		// The causes are told but not wrapped: they may pass, this may not.
		return fmt.Errorf("%w: %v, then %v", storage.ErrUnknownOutcome, cause, err) //nolint:errorlint // see above
	case void:
		return cause
	}
	return nil
}

// fence makes sure that the last batch is not committed later, and reports
// whether it was not before. It returns errForgotten if the database does not know.
func (l *lane) fence(c *conn) (void bool, err error) {
	c.queue(stmtFence, encodeInt8(l.number), encodeInt8(l.batch))
	c.sync()
	c.queue(stmtFenced, encodeInt8(l.number), encodeInt8(l.batch))
	c.sync()
	if err := c.flush(); err != nil {
		return false, err
	}
	if err := c.receive(nil); err != nil {
		return false, err
	}
	found, kept := false, false
	err = c.receive(func(_ int, columns [][]byte) error {
		if len(columns) != 2 || len(columns[1]) != 1 {
			return errProtocol
		}
		kept = columns[1][0] != 0
		if found = len(columns[0]) == 1; found {
			void = columns[0][0] != 0
		}
		return nil
	})
	switch {
	case err != nil || found:
		return void, err
	case !kept:
		return false, c.changed()
	}
	return false, errForgotten
}

// confirm makes sure that what this server has committed before is on the
// synchronous standbys: a later commit that was waited for proves it. Without a
// write of its own, a transaction that finds its work done would not wait.
func (c *conn) confirm() error {
	c.queue(stmtConfirm)
	written := false
	err := c.exchange(func(int, [][]byte) error { written = true; return nil })
	switch {
	case err != nil:
		return err
	case !written:
		return c.changed()
	case c.warned:
		return &brokenError{errUnconfirmed}
	}
	return nil
}
