package postgres

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"hush/storage"
)

const (
	// maxBatchBytes is how much one commit writes, unless a single update writes
	// more.
	maxBatchBytes = 8 << 20
	// patientConflicts is how often a batch may be failed by other nodes before
	// it takes the lock first.
	patientConflicts = 3
)

// lane is one writer: it takes the updates that wait, runs them on one
// snapshot, commits them together, and answers.
type lane struct {
	db *Store
	// number of the lane, which no other ever has. It is random, because a
	// sequence may repeat its numbers after a failover.
	number int64
	batch  int64 // of the last commit that was tried
	first  mode
	gaveUp bool // the database did not serve the last batch
}

// run serves the queue until it is closed and empty.
func (l *lane) run() {
	var batch []*update
	for {
		batch = l.db.queue.take(batch[:0], l.db.tuning.maxBatch)
		if len(batch) == 0 {
			return
		}
		l.process(slices.Clone(batch))
		clear(batch)
		// Those just answered often come back at once; see storage/bolt.
		runtime.Gosched()
	}
}

// process answers all of batch.
func (l *lane) process(batch []*update) {
	until := l.db.patience()
	batch = slices.DeleteFunc(batch, func(u *update) bool {
		return !u.start() || l.gaveUp && u.giveUp(l.db.opts.Patience)
	})
	mode, conflicts := l.first, 0
	for attempt := 0; len(batch) > 0; {
		left, err := l.attempt(batch, mode, until)
		switch batch = left; {
		case err == nil:
			attempt, until, l.gaveUp = 0, l.db.patience(), false
		case isConflict(err):
			l.db.conflicts.Add(1)
			if conflicts++; conflicts >= patientConflicts && !l.db.tuning.everyTime {
				mode = locked
			}
			if !pause(context.Background(), min(conflicts, 3), until) {
				l.giveUp(batch, err)
				return
			}
		case isRepeatable(err):
			if attempt++; !pause(context.Background(), attempt, until) {
				l.giveUp(batch, err)
				return
			}
		default:
			l.separate(batch, err)
			return
		}
	}
}

// separate deals with a commit that failed for good, perhaps for the sake of
// one update. A full disk fails ordinary updates; all others that had company
// are tried alone.
func (l *lane) separate(batch []*update, err error) {
	full, gone := stateOf(err) == stateDiskFull, errors.Is(err, storage.ErrShareGone)
	for _, u := range batch {
		if len(batch) == 1 || full && !u.reserved || stateOf(err) == "" && !gone {
			u.answer(err)
			continue
		}
		l.again(u)
	}
}

// again tries one update that has run already.
func (l *lane) again(u *update) {
	until := l.db.patience()
	for attempt := 0; ; attempt++ {
		left, err := l.attempt([]*update{u}, locked, until)
		if len(left) == 0 {
			return
		}
		if !isRepeatable(err) || !pause(context.Background(), attempt, until) {
			u.answer(err)
			return
		}
	}
}

// giveUp fails updates that the database did not serve.
func (l *lane) giveUp(batch []*update, err error) {
	l.gaveUp = true
	for _, u := range batch {
		u.answer(err)
	}
}

// attempt runs batch on one snapshot and commits it. It returns the updates
// that are not answered: all whose result rests on a commit that failed, with
// the error, or without an error those that had no room in this commit.
func (l *lane) attempt(batch []*update, m mode, until time.Time) ([]*update, error) {
	c, err := l.db.pool.takePatiently(context.Background(), until)
	if err != nil {
		return batch, err
	}
	snap := l.db.newSnapshot(c, m)
	snap.cache = map[rowKey]stored{}
	b := group{db: l.db, snap: snap}
	left, err := b.run(batch)
	if err != nil {
		snap.abandon()
		return left, err
	}
	if b.changes.empty() {
		snap.end()
		b.answer(nil)
		return left, nil
	}
	err = l.db.observed.Commit(len(b.runs), func() error { return l.commit(&b, m) }, attempted)
	if err == nil || errors.Is(err, storage.ErrUnknownOutcome) {
		// What may have been applied must not be tried again.
		b.answer(err)
		return left, nil
	}
	return append(b.updates(), left...), err
}

// group is the updates that share a commit.
type group struct {
	db      *Store
	snap    *snapshot
	changes overlay
	runs    []*run // whose results rest on the commit, in their order
}

// run runs the updates: first all at the same time, each as if alone on the
// snapshot. Those that only read, or failed, are as good as before all others
// and are answered. Then those that read what an earlier one writes run again,
// one after the other, on top of the others.
func (b *group) run(batch []*update) (left []*update, err error) {
	runs := b.runTogether(batch)
	if err := b.failure(runs); err != nil {
		return remaining(runs), err
	}
	var again []*update
	for _, r := range runs {
		switch {
		case !r.ended:
		case r.err != nil || r.own.empty():
			if b.snap.uncertain {
				b.keep(r)
			} else {
				r.of.answerWith(r.err)
			}
		case b.changes.size > maxBatchBytes:
			left = append(left, r.of)
		case r.conflicts(&b.changes):
			again = append(again, r.of)
		default:
			b.keep(r)
		}
	}
	for i, u := range again {
		if b.changes.size > maxBatchBytes {
			return append(left, again[i:]...), nil
		}
		r := b.runAlone(u)
		if err := b.failure([]*run{r}); err != nil {
			rest := append(b.updates(), left...)
			if r.ended {
				rest = append(rest, u)
			}
			return append(rest, again[i+1:]...), err
		}
		if r.ended {
			b.keep(r)
		}
	}
	return left, nil
}

// remaining returns the updates of runs whose callers are still there.
func remaining(runs []*run) []*update {
	var all []*update
	for _, r := range runs {
		if r.ended {
			all = append(all, r.of)
		}
	}
	return all
}

func (b *group) runTogether(batch []*update) []*run {
	var all sync.WaitGroup
	all.Add(len(batch))
	runs := make([]*run, len(batch))
	for i, u := range batch {
		runs[i] = b.newRun(u, nil, &all)
		u.work <- runs[i]
	}
	all.Wait()
	return runs
}

func (b *group) runAlone(u *update) *run {
	var all sync.WaitGroup
	all.Add(1)
	r := b.newRun(u, &b.changes, &all)
	u.work <- r
	all.Wait()
	return r
}

func (b *group) newRun(u *update, base *overlay, all *sync.WaitGroup) *run {
	return &run{
		tx: tx{snap: b.snap, buckets: b.db.buckets, base: base, writable: true, records: true},
		of: u, all: all,
	}
}

// failure returns why the store could not serve runs, or nil.
func (b *group) failure(runs []*run) error {
	for _, r := range runs {
		if r.lost != nil {
			return r.lost
		}
	}
	return b.snap.failure()
}

// keep makes the result of r rest on the commit. A failed run has no changes.
func (b *group) keep(r *run) {
	if r.err == nil {
		b.changes.merge(&r.own)
	}
	b.runs = append(b.runs, r)
}

func (b *group) updates() []*update {
	all := make([]*update, len(b.runs))
	for i, r := range b.runs {
		all[i] = r.of
	}
	return all
}

// answer answers those whose results rest on the commit.
func (b *group) answer(err error) {
	for _, r := range b.runs {
		if err == nil {
			r.of.answerWith(r.err)
		} else {
			r.of.answer(err)
		}
	}
}

// answerWith answers with what fn returned, as it is.
func (u *update) answerWith(err error) {
	u.err = err
	u.done <- struct{}{}
}
