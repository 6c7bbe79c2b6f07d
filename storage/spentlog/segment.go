package spentlog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	segmentSuffix = ".spent"
	// unfinishedSuffix ends the name of a segment under construction.
	unfinishedSuffix = ".new"
)

// segment is a file of the log.
type segment struct {
	first uint64 // sequence of its first entry
	path  string
}

// segmentPath returns the path of the segment that begins with a sequence.
func segmentPath(dir string, first uint64) string {
	return filepath.Join(dir, fmt.Sprintf("%020d%s", first, segmentSuffix))
}

// Files returns the paths of what looks like a log's in a folder: its segments, and
// one that was not finished.
func Files(dir string) (paths []string, err error) {
	names, err := os.ReadDir(dir)
	for _, name := range names {
		if strings.HasSuffix(strings.TrimSuffix(name.Name(), unfinishedSuffix), segmentSuffix) {
			paths = append(paths, filepath.Join(dir, name.Name()))
		}
	}
	return paths, err
}

// list returns the segments of a folder in their order, and the log's id. Other
// files are ErrDamaged if they look like segments, and ignored otherwise. It
// returns ErrNoLog if there is none.
func list(dir string) (id ID, found []segment, err error) {
	names, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return id, nil, fmt.Errorf("%w in %s", ErrNoLog, dir)
	}
	if err != nil {
		return id, nil, fmt.Errorf("reading the folder of the spent log: %w", err)
	}
	for _, name := range names {
		number, ok := strings.CutSuffix(name.Name(), segmentSuffix)
		if !ok {
			continue
		}
		first, err := strconv.ParseUint(number, 10, 64)
		path := filepath.Join(dir, name.Name())
		if err != nil || first == 0 || path != segmentPath(dir, first) {
			return id, nil, fmt.Errorf("%w: %s does not have the name of a segment", ErrDamaged, path)
		}
		found = append(found, segment{first, path})
	}
	if len(found) == 0 {
		return id, nil, fmt.Errorf("%w in %s", ErrNoLog, dir)
	}
	slices.SortFunc(found, func(a, b segment) int { return strings.Compare(a.path, b.path) })
	for i, s := range found {
		header, err := s.header()
		if err != nil {
			return id, nil, err
		}
		if i == 0 {
			id = header.id
		}
		if header.id != id {
			return id, nil, fmt.Errorf("%w: %s is of another log", ErrDamaged, s.path)
		}
	}
	return id, found, nil
}

// header reads the header of a segment.
func (s segment) header() (h segmentHeader, err error) {
	file, err := os.Open(s.path)
	if err != nil {
		return h, fmt.Errorf("opening the spent log: %w", err)
	}
	defer file.Close()
	var raw rawEntry
	if _, err := file.ReadAt(raw[:], 0); errors.Is(err, io.EOF) {
		return h, fmt.Errorf("%w: %s is truncated", ErrDamaged, s.path)
	} else if err != nil {
		return h, fmt.Errorf("reading the spent log: %w", err)
	}
	if h, err = raw.header(); err != nil {
		return h, fmt.Errorf("%s: %w", s.path, err)
	}
	if h.first != s.first {
		return h, fmt.Errorf("%w: %s begins with sequence %d", ErrDamaged, s.path, h.first)
	}
	return h, nil
}

// walk calls fn for each whole entry of a segment from a sequence on, whether it
// can be read or not, until fn returns false.
func (s segment) walk(from uint64, fn func(sequence uint64, raw *rawEntry) bool) error {
	file, err := os.Open(s.path)
	if err != nil {
		return fmt.Errorf("opening the spent log: %w", err)
	}
	defer file.Close()
	buffer := make([]byte, walkEntries*entrySize)
	for at := s.offset(from); ; at += int64(len(buffer)) {
		n, err := file.ReadAt(buffer, at)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading the spent log: %w", err)
		}
		for i := range n / entrySize {
			raw := (*rawEntry)(buffer[i*entrySize:])
			if !fn(from, raw) {
				return nil
			}
			from++
		}
		if n < len(buffer) {
			return nil
		}
	}
}

// walkEntries is how many entries are read at a time: 256 KiB.
const walkEntries = 4096

// offset returns where the entry with a sequence is.
func (s segment) offset(sequence uint64) int64 {
	return int64(sequence-s.first+1) * entrySize
}

// begins reports whether the segment has its first entry.
func (s segment) begins(id ID) (found bool, err error) {
	err = s.walk(s.first, func(sequence uint64, raw *rawEntry) bool {
		_, _, found = raw.decode(id, sequence)
		return false
	})
	return found, err
}
