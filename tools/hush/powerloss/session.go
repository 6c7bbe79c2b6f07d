package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"hush/storage"
)

// session is the record of one data folder over the lives of its server.
type session struct {
	name    string
	disk    *disk
	history *history
	lines   int
	calls   []*call
}

// about is the file of a session beside its records.
type about struct {
	Data    string `json:"data"` // the data folder while the record was made
	Kind    kind   `json:"kind"`
	Secrets []kept `json:"secrets"`
}

const (
	aboutName = "session.json"
	lifeName  = "life-%d.strace"
	leftName  = "left-%d" // a copy of the data folder as the life left it
)

func readAbout(dir string) (a about, err error) {
	content, err := os.ReadFile(filepath.Join(dir, aboutName)) //nolint:gosec // the folder that this program works in
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(content, &a); err != nil {
		return a, fmt.Errorf("%s: %w", aboutName, err)
	}
	return a, nil
}

// load reads a session from its folder.
func load(dir string, drop dropped) (*session, error) {
	a, err := readAbout(dir)
	if err != nil {
		return nil, err
	}
	s := &session{name: filepath.Base(dir), disk: newDisk(a.Data), history: newHistory(a.Secrets)}
	if err := s.read(dir); err != nil {
		return nil, err
	}
	s.disk.settle(drop)
	return s, s.history.read(s.calls)
}

// read reads the records of the lives, and after each of them what it left.
func (s *session) read(dir string) error {
	t := newTracer()
	for life := 1; ; life++ {
		in, err := os.Open(filepath.Join(dir, fmt.Sprintf(lifeName, life)))
		if errors.Is(err, fs.ErrNotExist) {
			s.lines, s.calls = t.lines, t.calls
			return nil
		}
		if err != nil {
			return err
		}
		before := len(t.calls)
		err = t.read(in)
		if err = errors.Join(err, in.Close()); err == nil {
			err = s.disk.replay(t.calls[before:])
		}
		if err == nil {
			err = s.disk.outlive(os.DirFS(filepath.Join(dir, fmt.Sprintf(leftName, life))), t.lines-1)
		}
		if err != nil {
			return fmt.Errorf("life %d: %w", life, err)
		}
	}
}

// cuts returns the lines before which the power may fail: after each beginning
// and each end of a call that changes the disk, and after each thing that
// callers were told.
func (s *session) cuts() []int {
	all := map[int]struct{}{0: {}}
	maps.Copy(all, s.disk.cuts)
	maps.Copy(all, s.history.cuts)
	return slices.Sorted(maps.Keys(all))
}

// clock returns the time of each cut.
func (s *session) clock(cuts []int) map[int]time.Time {
	times := map[int]time.Time{}
	next := 0
	var now time.Time
	for _, line := range cuts {
		for next < len(s.calls) && s.calls[next].start < line {
			now = s.calls[next].at
			next++
		}
		if now.IsZero() {
			now = s.calls[0].at
		}
		times[line] = now
	}
	return times
}

// identify finds the share of each secret, where everything was written that the
// program had written when it gave the key away, and that of each claim, where it had
// first answered to it.
func (s *session) identify(e *examiner) error {
	type sought struct {
		secret *keptSecret
		line   int
		row    sealed
		share  *[shareSize]byte
	}
	var all []sought
	for _, secret := range s.history.secrets {
		all = append(all, sought{secret, secret.concealed, sealedText(), &secret.share})
		if len(secret.words) > 0 {
			all = append(all, sought{secret, secret.words[0].line, sealedClaim(secret), &secret.claimShare})
		}
	}
	slices.SortFunc(all, func(a, b sought) int { return a.line - b.line })
	t := newTimeline(s.disk)
	for _, one := range all {
		c := t.at(one.line + 1)
		whole := make([]bool, len(c.units))
		for i := range whole {
			whole[i] = true
		}
		share, err := e.findShare(c.build(whole), one.secret, one.row)
		if errors.Is(err, storage.ErrNotFound) && one.row.isClaim() {
			continue // it was answered too early, as the judgement will show
		}
		if *one.share = share; err != nil {
			return fmt.Errorf("%s: looking for the share of %s in the rows of %s: %w", s.name, one.secret.Text, one.row.bucket, err)
		}
	}
	return nil
}
