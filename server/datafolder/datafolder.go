// Package datafolder opens the data of a service: its folder, with the root key, the
// database, the shares, the parts of files and the socket of "hush admin"; or a
// database on a server, of which the folder has only key and socket; or a store in
// memory. One process at a time holds a folder. New stores, and commands that look
// after the data, begin here.
package datafolder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"hush/cli/console"
	"hush/seal"
	"hush/server/settings"
	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/disk"
	"hush/storage/memory"
	"hush/vault"
	"hush/vault/cluster"
	"hush/vault/keylist"
	"hush/vault/rows"
	"hush/vault/spent"
)

// The files of the data folder.
const (
	RootKeyName      = "root.key"
	DatabaseName     = "hush.db"
	SharesName       = "shares"
	BallastName      = "ballast"
	CertificatesName = "certificates" // a folder
	FilesName        = "files"        // a folder
)

// ErrInUse is returned if another process holds the data folder.
var ErrInUse = errors.New("in use by another hush: stop that one first")

// Data is the open data of a service.
type Data struct {
	// Locked reports whether the keys are kept from swap.
	Locked bool
	// Fault gets the one error after which the process must stop.
	Fault <-chan error
	// FileBytes returns the length of the database's file. It is nil for a store in
	// memory.
	FileBytes func() int64
	// Node is the name of this node of a store that others may share; empty if
	// the store is this process's alone.
	Node string

	place        string // of the data, for people
	store        storage.Store
	shares       storage.Shares
	keys         *seal.Keys
	keyFile      *keyFile // nil for a store in memory
	hasDiskSpace func() bool
	folder       *bolt.Folder // nil if the data is not in a folder
	files        storage.Blobs
	tellFault    func(error) // of a node that may no longer use the store
	logged       *logged     // nil if the data is not in a folder
	close        func() error
	backingUp    atomic.Bool
	examining    atomic.Bool
}

// Observe makes the store report to o. It is called once, before OpenVault.
func (d *Data) Observe(o storage.Observer) {
	d.store.Observe(o)
	d.shares.Observe(o)
}

// Waiting returns how many updates of this process wait for a commit.
func (d *Data) Waiting() int { return d.store.Waiting() }

// Disk is the state of the disk of a data folder.
type Disk struct {
	// Free is the number of free bytes.
	Free int64
	// Full reports whether nothing new is stored, and BallastDropped whether only
	// what ends something is.
	Full, BallastDropped bool
}

// Disk returns the state of the disk. It is nil if the data is not in a folder,
// or if the free space is unknown.
func (d *Data) Disk() *Disk {
	if d.folder == nil {
		return nil
	}
	free, known := disk.FreeBytes(d.folder.Path("."))
	if !known {
		return nil
	}
	return &Disk{Free: free, Full: !d.folder.HasDiskSpace(), BallastDropped: d.folder.BallastDropped()}
}

// FreeBytes returns the free bytes of the disk of the data folder; 0 if there is no such
// folder, or if they are unknown.
func (d *Data) FreeBytes() int64 {
	if disk := d.Disk(); disk != nil {
		return disk.Free
	}
	return 0
}

// Format returns the format of the data.
func (d *Data) Format(ctx context.Context) (format rows.Format, err error) {
	err = d.store.View(ctx, func(tx storage.Tx) error {
		stored, err := cluster.GetFormat(tx)
		format = stored.Format
		return err
	})
	return format, err
}

// Close closes the data. A vault on it must be closed before.
func (d *Data) Close() error { return d.close() }

// fieldFile is the label of what SealFile seals.
const fieldFile = "file"

// SealFile encrypts a file of the data folder under the root key. The name is not
// in the result, but needed to open it.
func (d *Data) SealFile(name string, content []byte) []byte {
	return d.keys.SealField(fieldFile, []byte(name), content)
}

// IsCurrent reports whether the current root key made a result of SealFile.
func (d *Data) IsCurrent(sealed []byte) bool { return d.keys.Ring().IsCurrent(sealed) }

// SealedBy returns the kid of the root key that made a result of SealFile.
func (d *Data) SealedBy(sealed []byte) [4]byte { return d.keys.Ring().SealedBy(sealed) }

// OpenFile returns the content of a result of SealFile with the same name, and
// seal.ErrSealBroken for everything else.
func (d *Data) OpenFile(name string, sealed []byte) ([]byte, error) {
	return FileOpener(d.keys)(name, sealed)
}

// FileOpener returns OpenFile for keys.
func FileOpener(keys *seal.Keys) func(name string, sealed []byte) ([]byte, error) {
	return func(name string, sealed []byte) ([]byte, error) {
		return keys.OpenField(fieldFile, []byte(name), sealed)
	}
}

