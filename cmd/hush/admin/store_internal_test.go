package admin

import (
	"strings"
	"testing"
)

// A mistyped URL is not the name of a folder, and its password is not repeated.
func TestCheckPlaces(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"postgres://hush@db.example/hush", "postgresql://hush@db.example/hush", "data", "/srv/hush:data", "./a//b"} {
		if err := checkStores(place, "data"); err != nil {
			t.Errorf("checkPlaces(%s): got %v, want nil", place, err)
		}
	}
	for _, place := range []string{"postgress://hush:hunter2@db.example/hush", "Postgres://hush:hunter2@db.example/hush", " postgres://hush:hunter2@h/x", "postgres:/hush:hunter2@h/x"} {
		if err := checkStores("data", place); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("checkPlaces(%s): got %v, want an error without the password", place, err)
		}
	}
}
