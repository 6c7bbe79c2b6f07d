package spentlog

import (
	"fmt"
	"os"
	"slices"
)

// Reader reads a log, which a process may append to meanwhile: it sees what was
// there when it was made.
type Reader struct {
	id       ID
	segments []segment
	last     uint64
}

// Read returns a reader of the log in a folder. It changes nothing there. It
// returns ErrNoLog or ErrDamaged.
func Read(dir string) (*Reader, error) {
	id, segments, err := list(dir)
	if err != nil {
		return nil, err
	}
	r := &Reader{id: id, segments: segments}
	if r.last, err = findLast(id, segments); err != nil {
		return nil, err
	}
	return r, nil
}

// Reader returns a reader of what is durable in the log now. Its All must not be used
// after Prune.
func (l *Log) Reader() *Reader {
	l.files.Lock()
	defer l.files.Unlock()
	r := &Reader{id: l.id, segments: slices.Clone(l.full), last: l.durable.Load()}
	for _, s := range l.open {
		r.segments = append(r.segments, s.segment)
	}
	return r
}

// ID returns the log's id.
func (r *Reader) ID() ID { return r.id }

// First returns the sequence of the oldest entry that the log still has. It is
// Last plus one if it has none.
func (r *Reader) First() uint64 { return r.segments[0].first }

// Last returns the sequence of the newest entry, 0 if there was none yet.
func (r *Reader) Last() uint64 { return r.last }

// Size returns how many files the log has, and their bytes.
func (r *Reader) Size() (segments int, bytes int64) {
	for _, s := range r.segments {
		if info, err := os.Stat(s.path); err == nil { // not pruned meanwhile
			segments, bytes = segments+1, bytes+info.Size()
		}
	}
	return segments, bytes
}

// All calls fn for each entry after a sequence, in their order. The entry's row
// is valid only during the call. An error from fn ends the walk and is returned.
// All returns ErrPruned without calling fn if the first of these entries was
// deleted, and ErrDamaged if one cannot be read.
func (r *Reader) All(after uint64, fn func(Entry) error) error {
	next := after + 1
	if next < r.First() {
		return fmt.Errorf("%w: it begins with %d, not with %d", ErrPruned, r.First(), next)
	}
	for i, s := range r.segments {
		end := r.last + 1
		if i+1 < len(r.segments) {
			end = min(end, r.segments[i+1].first)
		}
		if next < s.first || next >= end {
			continue
		}
		var failed error
		err := s.walk(next, func(sequence uint64, raw *rawEntry) bool {
			if sequence == end {
				return false
			}
			e, _, ok := raw.decode(r.id, sequence)
			if !ok {
				failed = damaged(s, sequence)
				return false
			}
			next++
			failed = fn(e)
			return failed == nil
		})
		if err != nil || failed != nil {
			return firstError(failed, err)
		}
		if next != end {
			return damaged(s, next)
		}
	}
	return nil
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func damaged(s segment, sequence uint64) error {
	return fmt.Errorf("%w: entry %d in %s cannot be read", ErrDamaged, sequence, s.path)
}

// findLast returns the sequence of the last entry that was appended for sure. It
// looks at the end only: at two segments, since appends that share a sync may
// reach into the next one.
func findLast(id ID, segments []segment) (uint64, error) {
	from := max(0, len(segments)-2)
	for ; from > 0; from-- {
		begins, err := segments[from].begins(id)
		if err != nil {
			return 0, err
		}
		if begins {
			break
		}
	}
	next, torn := segments[from].first, false
	for i, s := range segments[from:] {
		if s.first != next && !torn {
			// The segment before is shorter than it must be.
			torn = true
		}
		var failed error
		err := s.walk(s.first, func(sequence uint64, raw *rawEntry) bool {
			if i+1 < len(segments[from:]) && sequence == segments[from+i+1].first {
				return false
			}
			_, durable, ok := raw.decode(id, sequence)
			switch {
			case ok && !torn:
				next = sequence + 1
			case ok && durable >= next:
				failed = damaged(s, next)
				return false
			case !ok:
				torn = true
			}
			return true
		})
		if err != nil || failed != nil {
			return 0, firstError(failed, err)
		}
	}
	return next - 1, nil
}
