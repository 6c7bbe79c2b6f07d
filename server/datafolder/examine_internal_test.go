package datafolder

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"testing"

	"hush/cli/console"
	"hush/server/settings"
	"hush/vault/doctor"
)

// Data in use is examined by one operator at a time; who leaves makes room for the next.
func TestExamineInUse(t *testing.T) {
	t.Parallel()
	s := &settings.Settings{}
	s.Store, s.Data = settings.StoreBolt, filepath.Join(t.TempDir(), "data")
	d, err := Open(t.Context(), s, &console.Console{Err: io.Discard}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	tell := func(string, int64) {}
	d.examining.Store(true)
	if _, err := d.Examine(t.Context(), tell); !errors.Is(err, ErrExamining) {
		t.Errorf("Examine() beside another: got %v, want %v", err, ErrExamining)
	}
	d.examining.Store(false)
	left, leave := context.WithCancel(t.Context())
	leave()
	if _, err := d.Examine(left, tell); !errors.Is(err, context.Canceled) {
		t.Errorf("Examine() for an operator who left: got %v, want %v", err, context.Canceled)
	}
	found, err := d.Examine(t.Context(), tell)
	if err != nil || found.Rows == 0 || found.Count(doctor.LevelError)+found.Count(doctor.LevelWarning) > 0 || len(found.Skipped) != 1 {
		t.Errorf("Examine(): got %+v and %v, want rows, no finding, and what was left out", found, err)
	}
}

// Only a folder is examined by its service.
func TestExamineElsewhere(t *testing.T) {
	t.Parallel()
	d, err := openMemory(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.Examine(t.Context(), func(string, int64) {}); !errors.Is(err, ErrNotExamined) {
		t.Errorf("Examine(in memory): got %v, want %v", err, ErrNotExamined)
	}
}