// OpenVault opens the vault of a release of the program on the data, which adds
// its own options. Its clock is the system's unless opts names another.
func (d *Data) OpenVault(ctx context.Context, release string, opts vault.Options) (*vault.Vault, error) {
	if d.Node != "" {
		opts.Node = &cluster.NodeOptions{Name: d.Node, Release: release, Fault: d.tellFault}
	}
	opts.Store, opts.Shares, opts.Blobs, opts.Keys, opts.HasDiskSpace = d.store, d.shares, d.files, d.keys, d.hasDiskSpace
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if d.keyFile != nil {
		opts.KeyFile = d.keyFile
	}
	v, err := d.openLogged(ctx, opts)
	if missing, ok := errors.AsType[*keylist.MissingRootKeyError](err); ok {
		return nil, d.missingKeys(missing)
	}
	if errors.Is(err, seal.ErrWrongRootKey) {
		return nil, fmt.Errorf("the root key is not the one that %s was made with; nothing was changed", d.place)
	}
	if err != nil {
		return nil, err
	}
	if err := d.keepFiles(ctx); err != nil {
		v.Close()
		return nil, err
	}
	return v, nil
}

// openLogged opens the spent log and the vault.
func (d *Data) openLogged(ctx context.Context, opts vault.Options) (_ *vault.Vault, err error) {
	if opts.SpentLog, err = d.openSpentLog(ctx); err != nil {
		return nil, err
	}
	v, err := vault.Open(ctx, opts)
	if errors.Is(err, spent.ErrMissing) {
		return nil, fmt.Errorf("%w; name its folder with --spent-log, or give it up for good with \"hush serve --spent-log=off\"", err)
	}
	return v, explainAge(err)
}

// missingKeys is the error for a root key file that lacks keys that the data needs.
func (d *Data) missingKeys(missing *keylist.MissingRootKeyError) error {
	return fmt.Errorf("%w, which %s needs; nothing was changed; put the line with that key into the file", missing, d.place)
}

// Open opens the data that the settings name. In a new data folder it creates, in
// this order, the root key, the shares, and the database that makes it one; an
// empty database on a server it initialises. It returns ErrInUse if another
// process holds the folder, and refuses a folder that is a copy of another one.
func Open(ctx context.Context, s *settings.Settings, c *console.Console, log *slog.Logger) (*Data, error) {
	return open(ctx, s, c, log, false)
}

// open is Open for the service or for a command.
func open(ctx context.Context, s *settings.Settings, c *console.Console, log *slog.Logger, command bool) (*Data, error) {
	if s.Store == settings.StoreMemory {
		return openMemory(log)
	}
	if s.SharedStore() {
		return openShared(ctx, s, c, log)
	}
	roots, err := checkNew(ctx, s)
	if err != nil {
		return nil, err
	}
	defer wipe(roots)
	folder, err := openFolder(ctx, s, c, log)
	if err != nil {
		return nil, err
	}
	keys, locked, err := loadKeys(ctx, folder, s, c, roots)
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	d, err := openStore(folder, s, keys, log, command)
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	d.Locked = locked
	for _, warning := range folder.Warnings() {
		log.Warn(warning, "data", s.Data)
	}
	return d, nil
}

// OpenExisting is Open for a command on data that exists: it creates nothing, and
// returns an error if there is no data. A database on a server may be in use by
// nodes.
func OpenExisting(ctx context.Context, s *settings.Settings, c *console.Console, log *slog.Logger) (*Data, error) {
	if s.SharedStore() {
		return openBeside(ctx, s, false)
	}
	if err := checkFinished(s.Data); err != nil {
		return nil, err
	}
	if err := holdsData(s.Data); err != nil {
		return nil, fmt.Errorf("%w; if the data is in a database, start the node of this folder, or name the database with --store", err)
	}
	return openForCommand(ctx, s, c, log)
}

// openForCommand is Open for a command, which finds the spent log where it was
// last, and does not give it up. It opens a copy, too, and says that it is one.
func openForCommand(ctx context.Context, s *settings.Settings, c *console.Console, log *slog.Logger) (*Data, error) {
	return open(ctx, s, c, log, true)
}

// OpenNew is Open for a command that may be the first on its data. It makes no folder:
// a mistyped one would have data that no service serves.
func OpenNew(ctx context.Context, s *settings.Settings, c *console.Console, log *slog.Logger) (*Data, error) {
	if isBeside(s) {
		return openBeside(ctx, s, true)
	}
	if err := CheckNew(s); err != nil {
		return nil, err
	}
	return openForCommand(ctx, s, c, log)
}

