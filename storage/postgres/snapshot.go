package postgres

import (
	"context"
	"encoding/binary"
	"runtime"
	"sync"
	"time"
)

const (
	// maxLookups is how many rows one round trip asks for.
	maxLookups = 1024
	// maxPages is how many pages of ranges one round trip asks for: few, so that
	// what is sent fits into the buffers of the connection while the first of the
	// answers come.
	maxPages = 8
)

// stored is what the database holds for a key. A version of 0 says that there
// is no row; otherwise it is the transaction that wrote the row, which no other
// version of the row has in common.
type stored struct {
	value   []byte
	version uint32
}

// snapshot is a consistent state of the database, read by many goroutines over
// one connection. Those who wait at the same time share a round trip. It begins
// with the first read.
type snapshot struct {
	db    *Store
	begin []string // statements that begin it
	// uncertain: see mode.
	uncertain bool

	mu       sync.Mutex
	read     time.Time // when the last read ended, or the snapshot was made
	timeline string    // of conn
	waiting  []*lookup
	leading  bool
	err      error // of the first exchange that failed; nothing is read any more
	// cache keeps the rows that were read; nil for a snapshot that no caller reads
	// twice.
	cache map[rowKey]stored

	// Of the leader:
	conn  *conn
	begun bool
}

// lookup is one row or one page of a range that a caller waits for.
type lookup struct {
	bucket int16
	key    []byte // the row, or where the page begins
	end    []byte // of the page; nil for a row
	limit  int

	row  stored
	rows []pageRow
	err  error
	done chan struct{} // one token when it is answered
	lead bool          // instead of an answer: go on as the leader; under snapshot.mu
}

type pageRow struct {
	key string
	stored
}

func (s *snapshot) get(at rowKey) (stored, error) {
	s.mu.Lock()
	if row, ok := s.cache[at]; ok {
		s.mu.Unlock()
		return row, nil
	}
	l := &lookup{bucket: at.bucket, key: []byte(at.key), done: make(chan struct{}, 1)}
	s.ask(l)
	return l.row, l.err
}

func (s *snapshot) page(bucket int16, from string, end []byte, limit int) ([]pageRow, error) {
	l := &lookup{bucket: bucket, key: []byte(from), end: end, limit: limit, done: make(chan struct{}, 1)}
	s.mu.Lock()
	s.ask(l)
	return l.rows, l.err
}

// ask waits until all of lookups, at least one, are answered. It is called with
// mu held, and releases it.
func (s *snapshot) ask(lookups ...*lookup) {
	s.waiting = append(s.waiting, lookups...)
	leads := !s.leading
	s.leading = true
	s.mu.Unlock()
	// A lookup is made the leader after those before it were answered.
	for _, l := range lookups {
		for {
			if leads {
				// Others who are about to ask may share the round trip.
				runtime.Gosched()
				s.answer()
			}
			<-l.done
			if leads = l.lead; !leads {
				break
			}
			l.lead = false
		}
	}
}

// answer makes one round trip for those who wait, and makes one of the others
// the next leader.
func (s *snapshot) answer() {
	s.mu.Lock()
	batch := s.nextBatch()
	err := s.err
	s.mu.Unlock()
	if err == nil {
		err = s.exchange(batch)
	}
	s.mu.Lock()
	if s.err == nil {
		s.err = err
	}
	for _, l := range batch {
		l.err = err
		if err == nil && l.end == nil && s.cache != nil {
			s.cache[rowKey{l.bucket, string(l.key)}] = l.row
		}
	}
	var next *lookup
	s.read = time.Now()
	if s.leading = len(s.waiting) > 0; s.leading {
		next = s.waiting[0]
		next.lead = true
	}
	s.mu.Unlock()
	for _, l := range batch {
		l.done <- struct{}{}
	}
	if next != nil {
		next.done <- struct{}{}
	}
}

// nextBatch takes lookups that wait, rows before pages.
func (s *snapshot) nextBatch() []*lookup {
	var batch, pages, left []*lookup
	for _, l := range s.waiting {
		switch {
		case l.end == nil && len(batch) < maxLookups:
			batch = append(batch, l)
		case l.end != nil && len(pages) < maxPages:
			pages = append(pages, l)
		default:
			left = append(left, l)
		}
	}
	s.waiting = left
	return append(batch, pages...)
}

// exchange asks the database for batch. Before the first answer no caller has seen
// the snapshot, so it may begin again on another connection.
func (s *snapshot) exchange(batch []*lookup) error {
	var until time.Time
	for attempt := 0; ; attempt++ {
		if s.conn == nil {
			return errTxDone
		}
		s.queue(batch)
		err := s.conn.exchange(s.reader(batch))
		if err == nil {
			s.begun = true
			return nil
		}
		if until.IsZero() {
			until = time.Now().Add(s.db.opts.Patience)
		}
		if s.begun || !isPassing(err) || !pause(context.Background(), attempt, until) {
			return err
		}
		if err := s.replace(until); err != nil {
			return err
		}
	}
}

