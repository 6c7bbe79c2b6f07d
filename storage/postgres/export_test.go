package postgres

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// Tuning opens a store otherwise than Open does, for measurements and to show
// that the suite finds a store that is not safe.
type Tuning struct {
	Lanes, MaxBatch, Groups int
	Long, Stalled           time.Duration // of views
	Isolation               string        // certified, serializable or none
}

// OpenTuned is Open with some of tuning.
func OpenTuned(ctx context.Context, target string, opts Options, by Tuning) (*Store, *Shares, error) {
	tuned := defaultTuning()
	set := func(to *int, n int) {
		if n > 0 {
			*to = n
		}
	}
	set(&tuned.lanes, by.Lanes)
	set(&tuned.maxBatch, by.MaxBatch)
	set(&tuned.groups, by.Groups)
	tuned.long, tuned.stalled = by.Long, by.Stalled
	const write = "SELECT true, write($1::int8, $2::int8, $10::int2[], $11::bytea[], $12::bytea[], $13::int2[], $14::bytea[])" +
		" FROM (SELECT $3::int2[], $4::bytea[], $5::xid[], $6::int2[], $7::bytea[], $8::bytea[], $9::int4[], $15::int8[], $16::int8[]) AS unused"
	tuned.extra = []statement{
		{"begin_serializable", "BEGIN ISOLATION LEVEL SERIALIZABLE"},
		{"write", write},
	}
	switch by.Isolation {
	case "serializable":
		tuned.first = mode{begin: []string{"begin_serializable"}, apply: "write", inside: true, uncertain: true}
		tuned.everyTime = true
	case "none":
		tuned.first = mode{begin: []string{stmtBegin}, apply: "write"}
		tuned.everyTime = true
	}
	return open(ctx, target, opts, tuned)
}

// Conflicts returns how many commits others have failed.
func (s *Store) Conflicts() int64 { return s.conflicts.Load() }

// Commits returns how many commits were tried.
func (s *Store) Commits() int64 { return s.commits.Load() }

// ExecInEach runs statements in each session that lies ready.
func (s *Store) ExecInEach(ctx context.Context, sql string) error {
	return s.ReadInEach(ctx, sql, nil)
}

// ReadInEach is ExecInEach for a query that answers a value, and adds the values.
func (s *Store) ReadInEach(ctx context.Context, sql string, values *[]string) error {
	s.pool.mu.Lock()
	ready := slices.Clone(s.pool.idle)
	s.pool.mu.Unlock()
	for _, c := range ready {
		c.front.Send(&pgproto3.Query{String: sql})
		c.awaited++
		err := errors.Join(c.flush(), c.receive(func(_ int, columns [][]byte) error {
			*values = append(*values, string(columns[0]))
			return nil
		}))
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// ConnectLate opens a connection whose set-up reaches its limit between two
// statements, and returns the error as callers of the store see it.
func (s *Store) ConnectLate(ctx context.Context) error {
	_, err := s.connector.open(ctx, time.Millisecond, func(ctx context.Context, pg *pgconn.PgConn) error {
		<-ctx.Done()
		_, err := pg.Exec(ctx, "SELECT").ReadAll()
		return err
	})
	return outward(err)
}
