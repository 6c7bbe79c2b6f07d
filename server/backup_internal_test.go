package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hush/backup"
	"hush/cli/console"
	"hush/handlers"
	"hush/server/datafolder"
	"hush/server/settings"
)

// scheduled returns the backups of a new data folder, and what sets their clock.
func scheduled(t *testing.T, s *settings.Settings) (*backups, *time.Time) {
	t.Helper()
	s.Data, s.Store = filepath.Join(t.TempDir(), "data"), settings.StoreBolt
	log := slog.New(slog.DiscardHandler)
	d, err := datafolder.Open(t.Context(), s, &console.Console{In: os.Stdin, Out: io.Discard, Err: io.Discard}, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	made := &server{Settings: s, version: "1.2.3", log: log}
	b, err := made.newBackups(d)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC)
	b.now = func() time.Time { return now }
	return b, &now
}

func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Of the store's own backups the newest are kept; nothing else is deleted.
func TestBackupsAreKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := &settings.Settings{}
	s.BackupTo, s.BackupPlain, s.BackupKeep = dir, true, 2
	b, now := scheduled(t, s)
	others := []string{
		"hush-00000000-20200102T030405Z.hushbackup", b.names.prefix() + "20200102T030405Z.hushbackup.old",
		b.names.prefix() + "20201302T030405Z.hushbackup", "notes",
	}
	for _, name := range others {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var want []string
	for range 4 {
		want = append(want, b.names.of(*now))
		if due := b.attempt(t.Context()); !due.Equal(now.Add(6 * time.Hour)) {
			t.Errorf("attempt: got the next one at %v, want 6 hours later", due)
		}
		*now = now.Add(6 * time.Hour)
	}
	want = append(want[2:], others...)
	slices.Sort(want)
	if got := filesIn(t, dir); !slices.Equal(got, want) {
		t.Errorf("files: got %q, want %q", got, want)
	}
	if made := b.state(); made.Failing || made.Bytes == 0 || !made.Last.Equal(now.Add(-6*time.Hour)) {
		t.Errorf("state: got %+v, want the last backup", made)
	}
}

// Backups whose names have later times than the one just made were made before it, by a
// clock that was ahead or before it was put back: they go first, the oldest of them at
// first.
func TestBackupsAreKeptWhenTheClockIsSet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := &settings.Settings{}
	s.BackupTo, s.BackupPlain, s.BackupKeep = dir, true, 2
	b, now := scheduled(t, s)
	var made []string
	for n := range 5 {
		if n == 3 {
			*now = now.Add(-1000 * time.Hour)
		}
		made = append(made, b.names.of(*now))
		b.attempt(t.Context())
		want := slices.Clone(made[max(0, n-1):])
		slices.Sort(want)
		if got := filesIn(t, dir); !slices.Equal(got, want) {
			t.Errorf("files after backup %d: got %q, want the last two, %q", n, got, want)
		}
		*now = now.Add(6 * time.Hour)
	}
}

// The backups of before the start count.
func TestFirstBackupIsDue(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := &settings.Settings{}
	s.BackupTo, s.BackupPlain, s.BackupKeep = dir, true, 2
	b, now := scheduled(t, s)
	soon := now.Add(backupDelay)
	for ago, want := range map[time.Duration]time.Time{
		5 * time.Hour: now.Add(time.Hour), 7 * time.Hour: soon, -7 * time.Hour: soon,
	} {
		b.made.Last = now.Add(-ago)
		if got := b.first(); !got.Equal(want) {
			t.Errorf("first(last one %v ago): got %v, want %v", ago, got, want)
		}
	}
	b.made.Backups = handlers.Backups{Every: b.made.Every}
	if got := b.first(); !got.Equal(soon) {
		t.Errorf("first(no earlier one): got %v, want %v", got, soon)
	}
}

// A backup that cannot be written leaves nothing, is counted and tried again; the
// earlier ones stay.
func TestFailedBackupIsTriedAgain(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "to")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := &settings.Settings{}
	s.BackupTo, s.BackupPlain, s.BackupKeep = dir, true, 2
	b, now := scheduled(t, s)
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	for i, want := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute} {
		if due := b.attempt(t.Context()); !due.Equal(now.Add(want)) {
			t.Errorf("attempt %d: got the next one at %v, want %v later", i, due, want)
		}
	}
	if made := b.state(); !made.Failing || made.failures != 3 {
		t.Errorf("state: got %+v, want 3 failures", made)
	}
	if err := os.Rename(dir+".away", dir); err != nil {
		t.Fatal(err)
	}
	b.attempt(t.Context())
	if made := b.state(); made.Failing || made.failures != 3 || len(filesIn(t, dir)) != 1 {
		t.Errorf("state: got %+v, want a backup", made)
	}
}

// A backup that is due while another one is made comes a minute later, and did not
// fail. The other one is whole.
func TestBackupWaitsForAnother(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := &settings.Settings{}
	s.BackupTo, s.BackupPlain, s.BackupKeep = dir, true, 2
	b, now := scheduled(t, s)
	var due time.Time
	other := writerFunc(func(data []byte) (int, error) {
		due = b.attempt(t.Context())
		return len(data), nil
	})
	if _, err := b.data.Backup(t.Context(), other, datafolder.BackupOptions{}); err != nil {
		t.Errorf("Backup: got %v, want nil", err)
	}
	if made := b.state(); !due.Equal(now.Add(time.Minute)) || made.Failing || made.failures > 0 {
		t.Errorf("attempt beside another backup: got the next one at %v and state %+v, want one a minute later", due, made)
	}
	if got := filesIn(t, dir); len(got) > 0 {
		t.Errorf("files: got %q, want none", got)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(data []byte) (int, error) { return f(data) }

// To the sandbox, a folder that takes the place of the first one is another. The log
// says so.
func TestReplacedBackupFolderIsExplained(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "to")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := &settings.Settings{}
	s.BackupTo, s.BackupPlain, s.BackupKeep = dir, true, 2
	b, _ := scheduled(t, s)
	refused := &os.PathError{Op: "open", Path: dir, Err: os.ErrPermission}
	if err := b.explain(refused); !errors.Is(err, os.ErrPermission) || strings.Contains(err.Error(), "restart") {
		t.Errorf("explain(no leave): got %q, want that alone", err)
	}
	if err := errors.Join(os.Rename(dir, dir+".away"), os.Mkdir(dir, 0o700)); err != nil {
		t.Fatal(err)
	}
	if err := b.explain(refused); !errors.Is(err, os.ErrPermission) || !strings.Contains(err.Error(), "restart the service") {
		t.Errorf("explain(no leave for another folder): got %q, want what to do", err)
	}
}

// A service that is stopped leaves no part of a backup, and the next one removes
// what a killed one left.
func TestInterruptedBackupLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := &settings.Settings{}
	_, recipient, err := backup.NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	if s.BackupRecipients, err = backup.Recipients(recipient); err != nil {
		t.Fatal(err)
	}
	s.BackupTo, s.BackupKeep = dir, 2
	b, now := scheduled(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b.attempt(ctx)
	if got := filesIn(t, dir); len(got) > 0 {
		t.Errorf("files after an interrupted attempt: got %q, want none", got)
	}
	if made := b.state(); made.Failing {
		t.Error("state: got a failure, want none of a stopped service")
	}
	foreign := ".hush-00000000-x.1.partial"
	for _, name := range []string{"." + b.names.of(*now) + ".123.partial", foreign} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.names.removePartial(b.log)
	if got := filesIn(t, dir); !slices.Equal(got, []string{foreign}) {
		t.Errorf("files: got %q, want only that of another store", got)
	}
}
