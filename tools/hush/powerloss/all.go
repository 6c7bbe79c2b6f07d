package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

var (
	errBroken = errors.New("promises were broken")
	errFew    = errors.New("the record does not give that many states")
	errNoHush = errors.New("--hush is missing, and there is no record")
)

// all records what is not recorded, checks, and reports.
func (s *settings) all(ctx context.Context, out io.Writer) error {
	folder, err := os.MkdirTemp(inMemory(), "hush-powerloss-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if s.record == "" {
		s.record = filepath.Join(folder, "record")
	}
	if err := s.provide(ctx, folder, out); err != nil {
		return err
	}
	sessions, err := s.concerned()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "seed %d, %d sessions, %d states wanted", s.seed, len(sessions), s.states)
	if s.drop != dropNothing {
		fmt.Fprintf(out, ", syncs dropped: %s", s.drop)
	}
	fmt.Fprintln(out)
	total, err := s.check(ctx, folder, sessions, out)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d moments, %d different disk contents started on, %d judged at their moments\n", total.Cuts, total.Images, total.States)
	for _, broken := range total.Broken {
		fmt.Fprintln(out, broken)
	}
	switch {
	case len(total.Broken) > 0:
		return errBroken
	case total.Images < s.states:
		return fmt.Errorf("%w: %d of %d", errFew, total.Images, s.states)
	}
	fmt.Fprintln(out, "every promise was kept")
	return nil
}

// concerned returns the sessions that what is dropped makes a difference to.
func (s *settings) concerned() (sessions []string, err error) {
	sessions, err = filepath.Glob(filepath.Join(s.record, "session-*"))
	if err != nil || s.drop != dropRenew {
		return sessions, err
	}
	var failing []string
	for _, dir := range sessions {
		a, err := readAbout(dir)
		if err != nil {
			return nil, err
		}
		if a.Kind == kindFailing {
			failing = append(failing, dir)
		}
	}
	return failing, nil
}

// inMemory is where data folders are quick to make and syncs cost nothing.
func inMemory() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return ""
}

// firstFailing is the session whose failed sync must be that of a page that names a
// commit.
const firstFailing = 1

// atOnce is how many sessions are recorded at a time.
const atOnce = 8

// provide records the sessions unless there are some.
func (s *settings) provide(ctx context.Context, folder string, out io.Writer) error {
	if found, err := filepath.Glob(filepath.Join(s.record, "session-*", aboutName)); err != nil || len(found) > 0 {
		return err
	}
	if s.hush == "" {
		return errNoHush
	}
	hush, err := filepath.Abs(s.hush)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "recording %d sessions of %s\n", s.sessions, hush)
	errs, repeated := make([]error, s.sessions), make([]int, s.sessions)
	var all errgroup.Group
	all.SetLimit(atOnce)
	for i := range s.sessions {
		r := &recorder{
			hush: hush, seed: s.seed + uint64(i), kind: kindOf(i),
			dir:  filepath.Join(s.record, fmt.Sprintf("session-%03d", i)),
			data: filepath.Join(folder, fmt.Sprintf("server-%d", i), "data"),
		}
		if err := os.MkdirAll(filepath.Dir(r.data), 0o700); err != nil {
			return err
		}
		all.Go(func() error {
			want := lostAny
			if i == firstFailing {
				want = lostCommit
			}
			repeated[i], errs[i] = r.recordWhole(ctx, want)
			return nil // all errors count, not the first one
		})
	}
	_ = all.Wait() // it has none
	for i, times := range repeated {
		if times > 0 {
			fmt.Fprintf(out, "session-%03d (%s) was recorded again, %d times: strace had left out lines, or the wrong sync failed\n", i, kindOf(i), times)
		}
	}
	return errors.Join(errs...)
}

// check hands the sessions to workers, one after the other, and each session to
// all of them. A worker that found a broken promise ends the others: more would tell
// nothing.
func (s *settings) check(ctx context.Context, folder string, sessions []string, out io.Writer) (total tallied, err error) {
	for i, dir := range sessions {
		wanted := s.states*(i+1)/len(sessions) - s.states*i/len(sessions)
		results := make([]tallied, s.workers)
		errs := make([]error, s.workers)
		working, enough := context.WithCancel(ctx)
		var all sync.WaitGroup
		for part := range s.workers {
			j := job{
				Session: dir, Drop: s.drop, Part: part, Parts: s.workers, Every: s.every, Seed: s.seed + uint64(i),
				Images: wanted*(part+1)/s.workers - wanted*part/s.workers,
				Folder: filepath.Join(folder, fmt.Sprintf("worker-%d", part)),
			}
			all.Go(func() {
				if results[part], errs[part] = j.start(working); len(results[part].Broken) > 0 {
					enough()
				}
			})
		}
		all.Wait()
		ended := working.Err() != nil
		enough()
		for _, r := range results {
			total.add(r)
		}
		if err := errors.Join(errs...); err != nil && (ctx.Err() != nil || !ended) {
			return total, err
		}
		if len(total.Broken) > 0 {
			break
		}
		fmt.Fprintf(out, "%s: %d disk contents so far, every promise kept\n", filepath.Base(dir), total.Images)
	}
	return total, nil
}

// start runs a worker in a process of its own: a file that is damaged in a way
// that ends the process is a finding, too.
func (j job) start(ctx context.Context) (result tallied, err error) {
	if err := os.MkdirAll(j.Folder, 0o700); err != nil {
		return result, err
	}
	if err := os.Remove(filepath.Join(j.Folder, statusName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return result, err
	}
	text, err := json.Marshal(j)
	if err != nil {
		return result, err
	}
	self, err := os.Executable()
	if err != nil {
		return result, err
	}
	cmd := exec.CommandContext(ctx, self, "--work", string(text)) //nolint:gosec // this very program
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err == nil {
		return result, json.Unmarshal(out, &result)
	}
	status, readErr := os.ReadFile(filepath.Join(j.Folder, statusName))
	if readErr != nil || len(status) == 0 || ctx.Err() != nil {
		return result, fmt.Errorf("worker: %w: %s", err, &complaints)
	}
	first, _, _ := strings.Cut(complaints.String(), "\n")
	result.Broken = []string{strings.TrimSpace(string(status)) + ": the start ended the process: " + first}
	return result, nil
}

// workOn is a worker's process.
func workOn(text string, out io.Writer) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	return j.work(out)
}
