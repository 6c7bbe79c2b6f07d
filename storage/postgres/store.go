package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"hush/storage"
)

// Store is a storage.Store in a PostgreSQL database that other nodes may use at
// the same time.
type Store struct {
	opts      Options
	connector *connector
	pool      *pool
	buckets   *buckets
	views     *views
	notices   *notices
	queue     queue
	tuning    tuning
	lanes     sync.WaitGroup
	commits   atomic.Int64 // that were tried
	conflicts atomic.Int64 // of those, failed by others

	running sync.RWMutex // held for reading by every operation
	closed  bool

	observed storage.Observed
}

var _ storage.Store = (*Store)(nil)

// tuning is what measurements and tests change.
type tuning struct {
	lanes    int
	maxBatch int
	groups   int           // views that are open at the same time, groups counted once, before they are long
	long     time.Duration // zero for longView
	stalled  time.Duration // zero for Options.StatementTimeout
	first    mode          // of the first attempts
	extra    []statement
	// everyTime: attempts after the first ones are like them.
	everyTime bool
}

func defaultTuning() tuning {
	return tuning{lanes: 1, maxBatch: 256, groups: 4, first: certified}
}

// Open connects to the database that target names, a URL or keywords and values
// as libpq takes them, and creates or upgrades the schema. It fails if the server
// does not keep what Hush promises. Closing the store closes the shares too.
func Open(ctx context.Context, target string, opts Options) (*Store, *Shares, error) {
	return open(ctx, target, opts, defaultTuning())
}

func open(ctx context.Context, target string, opts Options, tuned tuning) (*Store, *Shares, error) {
	opts = opts.withDefaults()
	connector, err := newConnector(target, opts)
	if err != nil {
		return nil, nil, err
	}
	if err := connector.begin(ctx); err != nil {
		return nil, nil, outward(err)
	}
	connector.extra = tuned.extra
	s := &Store{opts: opts, connector: connector, tuning: tuned}
	s.pool = newPool(opts.MaxConns, connector.connect)
	s.buckets = &buckets{db: s}
	connector.numbers = s.buckets.known
	s.notices = newNotices(connector)
	s.views = newViews(s, tuned)
	s.queue.arrived.L = &s.queue.mu
	var numbers []int64
	for range tuned.lanes {
		l := &lane{db: s, number: int64(randomUint64() >> 1), first: tuned.first}
		numbers = append(numbers, l.number)
		s.lanes.Go(l.run)
	}
	err = s.patiently(ctx, s.patience(), func(c *conn) error {
		c.queue(stmtForget)
		for _, number := range numbers {
			if !opts.ReadOnly {
				c.queue(stmtHello, encodeInt8(number))
			}
		}
		return c.exchange(nil)
	})
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("starting: %w", err), s.Close())
	}
	return s, newShares(s), nil
}

// View implements storage.Store. Commits are in one order and each snapshot
// shows a beginning of it, so REPEATABLE READ is as good as SERIALIZABLE here.
func (s *Store) View(ctx context.Context, fn func(storage.Tx) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.running.RUnlock()
	group, err := s.views.join(ctx)
	if err != nil {
		return outward(err)
	}
	defer s.views.leave(group)
	t := tx{snap: group.snap, buckets: s.buckets}
	defer func() { t.done = true }()
	err = fn(&t)
	if t.lost != nil {
		return outward(t.lost)
	}
	return err
}

// Update implements storage.Store.
func (s *Store) Update(ctx context.Context, fn func(storage.Tx) error) error {
	return s.update(ctx, fn, false)
}

// UpdateReserved implements storage.Store. No room can be kept back on a
// server; but where its disk is full, the update does not fail for the sake of
// others that it would share a commit with, and what only deletes may succeed.
func (s *Store) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.update(ctx, fn, true)
}

func (s *Store) update(ctx context.Context, fn func(storage.Tx) error, reserved bool) error {
	if s.opts.ReadOnly {
		return errReadOnly
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.running.RUnlock()
	u := &update{fn: fn, reserved: reserved, since: time.Now(), work: make(chan *run, 1), done: make(chan struct{}, 1)}
	if !s.queue.push(u) {
		return storage.ErrClosed
	}
	return u.wait(ctx)
}

// Close implements storage.Store. Further calls do nothing.
func (s *Store) Close() error {
	s.notices.close()
	s.running.Lock()
	defer s.running.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	s.queue.close()
	s.lanes.Wait()
	s.pool.close()
	return nil
}

// enter admits an operation, which then has to release running.
func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.running.RLock()
	if s.closed {
		s.running.RUnlock()
		return storage.ErrClosed
	}
	return nil
}

// patiently runs fn on a connection, again while the failure may pass. fn must
// be safe to repeat when its outcome is not known.
func (s *Store) patiently(ctx context.Context, until time.Time, fn func(*conn) error) error {
	for attempt := 0; ; attempt++ {
		c, err := s.pool.takePatiently(ctx, until)
		if err != nil {
			return err
		}
		err = fn(c)
		s.pool.give(c)
		if err == nil || !isPassing(err) || !pause(ctx, attempt, until) {
			return err
		}
	}
}

// patience returns until when an operation that begins now is tried.
func (s *Store) patience() time.Time { return time.Now().Add(s.opts.Patience) }

// Waiting implements storage.Store.
func (s *Store) Waiting() int { return s.queue.length() }

// Observe implements storage.Store.
func (s *Store) Observe(by storage.Observer) { s.observed.By(by) }

// Clock implements storage.Store.
func (s *Store) Clock() storage.Clock { return s }

// Notifier implements storage.Store.
func (s *Store) Notifier() storage.Notifier { return s }

// attempted is what an observer gets of the error of an attempt to commit.
func attempted(err error) error {
	if isConflict(err) {
		return fmt.Errorf("%w: %w", storage.ErrConflict, err)
	}
	return outward(err)
}
