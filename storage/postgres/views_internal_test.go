package postgres

import (
	"errors"
	"testing"
	"time"
)

// Views and the lanes together leave one connection at least, which a view needs that
// asks for a bucket's number. Long views have connections of their own.
func TestViewLimits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ groups, conns, lanes, young, long int }{
		{4, 4, 1, 1, 1},
		{4, 5, 1, 2, 1},
		{4, 8, 1, 3, 1},
		{4, 11, 1, 4, 1},
		{4, 16, 1, 4, 6},
		{4, 64, 1, 4, 54},
		{40, 16, 1, 13, 1},
		{4, 16, 12, 2, 1},
		{4, 4, 4, 1, 0},
	} {
		young, long := viewLimits(test.groups, test.conns, test.lanes)
		if young != test.young || long != test.long {
			t.Errorf("viewLimits(%d, %d, %d): got %d and %d, want %d and %d",
				test.groups, test.conns, test.lanes, young, long, test.young, test.long)
		}
	}
}

// A snapshot that is being read is not idle, however long that takes.
func TestEndIdle(t *testing.T) {
	t.Parallel()
	long := time.Now().Add(-time.Hour)
	busy := &snapshot{conn: &conn{}, read: long, leading: true}
	fresh := &snapshot{conn: &conn{}, read: time.Now().Add(time.Hour)}
	idle := &snapshot{conn: &conn{}, read: long}
	lost := &snapshot{err: errMoved, read: long}
	for name, s := range map[string]*snapshot{"busy": busy, "fresh": fresh, "idle": idle, "lost": lost} {
		had, want := s.conn, s == idle || s == lost
		c, ended := s.endIdle(time.Minute)
		if ended != want || ended != (s.failure() != nil) || ended && (c != had || s.conn != nil) || !ended && s.conn != had {
			t.Errorf("endIdle(%s): got %t, failure %v, want %t and its connection", name, ended, s.failure(), want)
		}
	}
	if !errors.Is(lost.failure(), errMoved) {
		t.Errorf("endIdle(lost): got failure %v, want that of before", lost.failure())
	}
}
