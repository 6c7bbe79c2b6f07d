package server

import (
	"cmp"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hush/backup"
)

// backupNames are the files that one store's backups have in a folder. Others in
// the same folder are left alone.
type backupNames struct {
	folder    string
	store     string // a part of its id
	encrypted bool
}

func (n backupNames) prefix() string { return "hush-" + n.store + "-" }

// of returns the name of the backup of a moment.
func (n backupNames) of(at time.Time) string {
	return backup.NameAt(n.prefix(), at, n.encrypted)
}

// timeOf returns the time in a backup's name, or zero for another name.
func timeOf(name string) time.Time {
	stem, ok := strings.CutSuffix(name, backup.SealedSuffix)
	if !ok {
		stem, ok = strings.CutSuffix(name, backup.Suffix)
	}
	if len(stem) < len(backup.TimeForm) || !ok {
		return time.Time{}
	}
	at, err := time.Parse(backup.TimeForm, stem[len(stem)-len(backup.TimeForm):])
	if err != nil {
		return time.Time{}
	}
	return at
}

// list returns the names of the store's backups, the oldest first.
func (n backupNames) list() (names []string, err error) {
	entries, err := os.ReadDir(n.folder)
	for _, e := range entries {
		name := e.Name()
		at := timeOf(name)
		if !at.IsZero() && e.Type().IsRegular() && (name == n.of(at) || name == (backupNames{n.folder, n.store, !n.encrypted}).of(at)) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(timeOf(a).Compare(timeOf(b)), strings.Compare(a, b)) })
	return names, err
}

// prune deletes the oldest backups until there are as many as to keep. The one just made
// is the newest: those with a later time in their names were made before it, by a clock
// that was ahead, or before it was put back.
func (n backupNames) prune(keep int, made string, log *slog.Logger) {
	names, err := n.list()
	if err != nil {
		log.Warn("old backups cannot be listed", "folder", n.folder, "cause", err)
		return
	}
	after := slices.Index(names, made) + 1
	names = append(slices.Clone(names[after:]), names[:after]...)
	for _, name := range names[:max(0, len(names)-keep)] {
		if err := os.Remove(filepath.Join(n.folder, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			log.Warn("an old backup cannot be deleted", "file", name, "cause", err)
		}
	}
}

// removePartial removes what an interrupted process left.
func (n backupNames) removePartial(log *slog.Logger) {
	entries, err := os.ReadDir(n.folder)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "."+n.prefix()) && strings.HasSuffix(e.Name(), ".partial") {
			err = errors.Join(err, os.Remove(filepath.Join(n.folder, e.Name())))
		}
	}
	if err != nil {
		log.Warn("an unfinished backup cannot be deleted", "folder", n.folder, "cause", err)
	}
}
