package main

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"
)

// maxBroken is how many broken promises end the work.
const maxBroken = 20

// gcPercent lets the heap grow: each state leaves much and keeps little.
const gcPercent = 800

// tallied is what a worker counted.
type tallied struct {
	Cuts   int      `json:"cuts"`   // moments at which the power failed
	Images int      `json:"images"` // different contents of the disk that were started on
	States int      `json:"states"` // pairs of both that were judged
	Broken []string `json:"broken"` // promises that were broken; a worker stops after some
}

func (t *tallied) add(other tallied) {
	t.Cuts, t.Images, t.States = t.Cuts+other.Cuts, t.Images+other.Images, t.States+other.States
	t.Broken = append(t.Broken, other.Broken...)
}

// worker checks a share of the cuts of one session.
type worker struct {
	session *session
	exam    *examiner
	cuts    []int
	times   map[int]time.Time
	random  *rand.Rand
	seed    maphash.Seed
	seen    map[uint64]view
	judged  map[judgement]struct{}
	status  *os.File
	result  tallied
}

type judgement struct {
	line  int
	image uint64
}

// job is what a worker process is told.
type job struct {
	Session string  `json:"session"` // its folder
	Drop    dropped `json:"drop"`
	Part    int     `json:"part"`
	Parts   int     `json:"parts"`
	Every   int     `json:"every"`  // of so many moments one is checked
	Images  int     `json:"images"` // how many different images to start on
	Seed    uint64  `json:"seed"`
	Folder  string  `json:"folder"` // for data folders, in memory if possible
}

// statusName is the file that tells what a worker that died was doing.
const statusName = "status"

// work checks one part of a session and writes what it counted to out.
func (j job) work(out io.Writer) error {
	s, err := load(j.Session, j.Drop)
	if err != nil {
		return fmt.Errorf("reading %s: %w", j.Session, err)
	}
	folder := filepath.Join(j.Folder, "data")
	if err := s.identify(newExaminer(folder, nil)); err != nil {
		return err
	}
	status, err := os.Create(filepath.Join(j.Folder, statusName))
	if err != nil {
		return err
	}
	defer status.Close()
	cuts := s.cuts()
	w := &worker{
		session: s, exam: newExaminer(folder, s.history.secrets), times: s.clock(cuts),
		// A part is a stretch, so that what is the same at one cut and the next is
		// started on once.
		cuts:   j.thin(cuts[len(cuts)*j.Part/j.Parts : len(cuts)*(j.Part+1)/j.Parts]),
		random: rand.New(rand.NewPCG(j.Seed, uint64(j.Part))), seed: maphash.MakeSeed(),
		seen: map[uint64]view{}, judged: map[judgement]struct{}{}, status: status,
	}
	w.result.Cuts = len(w.cuts)
	debug.SetGCPercent(gcPercent)
	if err := w.run(j.Images); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(w.result)
}

// thin returns the cuts to check. The seed says with which of them it begins.
func (j job) thin(cuts []int) (kept []int) {
	for i := int(j.Seed % uint64(j.Every)); i < len(cuts); i += j.Every {
		kept = append(kept, cuts[i])
	}
	return kept
}

// run checks what every run checks, and then draws until enough different images
// were started on or no new ones turn up.
func (w *worker) run(images int) error {
	err := w.walk(func(c *cut) error {
		var err error
		c.exhaustive(func(chosen []bool) bool {
			err = w.check(c, chosen)
			return err == nil && !w.enough()
		})
		return err
	})
	for before := -1; err == nil && len(w.cuts) > 0 && w.result.Images < images && w.result.Images != before && !w.enough(); {
		before = w.result.Images
		each := (images-before)/len(w.cuts) + 1
		err = w.walk(func(c *cut) error { return w.draw(c, each, images) })
	}
	return err
}

// walk visits the cuts in their order.
func (w *worker) walk(do func(*cut) error) error {
	t := newTimeline(w.session.disk)
	for _, line := range w.cuts {
		if w.enough() {
			return nil
		}
		if err := do(t.at(line)); err != nil {
			return err
		}
	}
	return nil
}

// enough reports whether so much is broken that more would tell nothing.
func (w *worker) enough() bool { return len(w.result.Broken) >= maxBroken }

// draw checks about n random states of a cut.
func (w *worker) draw(c *cut, n, images int) error {
	for range n {
		if len(c.units) < 2 || w.result.Images >= images || w.enough() {
			return nil
		}
		if err := w.check(c, c.drawn(w.random)); err != nil {
			return err
		}
	}
	return nil
}

// outage is how long the power stays away where that tells an extended claim from
// another one.
const outage = time.Minute

// check builds one state and starts on it, at once and, where a claim was extended,
// after a while.
func (w *worker) check(c *cut, chosen []bool) error {
	state, now := c.build(chosen), w.times[c.line]
	if err := w.start(c, chosen, state, now); err != nil || !w.session.history.extended(c.line) {
		return err
	}
	return w.start(c, chosen, state, now.Add(outage))
}

// start starts on a state, unless it has been seen, and judges it.
func (w *worker) start(c *cut, chosen []bool, state snapshot, now time.Time) error {
	image := state.hash(w.seed) ^ uint64(w.session.history.over(now))
	if _, done := w.judged[judgement{c.line, image}]; done {
		return nil
	}
	w.judged[judgement{c.line, image}] = struct{}{}
	w.result.States++
	v, known := w.seen[image]
	if !known {
		if _, err := w.status.WriteAt(fmt.Appendf(nil, "%-200s", w.where(c, chosen)), 0); err != nil {
			return err
		}
		var err error
		if v, err = w.exam.examine(state, now); err != nil {
			return err
		}
		w.seen[image] = v
		w.result.Images++
	}
	for _, broken := range judge(v, w.session.history.secrets, c.line, now) {
		w.result.Broken = append(w.result.Broken, w.where(c, chosen)+": "+broken)
	}
	return nil
}

func (w *worker) where(c *cut, chosen []bool) string {
	kept, lost := c.describe(chosen)
	return fmt.Sprintf("%s, power lost before line %d, %d doubtful parts kept and %d lost", w.session.name, c.line+1, kept, lost)
}
