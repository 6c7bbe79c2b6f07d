package postgres_test

import (
	"testing"
	"time"

	"hush/storage/postgres"
)

// The database runs on this machine, so that its clock is the test's.
func TestNow(t *testing.T) {
	store, _ := open(t, need(t), postgres.Options{Schema: schema(t)})
	before := time.Now().Truncate(time.Microsecond)
	got, err := store.Now(t.Context())
	if after := time.Now(); err != nil || got.Before(before) || got.After(after) {
		t.Errorf("Now: got %v, %v, want from %v to %v", got, err, before, after)
	}
	if got.Location() != time.UTC {
		t.Errorf("Now: got a time in %v, want UTC", got.Location())
	}
}
