package postgres

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
)

// seen is what a node remembers of the database, to notice that it was set back: its
// disk or its machine was restored to an older state, while the node lived on. The
// node holds shares, leases and numbers of buckets of a state that is gone then, and
// the database gives their numbers again.
//
// All connections break when that happens, so each new one is checked. Of each lane
// the database has the row of the last batch, which no other node writes: a database
// that lacks it was set back, or the row was removed because the node stood still for
// a week. Both are refused. Numbers of buckets are never given up either.
//
// After a promotion the timeline is a later one. That database may lack what a
// standby did not get, which is known and allowed, so it is asked only for what was
// confirmed there. An earlier timeline is a database that was set back, or one that
// was replaced and does not know it.
type seen struct {
	mu       sync.Mutex
	timeline string          // the latest of a connection
	batches  map[int64]int64 // by lane: the last one that was confirmed on it
}

// errSetBack says that the database is older than what it has confirmed.
var errSetBack = refuse("the database was set back, or replaced by an older one: it lacks what it has confirmed to this node",
	"bring its newest state back; if the older state is meant, stop all nodes, then start them again")

// confirm notes that a batch was made on that timeline.
func (s *seen) confirm(timeline string, lane, batch int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if timeline == s.timeline {
		s.batches[lane] = max(s.batches[lane], batch)
	}
}

// expected returns the batches that a database on that timeline must have.
func (s *seen) expected(timeline string) (map[int64]int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case timeline < s.timeline: // both have eight digits
		return nil, errSetBack
	case timeline > s.timeline:
		return nil, nil
	}
	return maps.Clone(s.batches), nil
}

// admit notes that a connection on that timeline is used.
func (s *seen) admit(timeline string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if timeline > s.timeline {
		s.timeline, s.batches = timeline, map[int64]int64{}
	}
}

// checkSeen refuses a database that was set back. What it must have is looked up
// before it is asked.
func (c *connector) checkSeen(ctx context.Context, pg *pgconn.PgConn, timeline string) error {
	batches, err := c.seen.expected(timeline)
	if err != nil {
		return err
	}
	numbers := map[string]int16{}
	if c.numbers != nil {
		numbers = c.numbers(timeline)
	}
	if err := errors.Join(checkBatches(ctx, pg, batches), checkNumbers(ctx, pg, numbers)); err != nil {
		return err
	}
	c.seen.admit(timeline)
	return nil
}

// checkBatches returns errSetBack unless the database has batches, or later ones of
// their lanes.
func checkBatches(ctx context.Context, pg *pgconn.PgConn, batches map[int64]int64) error {
	if len(batches) == 0 {
		return nil
	}
	var lanes []string
	for _, lane := range slices.Sorted(maps.Keys(batches)) {
		lanes = append(lanes, strconv.FormatInt(lane, 10))
	}
	found, err := pairs(ctx, pg, "SELECT lane, max(batch) FROM commits WHERE lane IN ("+strings.Join(lanes, ", ")+") GROUP BY lane")
	if err != nil {
		return err
	}
	for lane, batch := range batches {
		stored, err := strconv.ParseInt(found[strconv.FormatInt(lane, 10)], 10, 64)
		if err != nil || stored < batch {
			return errSetBack
		}
	}
	return nil
}

// checkNumbers returns errSetBack unless buckets have those numbers.
func checkNumbers(ctx context.Context, pg *pgconn.PgConn, numbers map[string]int16) error {
	if len(numbers) == 0 {
		return nil
	}
	found, err := pairs(ctx, pg, "SELECT name, id FROM bucket")
	if err != nil {
		return err
	}
	for name, number := range numbers {
		if found[name] != strconv.Itoa(int(number)) {
			return errSetBack
		}
	}
	return nil
}

// pairs returns the rows of a query that answers two columns.
func pairs(ctx context.Context, pg *pgconn.PgConn, sql string) (map[string]string, error) {
	results, err := pg.Exec(ctx, sql).ReadAll()
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, row := range results[0].Rows {
		if len(row) != 2 {
			return nil, errProtocol
		}
		found[string(row[0])] = string(row[1])
	}
	return found, nil
}