// replace takes another connection for a snapshot that has not begun. On
// another timeline, the buckets must have the same numbers.
func (s *snapshot) replace(until time.Time) (err error) {
	s.abandon()
	if s.conn, err = s.db.pool.takePatiently(context.Background(), until); err != nil {
		return err
	}
	if s.conn.timeline == s.timeline {
		return nil
	}
	same, err := s.db.buckets.carry(s.conn, s.timeline)
	if err == nil && !same {
		err = errMoved
	}
	if err != nil {
		s.abandon()
		return err
	}
	s.mu.Lock()
	s.timeline = s.conn.timeline
	s.mu.Unlock()
	return nil
}

// line returns the timeline that the numbers of buckets have to be of.
func (s *snapshot) line() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.timeline
}

// queue queues the statements for batch.
func (s *snapshot) queue(batch []*lookup) {
	if !s.begun {
		for _, b := range s.begin {
			s.conn.queue(b)
		}
	}
	rows := countRows(batch)
	switch {
	case rows == 1:
		s.conn.queue(stmtGet, encodeInt2(batch[0].bucket), batch[0].key)
	case rows > 1:
		buckets, keys := newArray(oidInt2), newArray(oidBytea)
		for _, l := range batch[:rows] {
			buckets.int2(l.bucket)
			keys.bytea(l.key)
		}
		s.conn.queue(stmtGetMany, buckets.bytes(), keys.bytes())
	}
	for _, l := range batch[rows:] {
		s.conn.queue(stmtRange, encodeInt2(l.bucket), l.key, l.end, encodeInt8(int64(l.limit)))
	}
}

func countRows(batch []*lookup) int {
	for i, l := range batch {
		if l.end != nil {
			return i
		}
	}
	return len(batch)
}

// reader returns what takes the rows of the answer to batch.
func (s *snapshot) reader(batch []*lookup) row {
	rows := countRows(batch)
	first := 0
	if !s.begun {
		first = len(s.begin)
	}
	for _, l := range batch {
		l.row, l.rows = stored{}, nil
	}
	return func(statement int, columns [][]byte) error {
		statement -= first
		switch {
		case rows == 1 && statement == 0:
			return decodeRow(columns, &batch[0].row)
		case rows > 1 && statement == 0:
			n := 0
			if len(columns) == 3 && len(columns[0]) == 4 {
				n = int(binary.BigEndian.Uint32(columns[0]))
			}
			if n < 1 || n > rows {
				return errProtocol
			}
			return decodeRow(columns[1:], &batch[n-1].row)
		}
		page := statement
		if rows > 0 {
			page += rows - 1 // all rows are one statement
		}
		if page < rows || page >= len(batch) || len(columns) != 3 {
			return errProtocol
		}
		r := pageRow{key: string(columns[0])}
		if err := decodeRow(columns[1:], &r.stored); err != nil {
			return err
		}
		batch[page].rows = append(batch[page].rows, r)
		return nil
	}
}

// decodeRow reads version and value, which it copies: columns are gone with the
// next message.
func decodeRow(columns [][]byte, into *stored) error {
	if len(columns) != 2 || len(columns[0]) != 4 {
		return errProtocol
	}
	into.version = binary.BigEndian.Uint32(columns[0])
	into.value = append(make([]byte, 0, len(columns[1])), columns[1]...)
	return nil
}

// failure returns why the snapshot cannot be read any more, or nil.
func (s *snapshot) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// end gives the connection back without waiting for the end of the snapshot.
// No caller may be reading.
func (s *snapshot) end() {
	c := s.conn
	s.conn = nil
	if c == nil {
		return
	}
	if s.begun {
		c.queue(stmtCommit)
		c.leave()
	}
	s.db.pool.give(c)
}

// endIdle takes the connection, if there is one, from a snapshot of which nothing was
// read for so long, and lets what is still read of it fail. It reports whether the
// snapshot was idle.
func (s *snapshot) endIdle(limit time.Duration) (c *conn, idle bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leading || time.Since(s.read) < limit {
		return nil, false
	}
	if s.err == nil {
		s.err = errIdle
	}
	c, s.conn = s.conn, nil
	return c, true
}

// abandon is end after a failure: what the server has open is rolled back.
func (s *snapshot) abandon() {
	c := s.conn
	s.conn = nil
	if c == nil {
		return
	}
	if !c.broken {
		c.queue(stmtRollback)
		_ = c.exchange(nil)
	}
	s.db.pool.give(c)
}
