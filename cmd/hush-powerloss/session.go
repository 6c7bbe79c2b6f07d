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
	Secrets []kept `json:"secrets"`
}

const (
	aboutName = "session.json"
	lifeName  = "life-%d.strace"
	leftName  = "left-%d" // a copy of the data folder as the life left it
)

// load reads a session from its folder.
func load(dir string, drop dropped) (*session, error) {
	content, err := os.ReadFile(filepath.Join(dir, aboutName))
	if err != nil {
		return nil, err
	}
	var a about
	if err := json.Unmarshal(content, &a); err != nil {
		return nil, fmt.Errorf("%s: %w", aboutName, err)
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
// program had written when it gave the key away.
func (s *session) identify(e *examiner) error {
	t := newTimeline(s.disk)
	byTime := slices.Clone(s.history.secrets)
	slices.SortFunc(byTime, func(a, b *keptSecret) int { return a.concealed - b.concealed })
	for _, secret := range byTime {
		c := t.at(secret.concealed + 1)
		all := make([]bool, len(c.units))
		for i := range all {
			all[i] = true
		}
		var err error
		if secret.share, err = e.shareOf(c.build(all), secret); err != nil {
			return fmt.Errorf("%s: looking for the share of %s: %w", s.name, secret.Text, err)
		}
	}
	return nil
}
