package datafolder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"hush/server/settings"
	"hush/storage/bolt"
	"hush/storage/disk"
	"hush/storage/postgres"
	"hush/vault/cluster"
	"hush/vault/transfer"
)

// Ends are the two stores of a copy, a data folder or a database each.
type Ends struct {
	// Options has what is known of the copy; the caller adds its own.
	Options transfer.Options
	folders []string
	close   []func() error
	moved   bool // the source may be a copy
}

// OpenEnds opens the stores of a copy. It creates a target that does not exist if
// create is true; otherwise it leaves nothing behind, and the Store of the target
// is nil. An empty to leaves the target out. Without a file for the root key it is the
// one in a folder, that of the source first. It returns ErrInUse if another
// process holds a folder, and refuses to copy from a folder that is a copy itself unless
// it has moved: the target could be served, and so could the old folder.
func OpenEnds(ctx context.Context, from, to, rootKeyFile string, create, moved bool, log *slog.Logger) (_ *Ends, err error) {
	e := &Ends{Options: transfer.Options{Now: time.Now, Log: log}, moved: moved || to == ""}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.Close())
		}
	}()
	if !settings.IsDatabase(from) {
		if to != "" && filepath.Clean(from) == filepath.Clean(to) {
			return nil, fmt.Errorf("FROM and TO are the same folder, %s", from)
		}
		if err := holdsData(from); err != nil {
			return nil, err
		}
	}
	path, err := endsKey(rootKeyFile, from, to)
	if err != nil {
		return nil, err
	}
	if e.Options.Keys, _, err = readKeys(ctx, path); err != nil {
		return nil, err
	}
	if e.Options.From, err = e.open(ctx, from, "", false); err != nil || to == "" {
		return e, err
	}
	e.Options.To, err = e.open(ctx, to, e.Options.From.Name, create)
	return e, err
}

// endsKey returns the file with the root key of both ends.
func endsKey(file string, ends ...string) (string, error) {
	if file != "" {
		return file, nil
	}
	for _, end := range ends {
		path := filepath.Join(end, RootKeyName)
		if end == "" || settings.IsDatabase(end) {
			continue
		}
		if there, err := isFile(path); err != nil || there {
			return path, err
		}
	}
	return "", errors.New("no root key: name the file of the source's root key with --root-key-file")
}

// open opens one end. source is the name of the other end for a target, empty
// for the source.
func (e *Ends) open(ctx context.Context, place, source string, create bool) (transfer.Store, error) {
	if settings.IsDatabase(place) {
		return e.openDatabase(ctx, place, source, create)
	}
	end := transfer.Store{Name: "the data folder " + absolute(place)}
	if source != "" {
		e.Options.Room = func(bytes, shares int64) error { return checkRoom(place, bytes, shares) }
	}
	if source != "" && !create {
		if err := holdsData(place); err != nil {
			return end, bolt.CheckNew(place)
		}
	}
	folder, err := bolt.OpenFolder(place)
	if errors.Is(err, bolt.ErrLocked) {
		return end, fmt.Errorf("the data folder %s is %w", place, ErrInUse)
	}
	if err != nil {
		return end, err
	}
	e.close, e.folders = append(e.close, folder.Close), append(e.folders, place)
	opts := bolt.Options{Check: cluster.CheckFormat}
	if source != "" {
		opts.Init, opts.Ballast = transfer.Prepare(source, time.Now()), create
	} else if !e.moved {
		opts.Copied = func(found error) error { return explainCopy(found, place) }
	}
	store, shares, err := folder.Open(opts)
	if err == nil {
		end.Store, end.Shares = store, shares
	}
	return end, err
}

func (e *Ends) openDatabase(ctx context.Context, place, source string, create bool) (transfer.Store, error) {
	end := transfer.Store{Name: postgres.Place(place)}
	opts := databaseOptions("hush admin store copy")
	opts.Existing = source == "" || !create
	store, shares, err := postgres.Open(ctx, place, opts)
	if errors.Is(err, postgres.ErrNoStore) && !errors.Is(err, postgres.ErrRefused) {
		if source == "" {
			return end, fmt.Errorf("%s holds no data of this release of Hush", end.Name)
		}
		return end, nil
	}
	if err != nil {
		return end, &openError{end.Name, err}
	}
	e.close = append(e.close, store.Close)
	end.Store, end.Shares = store, shares
	return end, nil
}

func absolute(place string) string {
	if full, err := filepath.Abs(place); err == nil {
		return full
	}
	return place
}

// Close closes both stores. Run as root, it leaves the files of folders to the
// owners of the folders.
func (e *Ends) Close() error {
	var errs []error
	for _, closed := range e.close {
		errs = append(errs, closed())
	}
	for _, folder := range e.folders {
		errs = append(errs, HandOver(folder))
	}
	e.close, e.folders = nil, nil
	return errors.Join(errs...)
}

// holdsData returns an error if a folder has no database.
func holdsData(folder string) error {
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no data folder %s", folder)
	}
	if _, err := os.Lstat(filepath.Join(folder, DatabaseName)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the folder %s holds no data: it has no file %s", folder, DatabaseName)
	}
	return nil
}

// A copy into a folder needs about twice the bytes of its rows, since pages are
// half full where rows come in order, a slot for each share, and some room.
const (
	roomFactor = 2
	roomSlot   = 64
	roomSpare  = 64 << 20
)

func checkRoom(place string, bytes, shares int64) error {
	needed := roomFactor*bytes + roomSlot*shares + roomSpare
	free, known := disk.FreeBytes(place)
	if known && free < needed {
		return fmt.Errorf("the disk of %s has %d MiB free, and the copy needs about %d MiB; nothing was copied", place, free>>20, (needed+1<<20-1)>>20) // so that they never look the same
	}
	return nil
}
