package spentlog

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"hush/storage"
	"hush/storage/disk"
)

// Options are the optional settings of a log.
type Options struct {
	// ID is that of the log that Create makes, from NewID; zero means a new one. It is
	// for a caller that must know the id before the log is there.
	ID ID
	// Fault is called once, when an input/output error has left it unknown what
	// was appended and nothing more is. It runs before a caller gets that error,
	// must return soon, and must not call back into this package.
	Fault func(error)
	// Synced is told of each sync: how many entries it made durable, how long it
	// took, and its error. It must return at once. Nil for nothing.
	Synced func(entries int, took time.Duration, err error)
	// Growth is the number of entries of a step of growth; zero means 16,384, 1 MiB. For
	// tests, which make many logs.
	Growth uint64
	// Now says how long ago the disk was found to be full; nil means time.Now. For
	// tests.
	Now func() time.Time

	capacity uint64      // entries of a segment; 0 for segmentEntries; set by tests
	disk     disk.Writer // nil for the system's; replaced by tests
}

// Log is a log that this process appends to. It is safe for concurrent use.
type Log struct {
	id      ID
	dir     *folder
	opts    Options
	syncs   disk.Syncer
	faulted atomic.Bool
	// durable is the last sequence that is durable, end the first for which no
	// space is reserved.
	durable, end atomic.Uint64
	ahead        ahead
	// left is the last sequence at which a write that failed may have left an entry,
	// if that is after durable. Only the leader of a sync changes it.
	left atomic.Uint64

	mu      sync.Mutex // guards the fields below
	closed  bool
	waiting []*batch
	running sync.WaitGroup // appends, and growing ahead

	files  sync.Mutex // guards the fields below
	full   []segment
	open   []*openSegment // the one that is appended to, and the next
	oldest uint64
}

// batch is the entries of one call of Append.
type batch struct {
	entries []Entry
	err     error
}

// Create makes a new log in a folder, which it creates if it is missing, and
// opens it. It returns ErrNotEmpty if the folder holds anything: a log without
// entries may be that of another store in which nothing has ended yet.
func Create(dir string, opts Options) (*Log, error) {
	held, err := createFolder(dir)
	if err != nil {
		return nil, err
	}
	if err := held.clear(); err != nil {
		return nil, errors.Join(err, held.close())
	}
	l := newLog(held, opts)
	if l.id = opts.ID; l.id == (ID{}) {
		l.id = NewID()
	}
	l.end.Store(1)
	if err := l.reserve(1); err != nil {
		return nil, errors.Join(fmt.Errorf("creating the spent log in %s: %w", dir, err), held.close())
	}
	l.oldest = 1
	return l, nil
}

// Open opens the log in a folder. It makes durable what an earlier process left,
// and removes what a power cut tore off. It returns ErrNoLog, ErrInUse or
// ErrDamaged.
func Open(dir string, opts Options) (*Log, error) {
	held, err := openFolder(dir)
	if err != nil {
		return nil, err
	}
	l := newLog(held, opts)
	if err := l.resume(); err != nil {
		return nil, errors.Join(err, l.closeFiles(), held.close())
	}
	return l, nil
}

func newLog(held *folder, opts Options) *Log {
	if opts.capacity == 0 {
		opts.capacity = segmentEntries
	}
	if opts.Growth == 0 {
		opts.Growth = growthEntries
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.disk == nil {
		opts.disk = disk.System{}
	}
	l := &Log{dir: held, opts: opts}
	l.syncs.Do = l.flush
	return l
}

// Position returns the log's id and the sequence of the last entry that is
// durable, 0 if there was none yet.
func (l *Log) Position() (ID, uint64) { return l.id, l.durable.Load() }

// First returns the sequence of the oldest entry that the log still has. It is
// the last one's plus one if it has none.
func (l *Log) First() uint64 {
	l.files.Lock()
	defer l.files.Unlock()
	return l.oldest
}

// Append adds entries, in their order and with nothing between, and returns when
// they are durable. It sets their sequences. After storage.ErrFull none is in the
// log, and the caller may try again. After storage.ErrUnknownOutcome some may be.
func (l *Log) Append(entries ...Entry) error {
	if len(entries) == 0 {
		return nil
	}
	for i := range entries {
		if entries[i].Kind == 0 || len(entries[i].Row) > RowMost {
			return errBadEntry
		}
	}
	b := &batch{entries: entries}
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return storage.ErrClosed
	}
	l.running.Add(1)
	l.waiting = append(l.waiting, b)
	l.mu.Unlock()
	defer l.running.Done()
	// The sync that takes the batch may be one that others lead, and its error
	// another one's: the batch has its own.
	_ = l.syncs.Sync()
	return b.err
}

// Close waits for running appends and closes the log. Further calls do nothing.
func (l *Log) Close() error {
	l.mu.Lock()
	closed := l.closed
	l.closed = true
	l.mu.Unlock()
	if closed {
		return nil
	}
	l.running.Wait()
	return errors.Join(l.closeFiles(), l.dir.close())
}

