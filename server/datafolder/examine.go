package datafolder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"hush/seal"
	"hush/server/settings"
	"hush/storage"
	"hush/storage/blobfile"
	"hush/storage/bolt"
	"hush/storage/bolt/offline"
	"hush/storage/postgres"
	"hush/storage/sharefile"
	"hush/vault/doctor"
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
func Inspect(folder string) (*offline.Inspection, error) {
	if _, err := os.Stat(folder); errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("there is no data folder %s", folder)
	}
	if err := checkFinished(folder); err != nil {
		return nil, err
	}
	i, err := offline.Inspect(folder)
	if errors.Is(err, bolt.ErrLocked) {
		return nil, fmt.Errorf("the data folder %s is %w", folder, ErrInUse)
	}
	return i, err
}

// InspectData is Inspect for a folder that must have a database.
func InspectData(folder string) (*offline.Inspection, error) {
	if err := checkFinished(folder); err != nil {
		return nil, err
	}
	if err := holdsData(folder); err != nil {
		return nil, err
	}
	return Inspect(folder)
}

// The errors of Examine beside those of an examination.
var (
	// ErrExamining is returned while another examination is under way: each holds
	// back what the database could use again.
	ErrExamining = errors.New("another examination of this service is under way: try again when it is complete")
	// ErrNotExamined is returned for data that is not in a folder.
	ErrNotExamined = errors.New("the data of this service is not in the folder: name the database with --store and the root key with --root-key-file, beside nodes that serve it")
)

// examineTime is the maximum duration of an examination, in which the database cannot
// use its free pages again.
const examineTime = time.Hour

var errExamineTime = errors.New("the examination took longer than an hour, in which the database cannot use its free pages again: stop the service and run the command again")

// Examine examines the rows and the shares of a data folder that is in use, as they
// were at one moment, and changes nothing. It rests as long as it works, so that
// requests keep the processors. tell is called now and then with the number of rows
// read so far, and the bucket.
func (d *Data) Examine(ctx context.Context, tell func(bucket string, rows int64)) (*doctor.Findings, error) {
	store, ok := d.store.(*bolt.Store)
	slots, also := d.shares.(*sharefile.File)
	if !ok || !also {
		return nil, ErrNotExamined
	}
	if !d.examining.CompareAndSwap(false, true) {
		return nil, ErrExamining
	}
	defer d.examining.Store(false)
	ctx, cancel := context.WithTimeoutCause(ctx, examineTime, errExamineTime)
	defer cancel()
	found, pace := doctor.NewFindings(), pace{since: time.Now()}
	snapshots := snapshots{store: store}
	err := doctor.Examine(ctx, doctor.Options{
		Store: &snapshots, Blobs: BlobsIn(d.folder.Path(FilesName)), Served: true, Now: time.Now(), Findings: found,
		Prepare: func(opts *doctor.Options) (err error) {
			opts.Keys = d.keys.Detached()
			if opts.Slots, err = slots.Slots(ctx); err != nil {
				return err
			}
			opts.Names, err = snapshots.current.Buckets()
			return err
		},
		Progress: func(bucket string, rows int64) {
			tell(bucket, rows)
			pace.rest(ctx)
		},
	})
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	found.Skipped = append(found.Skipped,
		"the pages of hush.db, slots that nothing uses, and blobs that belong to no shared file: the service changes them; stop it for a whole examination")
	return found, err
}

// BlobsIn returns what looks at the blobs in a folder, which may be missing, for an
// examination; nil if what is there is no folder.
func BlobsIn(path string) storage.BlobViewer {
	if blobfile.Check(path) != nil {
		return nil
	}
	return blobfile.Lens(path)
}

// snapshots are the rows of a store in snapshots, which end before the disk is full.
type snapshots struct {
	store   *bolt.Store
	current *bolt.Snapshot
}

// View implements storage.Viewer.
func (s *snapshots) View(ctx context.Context, fn func(storage.Tx) error) error {
	return s.store.Snapshot(ctx, func(snapshot *bolt.Snapshot) error {
		s.current = snapshot
		return snapshot.View(ctx, fn)
	})
}

// pace leaves a processor to others half of the time.
type pace struct{ since time.Time }

// rest waits as long as was worked since the last rest, at most restMost.
func (p *pace) rest(ctx context.Context) {
	timer := time.NewTimer(min(time.Since(p.since), restMost))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	p.since = time.Now()
}

// restMost bounds a rest after the process itself stood still.
const restMost = time.Second

// ConnectExisting connects to a database that holds data, to examine it. It
// returns the time there, and what closes the connections.
func ConnectExisting(ctx context.Context, s *settings.Settings) (store storage.Viewer, now time.Time, done func() error, err error) {
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