// isBeside reports whether a command needs no data folder: it has a database on a server,
// and a file for the root key.
func isBeside(s *settings.Settings) bool {
	if !s.SharedStore() {
		return false
	}
	exists, err := isFile(rootKeyPath(s))
	return exists || err != nil
}

// CheckNew returns the error of OpenNew where the data folder is missing.
func CheckNew(s *settings.Settings) error {
	if s.Store == settings.StoreMemory || isBeside(s) {
		return nil
	}
	if _, err := os.Stat(s.Data); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no data folder %s: name the service's with --data; for a new service, start it first, or make the folder with \"mkdir -m 700\"", s.Data)
	}
	return nil
}

// openFolder opens the data folder. It waits as long as the settings say for the
// process that holds it.
func openFolder(ctx context.Context, s *settings.Settings, c *console.Console, log *slog.Logger) (*bolt.Folder, error) {
	folder, err := bolt.OpenFolder(s.Data)
	if errors.Is(err, bolt.ErrLocked) && s.Wait > 0 {
		log.Warn("waiting for the process that holds the data folder", "data", s.Data, "at_most", s.Wait)
	}
	until := time.Now().Add(s.Wait)
	for errors.Is(err, bolt.ErrLocked) && time.Now().Before(until) && ctx.Err() == nil {
		folder, err = bolt.OpenFolder(s.Data)
	}
	if errors.Is(err, bolt.ErrLocked) {
		return nil, fmt.Errorf("the data folder %s is %w", s.Data, ErrInUse)
	}
	if err != nil {
		return nil, err
	}
	if folder.Created {
		c.Tellf("created the data folder %s", s.Data)
	} else if err := checkRestored(s.Data); err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	return folder, nil
}

func openStore(folder *bolt.Folder, s *settings.Settings, keys *seal.Keys, log *slog.Logger, command bool) (*Data, error) {
	fault := make(chan error, 3) // of the folder, of its files, and of the spent log
	tellFault := func(err error) { fault <- err }
	store, shares, err := folder.Open(bolt.Options{
		Init:   vault.Init(keys, time.Now()),
		Check:  cluster.CheckFormat,
		Copied: heedCopy(s, command, log),
		Fault:  tellFault,

		MinFree: s.MinFree, Ballast: true, Pressure: func(dropped bool) { tellPressure(log, dropped) },
		Full: func(full bool, free int64) { tellFull(log, full, free, s.MinFree) },
	})
	if err != nil {
		return nil, err
	}
	files, closeFiles, err := openFiles(folder, s, tellFault, log)
	if err != nil {
		return nil, errors.Join(err, store.Close(), shares.Close())
	}
	d := &Data{
		Fault: fault, FileBytes: func() int64 { return lengthOf(folder.Path(DatabaseName)) },
		place: "the data in " + s.Data, store: store, shares: shares, keys: keys, hasDiskSpace: folder.HasDiskSpace,
		folder: folder, files: files, keyFile: keyFileOf(s),
		logged: &logged{settings: s, log: log, command: command, fault: tellFault},
	}
	d.close = func() error {
		return errors.Join(d.logged.close(), store.Close(), shares.Close(), closeFiles(), folder.Close())
	}
	return d, nil
}

// lengthOf returns the length of a file, or 0 if it is unknown.
func lengthOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// tellFull logs that the disk is full, or no longer.
func tellFull(log *slog.Logger, full bool, free, least int64) {
	if full {
		log.Warn("the disk of the data folder is nearly full: new secrets are refused until there is space; opening and burning go on",
			"free_bytes", free, "min_free_bytes", least)
		return
	}
	log.Info("the disk of the data folder has space again: new secrets are accepted", "free_bytes", free)
}

// tellPressure logs a change of the ballast.
func tellPressure(log *slog.Logger, dropped bool) {
	if dropped {
		log.Error("the disk is full: removed the ballast, so that secrets can be opened and burned; nothing new is kept")
		return
	}
	log.Debug("made the ballast, which keeps room for opening and burning on a full disk")
}

func openMemory(log *slog.Logger) (*Data, error) {
	log.Warn("keeping everything in memory: nothing survives the end of this process")
	keys, locked := keepKeys(seal.NewRootKey())
	store, shares := memory.New()
	if err := store.Update(context.Background(), vault.Init(keys, time.Now())); err != nil {
		return nil, err
	}
	return &Data{Locked: locked, store: store, shares: shares, keys: keys, close: store.Close}, nil
}
