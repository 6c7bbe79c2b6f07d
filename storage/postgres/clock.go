package postgres

import (
	"context"
	"time"
)

// Now implements storage.Clock: it returns the clock of the database's machine.
// It takes one round trip, more only where a connection broke or has to be
// opened.
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	if err := s.enter(ctx); err != nil {
		return time.Time{}, err
	}
	defer s.running.RUnlock()
	var micros int64
	err := s.patiently(ctx, s.patience(), func(c *conn) error {
		c.queue(stmtNow)
		return c.exchange(intoInt8(&micros))
	})
	if err != nil {
		return time.Time{}, outward(err)
	}
	return timeOf(micros), nil
}

// timeOf decodes a timestamptz, the microseconds since the year 2000.
func timeOf(micros int64) time.Time {
	return time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(micros) * time.Microsecond)
}
