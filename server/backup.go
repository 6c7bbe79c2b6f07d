package server

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"hush/backup"
	"hush/crash"
	"hush/handlers"
	"hush/server/datafolder"
	"hush/server/settings"
)

const (
	// backupDelay is how long after the start the first backup is made, if it is
	// due, and backupLook the longest time between two looks at the clock.
	backupDelay = 2 * time.Second
	backupLook  = time.Minute
	// backupTime is the maximum duration of a backup, in which the database cannot
	// use its free pages again.
	backupTime = time.Hour
	// backupRetry is the time from the first failure to the next attempt. It doubles
	// with each one, up to backupRetryMost.
	backupRetry     = time.Minute
	backupRetryMost = time.Hour
)

// backupOf returns what makes a backup for the operator.
func (s *server) backupOf(d *datafolder.Data) handlers.Backup {
	return func(ctx context.Context, to io.Writer, begun func(bytes int64)) error {
		_, err := d.Backup(ctx, to, datafolder.BackupOptions{Release: s.version, Begun: begun})
		if err != nil && !errors.Is(err, datafolder.ErrBackingUp) {
			s.log.Warn("a backup for the operator ended early", "cause", err)
		}
		return err
	}
}

// checkBackups returns an error if backups could not be written where the settings
// say.
func checkBackups(s *settings.Settings) error {
	if s.BackupTo == "" {
		return nil
	}
	info, err := os.Stat(s.BackupTo)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("--backup-to: there is no folder %s: make it, or mount its disk", s.BackupTo)
	case err != nil:
		return fmt.Errorf("--backup-to: %w", err)
	case !info.IsDir():
		return fmt.Errorf("--backup-to: %s is not a folder", s.BackupTo)
	case datafolder.Contains(s.Data, s.BackupTo):
		return fmt.Errorf("--backup-to: %s is in the data folder, and would be lost with it", s.BackupTo)
	}
	return nil
}

// checkBackupsWritable returns an error if this process may not write backups where
// the settings say. Another user, who checks the settings, may not matter.
func checkBackupsWritable(s *settings.Settings) error {
	if s.BackupTo == "" {
		return nil
	}
	if err := unix.Access(s.BackupTo, unix.W_OK|unix.X_OK); err != nil {
		return fmt.Errorf("--backup-to=%s: %w", s.BackupTo, err)
	}
	return nil
}

// backups makes a backup from time to time.
type backups struct {
	settings *settings.Settings
	release  string
	data     *datafolder.Data
	names    backupNames
	folder   fs.FileInfo // of the start, to which the sandbox is bound
	log      *slog.Logger
	now      func() time.Time

	mu   sync.Mutex
	made backupState
}

// backupState is how the backups are doing.
type backupState struct {
	handlers.Backups

	failures int64 // since the start
	inARow   int
}

// newBackups returns what makes the backups of the settings, or nil. It looks for
// earlier ones.
func (s *server) newBackups(d *datafolder.Data) (*backups, error) {
	if s.BackupTo == "" {
		return nil, nil
	}
	id, err := d.ID()
	if err != nil {
		return nil, err
	}
	folder, err := os.Stat(s.BackupTo)
	if err != nil {
		return nil, fmt.Errorf("--backup-to=%s: %w", s.BackupTo, err)
	}
	if datafolder.OnDiskOf(s.BackupTo, s.Data) {
		s.log.Warn("the backups are on the disk of the data: if that disk is lost, so are both; if they have a disk of their own, it is not mounted", "folder", s.BackupTo)
	}
	b := &backups{folder: folder, settings: s.Settings, release: s.version, data: d, log: s.log, now: s.now}
	b.names = backupNames{folder: s.BackupTo, store: hex.EncodeToString(id[:4]), encrypted: !s.BackupPlain}
	b.made.Every = s.BackupEvery()
	found, err := b.names.list()
	if err != nil {
		return nil, fmt.Errorf("--backup-to=%s: %w", s.BackupTo, err)
	}
	if n := len(found); n > 0 {
		last := found[n-1]
		b.made.Last = timeOf(last)
		if info, err := os.Stat(filepath.Join(s.BackupTo, last)); err == nil {
			b.made.Bytes = info.Size()
		}
	}
	return b, nil
}

// facts returns what tells how the backups are doing; nil without backups.
func (b *backups) facts() func() handlers.Backups {
	if b == nil {
		return nil
	}
	return func() handlers.Backups { return b.state().Backups }
}

func (b *backups) state() backupState {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.made
}

// start makes backups until stop.
func (b *backups) start(ctx context.Context) (stop func()) {
	if b == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	crash.Go(&running, b.log, func() { b.run(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}

func (b *backups) run(ctx context.Context) {
	b.names.removePartial(b.log)
	for due := b.first(); ; {
		// The clock may leap, and the machine may sleep.
		timer := time.NewTimer(max(0, min(due.Sub(b.now()), backupLook)))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		if b.now().Before(due) {
			continue
		}
		if due = b.attempt(ctx); ctx.Err() != nil {
			return
		}
	}
}

// first returns when the first backup is due.
func (b *backups) first() time.Time {
	soon, made := b.now().Add(backupDelay), b.state()
	due := made.Last.Add(made.Every)
	if made.Last.IsZero() || due.Before(soon) || made.Last.After(soon) {
		return soon
	}
	return due
}

// attempt makes a backup, and returns when the next one is due.
func (b *backups) attempt(ctx context.Context) (due time.Time) {
	began := b.now()
	name, bytes, err := b.make(ctx, began)
	if ctx.Err() != nil {
		return began
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if errors.Is(err, datafolder.ErrBackingUp) {
		return b.now().Add(backupRetry)
	}
	if err != nil {
		wait := min(backupRetry<<min(b.made.inARow, 10), backupRetryMost, b.made.Every)
		b.made.Failing = true
		b.made.failures++
		b.made.inARow++
		b.log.Error("a backup failed; the earlier ones are kept", "cause", err, "next_attempt_in", wait)
		return b.now().Add(wait)
	}
	b.made.Failing, b.made.inARow, b.made.Last, b.made.Bytes = false, 0, began, bytes
	b.log.Info("made a backup", "file", name, "bytes", bytes, "took", b.now().Sub(began))
	b.names.prune(b.settings.BackupKeep, name, b.log)
	return began.Add(b.made.Every)
}

// explain says why nothing can be written to a folder that looks right: a disk that
// was mounted after the start, for example, is another folder to the sandbox.
func (b *backups) explain(err error) error {
	now, unknown := os.Stat(b.settings.BackupTo)
	if errors.Is(err, fs.ErrPermission) && unknown == nil && !os.SameFile(now, b.folder) {
		return fmt.Errorf("%w: %s is another folder than at the start, and the sandbox of this process reaches only that one: restart the service", err, b.settings.BackupTo)
	}
	return err
}

// make makes a backup and returns its name in the folder and its size.
func (b *backups) make(ctx context.Context, now time.Time) (name string, bytes int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, backupTime)
	defer cancel()
	name = b.names.of(now)
	file, err := backup.Create(filepath.Join(b.settings.BackupTo, name))
	if err != nil {
		return name, 0, b.explain(err)
	}
	defer func() { err = errors.Join(err, file.Discard()) }()
	sealed, err := backup.Encrypt(file, b.settings.BackupRecipients)
	if err != nil {
		return name, 0, err
	}
	_, err = b.data.Backup(ctx, sealed, datafolder.BackupOptions{Release: b.release})
	if err == nil {
		err = sealed.Close()
	}
	if err != nil {
		return name, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return name, 0, err
	}
	return name, info.Size(), file.Commit()
}
