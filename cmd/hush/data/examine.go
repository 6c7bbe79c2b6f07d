package data

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"hush/cmd/hush/settings"
	"hush/seal"
	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/postgres"
)

// RootKeyPath returns where the root key is.
func RootKeyPath(s *settings.Settings) string { return rootKeyPath(s) }

// ExamineKeys reads the root key of a service that is examined, whatever the
// mode of its file, and changes nothing. It returns ErrNoKey if there is none.
func ExamineKeys(ctx context.Context, path string) (*seal.Keys, error) {
	content, err := readKeyFile(ctx, path, bolt.OpenQuietly)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w %s", ErrNoKey, path)
	}
	if err != nil {
		return nil, err
	}
	defer clear(content)
	roots, err := seal.ParseRootKeys(content)
	if err != nil {
		return nil, err
	}
	keys, _ := keepKeys(roots...)
	return keys, nil
}

// Inspect takes the lock of a data folder to examine it, and changes nothing. It
// returns ErrInUse if a process holds it, and an error if there is no folder, or if a
// restore into it was not finished.
func Inspect(folder string) (*bolt.Inspection, error) {
	if _, err := os.Stat(folder); errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("there is no data folder %s", folder)
	}
	if err := checkFinished(folder); err != nil {
		return nil, err
	}
	i, err := bolt.Inspect(folder)
	if errors.Is(err, bolt.ErrLocked) {
		return nil, fmt.Errorf("the data folder %s is %w", folder, ErrInUse)
	}
	return i, err
}

// InspectData is Inspect for a folder that must have a database.
func InspectData(folder string) (*bolt.Inspection, error) {
	if err := checkFinished(folder); err != nil {
		return nil, err
	}
	if err := holdsData(folder); err != nil {
		return nil, err
	}
	return Inspect(folder)
}

// ConnectExisting connects to a database that holds data, to examine it. It
// returns the time there, and what closes the connections.
func ConnectExisting(ctx context.Context, s *settings.Settings) (store storage.Store, now time.Time, done func() error, err error) {
	opts := databaseOptions("hush admin doctor")
	opts.Existing, opts.ReadOnly, opts.MaxConns = true, true, commandConns
	opened, _, err := postgres.Open(ctx, s.Store, opts)
	if errors.Is(err, postgres.ErrNoStore) && !errors.Is(err, postgres.ErrRefused) {
		return nil, now, nil, fmt.Errorf("%s holds no data of this release of Hush", postgres.Place(s.Store))
	}
	if err != nil {
		return nil, now, nil, &openError{postgres.Place(s.Store), err}
	}
	if now, err = opened.Now(ctx); err != nil {
		return nil, now, nil, errors.Join(err, opened.Close())
	}
	return opened, now, opened.Close, nil
}
