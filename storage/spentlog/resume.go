package spentlog

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"time"

	"hush/storage"
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
	for i, s := range segments {
		// The last one is open even if it is full.
		if i+1 < len(segments) && segments[i+1].first <= last+1 {
			l.full = append(l.full, s)
			continue
		}
		if err := l.reopen(s, last); err != nil {
			return err
		}
	}
	l.durable.Store(last)
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

// reopen opens a segment for appending after the entry last. What follows that
// entry was torn off, and is overwritten with zeros: later entries must not be
// taken for appended ones once those before them are.
func (l *Log) reopen(s segment, last uint64) error {
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
	if err := opened.clearFrom(max(last+1, s.first)); err != nil {
		return fmt.Errorf("clearing the end of the spent log: %w", err)
	}
	// A process that was killed may have left what no sync has covered.
	if err := file.Sync(); err != nil {
		return fmt.Errorf("syncing the spent log: %w", err)
	}
	return nil
}

// clearFrom overwrites the entries from a sequence on with zeros. It writes only
// where there are others, so that a start after a clean stop needs nothing of a
// disk that is full.
func (s *openSegment) clearFrom(from uint64) error {
	block, zeros := make([]byte, walkEntries*entrySize), make([]byte, walkEntries*entrySize)
	for end := s.first + s.slots; from < end; {
		n := min(end-from, walkEntries) * entrySize
		if _, err := s.file.ReadAt(block[:n], s.offset(from)); err != nil {
			return err
		}
		if !bytes.Equal(block[:n], zeros[:n]) {
			if _, err := s.file.WriteAt(zeros[:n], s.offset(from)); err != nil {
				return err
			}
		}
		from += n / entrySize
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
