package spentlog

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"hush/storage"
	"hush/storage/disk"
)

// resume opens the segments in the folder and goes on after their last entry.
func (l *Log) resume() error {
	if err := l.dir.removeUnfinished(); err != nil {
		return err
	}
	id, segments, err := list(l.dir.path)
	if err != nil {
		return err
	}
	last, err := findLast(id, segments)
	if err != nil {
		return err
	}
	l.id, l.oldest = id, segments[0].first
	doubtful, err := doubtfulFrom(id, segments, last)
	if err != nil {
		return err
	}
	l.durable.Store(last)
	for i, s := range segments {
		if i+1 == len(segments) || segments[i+1].first > last+1 {
			if err := l.reopen(s, last, doubtful); err != nil { // the last one is open even if it is full
				return err
			}
			continue
		}
		if segments[i+1].first > doubtful {
			if err := l.renewFull(s, doubtful); err != nil {
				return err
			}
		}
		l.full = append(l.full, s)
	}
	newest := l.open[len(l.open)-1]
	if l.opts.capacity < newest.slots {
		return fmt.Errorf("%w: %s is too long", ErrDamaged, newest.path)
	}
	l.end.Store(newest.first + newest.slots)
	if err := l.reserve(l.opts.Growth); !errors.Is(err, storage.ErrFull) {
		return err
	}
	return nil // a start on a full disk succeeds; see HasRoom
}

// doubtfulFrom returns the first sequence up to the last one whose entry may not be
// durable, although it can be read. A process writes no more entries after a sync that
// failed, so these are what the last sync was to cover.
func doubtfulFrom(id ID, segments []segment, last uint64) (from uint64, err error) {
	from = last + 1
	for _, s := range slices.Backward(segments) {
		if s.first > last {
			continue
		}
		err := s.walk(last, func(sequence uint64, raw *rawEntry) bool {
			if _, durable, ok := raw.decode(id, sequence); ok {
				from = durable + 1
			}
			return false
		})
		return from, err
	}
	return from, nil
}

// renewFull makes durable the entries of a full segment from a sequence on.
func (l *Log) renewFull(s segment, from uint64) error {
	file, err := os.OpenFile(s.path, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("opening the spent log: %w", err)
	}
	info, err := file.Stat()
	if err == nil {
		at := s.offset(max(from, s.first))
		err = errors.Join(l.renew(file, 0, entrySize), l.renew(file, at, info.Size()-at))
	}
	if err == nil {
		err = l.opts.disk.Sync(file)
	}
	return writtenAgain(errors.Join(err, file.Close()))
}

func (l *Log) renew(file *os.File, at, size int64) error {
	if size <= 0 {
		return nil
	}
	return disk.Renew(l.opts.disk, file, at, size)
}

// writtenAgain says what a start was doing.
func writtenAgain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("writing the end of the spent log again, which an earlier process may not have finished: %w", err)
}

// reopen opens a segment for appending after the entry last. What follows that
// entry was torn off, and is overwritten with zeros: later entries must not be
// taken for appended ones once those before them are.
//
// A process that was killed may have left what no sync has covered, and one whose sync
// failed what a further sync does not make durable. So the header, the doubtful entries
// and the reserved space are written again; that is a few MiB at most.
func (l *Log) reopen(s segment, last, doubtful uint64) error {
	file, err := os.OpenFile(s.path, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("opening the spent log: %w", err)
	}
	opened := &openSegment{segment: s, file: file}
	l.open = append(l.open, opened)
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("opening the spent log: %w", err)
	}
	opened.slots = uint64(info.Size())/entrySize - 1
	if err := l.clearFrom(opened, max(last+1, s.first)); err != nil {
		return fmt.Errorf("clearing the end of the spent log: %w", err)
	}
	at := s.offset(max(min(doubtful, last+1), s.first))
	err = errors.Join(l.renew(file, 0, entrySize), l.renew(file, at, info.Size()-at))
	if err == nil {
		err = l.opts.disk.Sync(file)
	}
	return writtenAgain(err)
}

// clearFrom overwrites the entries from a sequence on with zeros. It writes only
// where there are others, so that a start after a clean stop needs nothing of a
// disk that is full. What such a disk refuses is left for later; see Log.left.
func (l *Log) clearFrom(s *openSegment, from uint64) error {
	block, zeros := make([]byte, walkEntries*entrySize), make([]byte, walkEntries*entrySize)
	for end := s.first + s.slots; from < end; {
		n := min(end-from, walkEntries) * entrySize
		if _, err := s.file.ReadAt(block[:n], s.offset(from)); err != nil {
			return err
		}
		from += n / entrySize
		if bytes.Equal(block[:n], zeros[:n]) {
			continue
		}
		err := l.opts.disk.WriteAt(s.file, zeros[:n], s.offset(from)-int64(n))
		if isFull(err) {
			l.left.Store(from - 1)
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Prune deletes the segments whose entries are all older than a time, and returns
// how many. The one that is appended to always stays.
func (l *Log) Prune(before time.Time) (pruned int, err error) {
	l.files.Lock()
	defer l.files.Unlock()
	for len(l.full) > 0 && len(l.open) > 0 {
		next := l.open[0].first
		if len(l.full) > 1 {
			next = l.full[1].first
		}
		newest, err := l.full[0].timeOf(l.id, next-1)
		if err != nil || !newest.Before(before) {
			return pruned, err
		}
		if err := os.Remove(l.full[0].path); err != nil {
			return pruned, fmt.Errorf("deleting a segment of the spent log: %w", err)
		}
		l.full, l.oldest = l.full[1:], next
		pruned++
	}
	if pruned > 0 {
		err = l.dir.sync()
	}
	return pruned, err
}

// timeOf returns the time of the entry with a sequence.
func (s segment) timeOf(id ID, sequence uint64) (at time.Time, err error) {
	found := false
	err = s.walk(sequence, func(sequence uint64, raw *rawEntry) bool {
		var e Entry
		e, _, found = raw.decode(id, sequence)
		at = e.Time
		return false
	})
	if err == nil && !found {
		err = damaged(s, sequence)
	}
	return at, err
}