func (l *Log) closeFiles() error {
	l.files.Lock()
	defer l.files.Unlock()
	var errs []error
	for _, s := range l.open {
		errs = append(errs, s.file.Close())
	}
	l.open = nil
	return errors.Join(errs...)
}

// flush writes the batches that wait and makes them durable.
func (l *Log) flush() error {
	l.mu.Lock()
	batches := l.waiting
	l.waiting = nil
	l.mu.Unlock()
	n := 0
	for _, b := range batches {
		n += len(b.entries)
	}
	if n == 0 {
		// An earlier sync took what waited.
		if err := l.check(); err != nil {
			return err
		}
		return l.clearLeft()
	}
	began := time.Now()
	err := l.store(batches, n)
	if l.opts.Synced != nil {
		l.opts.Synced(n, time.Since(began), err)
	}
	for _, b := range batches {
		b.err = err
	}
	l.growAhead()
	return err
}

// store writes n entries of batches after the last durable one and syncs them.
// If it fails, the next call writes at the same place.
func (l *Log) store(batches []*batch, n int) error {
	if err := l.check(); err != nil {
		return err
	}
	durable := l.durable.Load()
	if err := l.clearLeft(); err != nil {
		return err
	}
	if err := l.reserve(uint64(n)); err != nil {
		return err
	}
	run := make([]byte, 0, n*entrySize)
	next := durable + 1
	for _, b := range batches {
		for i := range b.entries {
			b.entries[i].Sequence = next
			raw := b.entries[i].encode(l.id, durable)
			run = append(run, raw[:]...)
			next++
		}
	}
	if err := l.writeRun(durable+1, run); err != nil {
		if errors.Is(err, storage.ErrFull) {
			l.left.Store(next - 1)
			_ = l.clearLeft() // on a disk that refuses even this, before the next entry
		}
		return err
	}
	l.durable.Store(next - 1)
	return nil
}

// writeRun writes encoded entries from a sequence on, and syncs the segments that
// they are in. The first entry is written last: if the disk is found to be full
// before, what was written follows a gap, and neither a reader nor the next start
// takes it for appended.
func (l *Log) writeRun(first uint64, run []byte) error {
	var parts []part
	if len(run) > entrySize {
		parts = l.parts(first+1, run[entrySize:])
	}
	parts = append(parts, l.parts(first, run[:entrySize])...)
	for _, p := range parts {
		if err := l.opts.disk.WriteAt(p.of.file, p.data, p.at); err != nil {
			return l.classify("writing the spent log", err)
		}
	}
	if err := l.syncParts(parts); err != nil {
		return err
	}
	l.retire(first + uint64(len(run))/entrySize)
	return nil
}

// clearLeft overwrites with zeros, durably, what a write on a full disk has left: the
// next entries would make it look as if it were appended. It returns storage.ErrFull
// while the disk has no room even for that.
func (l *Log) clearLeft() error {
	next, left := l.durable.Load()+1, l.left.Load()
	if left < next {
		return nil
	}
	parts := l.parts(next, make([]byte, (left-next+1)*entrySize))
	for _, p := range parts {
		if err := l.opts.disk.WriteAt(p.of.file, p.data, p.at); err != nil {
			return l.classify("clearing the end of the spent log", err)
		}
	}
	if err := l.syncParts(parts); err != nil {
		return err
	}
	l.left.Store(0)
	return nil
}

// part is what one segment has of a run of entries, and where.
type part struct {
	of   *openSegment
	data []byte
	at   int64
}

// parts cuts a run of entries from a sequence on where segments end.
func (l *Log) parts(first uint64, run []byte) (parts []part) {
	l.files.Lock()
	defer l.files.Unlock()
	for _, s := range l.open {
		if first >= s.first+l.opts.capacity {
			continue
		}
		n := min(uint64(len(run))/entrySize, s.first+l.opts.capacity-first)
		if n == 0 {
			break
		}
		parts = append(parts, part{s, run[:n*entrySize], s.offset(first)})
		first, run = first+n, run[n*entrySize:]
	}
	return parts
}

// syncParts syncs each segment once.
func (l *Log) syncParts(parts []part) error {
	synced := map[*openSegment]bool{}
	for _, p := range parts {
		if synced[p.of] {
			continue
		}
		synced[p.of] = true
		if err := l.opts.disk.Sync(p.of.file); err != nil {
			return l.trip(fmt.Errorf("syncing the spent log: %w", err))
		}
	}
	return nil
}

// retire closes the segments that end before a sequence.
func (l *Log) retire(next uint64) {
	l.files.Lock()
	defer l.files.Unlock()
	for len(l.open) > 1 && l.open[1].first <= next {
		s := l.open[0]
		_ = s.file.Close() // it is durable
		l.full = append(l.full, s.segment)
		l.open = l.open[1:]
	}
}
