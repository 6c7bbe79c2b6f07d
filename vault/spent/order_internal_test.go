package spent

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"hush/storage"
	"hush/storage/memory"
	"hush/storage/spentlog"
	"hush/vault/cluster"
	"hush/vault/rows"
)

// scene is a store with a log, in which an account's password is changed.
type scene struct {
	store storage.Store
	file  *spentlog.Log
	log   *Log
	now   time.Time
}

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{now: time.UnixMilli(1_800_000_000_000)}
	s.store, _ = memory.New()
	dir := filepath.Join(t.TempDir(), "log")
	var err error
	if s.file, _, err = Open(t.Context(), s.store, dir, true, spentlog.Options{Growth: 64}); err != nil {
		t.Fatalf("Open: got %v, want nil", err)
	}
	t.Cleanup(func() { _ = s.file.Close() })
	id, _ := s.file.Position()
	s.log = New(Options{
		Store: cluster.NewStore(s.store, nil), Clock: cluster.NewClock(func() time.Time { return s.now }, s.now),
		Log: slog.New(slog.DiscardHandler), File: s.file, Record: Record{ID: id, Folder: dir},
	})
	return s
}

// end ends something of a row in a transaction. What it returns is still to be logged.
func (s *scene) end(t *testing.T, row string) (e rows.End) {
	t.Helper()
	s.now = s.now.Add(time.Second)
	err := s.store.Update(t.Context(), rows.Plain(func(tx *rows.Tx) (err error) {
		e, _, err = s.log.Pend(tx, rows.End{Kind: byte(KindPasswordChanged), Row: []byte(row)})
		return err
	}))
	if err != nil {
		t.Fatalf("pend: got %v, want nil", err)
	}
	return e
}

func (s *scene) follow(t *testing.T, e rows.End) {
	t.Helper()
	if err := s.log.Follow([]rows.End{e}); err != nil {
		t.Fatalf("follow: got %v, want nil", err)
	}
	s.log.strikeAll()
}

// wantFits checks that the process may be killed now: the next start takes the store for
// the one that the log is about.
func (s *scene) wantFits(t *testing.T, when string) {
	t.Helper()
	err := s.store.View(t.Context(), func(tx storage.Tx) error {
		r, err := Check(tx, s.file)
		if err == nil {
			err = CheckAge(tx, s.file, r, func(storage.Tx, storage.Slot) (bool, error) { return false, nil })
		}
		return err
	})
	if err != nil {
		t.Errorf("a start after a kill %s: got %v, want nil", when, err)
	}
}

func (s *scene) pending(t *testing.T) (n int) {
	t.Helper()
	err := s.store.View(t.Context(), func(tx storage.Tx) error {
		n = 0
		return tx.Range(BucketPending, nil, nil, func(_, _ []byte) error { n++; return nil })
	})
	if err != nil {
		t.Fatalf("Range: got %v, want nil", err)
	}
	return n
}

// The defect: of two ends of one row the later one was logged first and struck off, and
// the earlier one was logged just before a kill. The next start found an end in the log
// that the store knew nothing of, and refused the data as older than its log.
func TestEndsInReverseOrder(t *testing.T) {
	t.Parallel()
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {2, 0, 1}, {1, 2, 0}, {1, 0, 2}, {0, 2, 1}} {
		s := newScene(t)
		ends := []rows.End{s.end(t, "account"), s.end(t, "account"), s.end(t, "account")}
		other := s.end(t, "another")
		for _, n := range order {
			s.follow(t, ends[n])
			s.wantFits(t, "between the ends")
		}
		s.follow(t, other)
		s.wantFits(t, "after all")
		if n, left := s.pending(t), len(s.log.passed)+len(s.log.durable); n > 0 || left > 0 {
			t.Errorf("pending after all in order %v: got %d rows and %d in memory, want none", order, n, left)
		}
	}
}

// An end whose logging failed holds up none of those that replaced it.
func TestEndsAfterOneThatFailed(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	first, second := s.end(t, "account"), s.end(t, "account")
	s.follow(t, second)
	s.log.durable = append(s.log.durable, loggedEnd{first, true})
	s.log.strikeAll()
	s.wantFits(t, "after the one that failed")
	if n, left := s.pending(t), len(s.log.passed)+len(s.log.durable); n > 0 || left > 0 {
		t.Errorf("pending after all: got %d rows and %d in memory, want none", n, left)
	}
}
