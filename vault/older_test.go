package vault_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/spentlog"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/secret"
	"hush/vault/spent"
	"hush/vault/vaulttest"
)

// copyLog copies the log of a scene, as it is on the disk.
func (s *spentScene) copyLog(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "log")
	err := errors.Join(os.CopyFS(dir, os.DirFS(s.dir)), os.Chmod(dir, 0o700))
	vaulttest.Want(t, "CopyFS(log)", err, nil)
	return dir
}

// copyData copies the folder of a scene as a crash would leave it. A view keeps the
// pages of the database while they are copied.
func (s *spentScene) copyData(t *testing.T) (dir string) {
	t.Helper()
	err := s.Store.View(context.Background(), func(storage.Tx) error {
		dir = s.CopyDir(t)
		return nil
	})
	vaulttest.Want(t, "View()", err, nil)
	return dir
}

// openCopy starts a vault on a copy of the folder and of the log, and returns why
// it does not start.
func openCopy(t *testing.T, opts vault.Options, dir, logDir string) (err error) {
	t.Helper()
	folder, err := bolt.OpenFolder(dir)
	vaulttest.Want(t, "OpenFolder(copy)", err, nil)
	defer func() { err = errors.Join(err, folder.Close()) }()
	opts.Store, opts.Shares, err = folder.Open(bolt.Options{Small: true})
	vaulttest.Want(t, "Open(copy)", err, nil)
	log, _, err := spent.Open(t.Context(), opts.Store, logDir, false, spentlog.Options{Growth: 256})
	vaulttest.Want(t, "spent.Open(copy)", err, nil)
	defer func() { err = errors.Join(err, log.Close()) }()
	opts.SpentLog, opts.Blobs = log, nil // those of the kit are closed, or in use
	v, err := vault.Open(t.Context(), opts)
	if err == nil {
		v.Close()
	}
	return err
}

// The attack: put an old copy of the data folder back, with cp or as a snapshot of
// the file system, and open what was opened since. The start is refused.
func TestOlderCopyIsRefused(t *testing.T) {
	t.Parallel()
	ends := spentEnds()
	ends["reveal of what is younger than the copy"] = func(t *testing.T, s *spentScene) (func() error, []string) {
		t.Helper()
		return func() error {
			made := s.MustConceal(t, caller.Caller{}, "the text", secret.Terms{})
			_, err := s.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, made.Secret.Key.Expose(), secret.Opening{})
			return err
		}, nil
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpentScene(t, vaulttest.Options{})
			s.MustReveal(t, caller.Caller{}, s.owned[0].Secret.Key, "") // both know this one
			s.owned[0] = s.MustConceal(t, s.c, "the text", secret.Terms{})
			vaulttest.AwaitShred(t, s.Kit)
			before, same := s.copyData(t), s.copyLog(t)
			do, _ := end(t, s)
			vaulttest.Want(t, name, do(), nil)
			vaulttest.AwaitShred(t, s.Kit)
			after, log, opts := s.copyData(t), s.copyLog(t), s.VaultOptions()
			mixed := s.copyData(t)
			data, err := os.ReadFile(filepath.Join(before, "hush.db"))
			vaulttest.Want(t, "hush.db", errors.Join(err, os.WriteFile(filepath.Join(mixed, "hush.db"), data, 0o600)), nil)

			vaulttest.Want(t, "start on the copy with a log of its time", openCopy(t, opts, before, same), nil)
			vaulttest.WantErr(t, "start on an older copy", openCopy(t, opts, before, log), spent.ErrOlder)
			vaulttest.WantErr(t, "start on an older database", openCopy(t, opts, mixed, log), spent.ErrOlder)
			vaulttest.Want(t, "start on the data itself", openCopy(t, opts, after, log), nil)
		})
	}
}

// Whenever the process is killed, what it left is not taken for an older copy: the
// log has an end, and the store has not struck it off.
func TestCrashIsNoOlderCopy(t *testing.T) {
	t.Parallel()
	for name, end := range spentEnds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s *spentScene
			var left [][2]string // folder and log after each sync of the log
			crashing := false
			s = newSpentScene(t, vaulttest.Options{SpentOptions: spentlog.Options{Synced: func(int, time.Duration, error) {
				if !crashing {
					return
				}
				left = append(left, [2]string{s.copyData(t), s.copyLog(t)})
			}}})
			do, want := end(t, s)
			crashing = true
			vaulttest.Want(t, name, do(), nil)
			opts := s.VaultOptions()
			s.Close(t)
			if len(left) == 0 {
				t.Fatalf("%s: got no sync of the log, want one", name)
			}
			for _, copied := range left {
				vaulttest.Want(t, "start after a crash", openCopy(t, opts, copied[0], copied[1]), nil)
			}
			r, err := spentlog.Read(left[len(left)-1][1])
			vaulttest.Want(t, "spentlog.Read()", err, nil)
			if r.Last() <= uint64(len(want)) {
				t.Errorf("log after %s, a crash and a start: got %d entries, want those and others that the start has written again", name, r.Last())
			}
		})
	}
}

// The log says that a backup was restored in place of the data, or that the data
// was served without it.
func TestReplacedDataIsRefused(t *testing.T) {
	t.Parallel()
	s := newSpentScene(t, vaulttest.Options{})
	s.MustReveal(t, caller.Caller{}, s.kept.Secret.Key, "")
	vaulttest.AwaitShred(t, s.Kit)
	dir := s.CopyDir(t)
	mark := func(e spentlog.Entry) string {
		logDir := s.copyLog(t)
		log, err := spentlog.Open(logDir, spentlog.Options{Growth: 256})
		vaulttest.Want(t, "spentlog.Open()", err, nil)
		e.Time = s.Clock.Now()
		vaulttest.Want(t, "Append()", errors.Join(log.Append(e), log.Close()), nil)
		return logDir
	}
	opts := s.VaultOptions()
	restored := mark(spentlog.Entry{Kind: byte(spent.KindRestored), Row: make([]byte, 8)})
	vaulttest.WantErr(t, "start on replaced data", openCopy(t, opts, dir, restored), spent.ErrReplaced)
	stopped := mark(spentlog.Entry{Kind: byte(spent.KindStopped)})
	vaulttest.WantErr(t, "start with a log that was given up", openCopy(t, opts, dir, stopped), spent.ErrStopped)
}
