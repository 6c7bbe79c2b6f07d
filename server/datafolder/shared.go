package datafolder

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"hush/cli/console"
	"hush/seal"
	"hush/server/settings"
	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/postgres"
	"hush/vault"
	"hush/vault/keylist"
	"hush/vault/shares"
)

// openShared opens a database that other nodes may use at the same time, and
// initialises it if it is empty. The data folder then holds the root key, unless
// --root-key-file names another file, and the socket of "hush admin".
func openShared(ctx context.Context, s *settings.Settings, c *console.Console, log *slog.Logger) (*Data, error) {
	folder, err := openFolder(ctx, s, c, log)
	if err != nil {
		return nil, err
	}
	if exists, err := folder.Exists(); err == nil && exists {
		log.Warn("the data folder has a database of its own, which is not used with this --store", "data", s.Data)
	}
	d, err := openDatabase(ctx, folder, s, c, log)
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	log.Info("using a database that other nodes may share", "place", d.place, "node", d.Node)
	return d, nil
}

func openDatabase(ctx context.Context, folder *bolt.Folder, s *settings.Settings, c *console.Console, log *slog.Logger) (*Data, error) {
	place := postgres.Place(s.Store)
	waiting := func(cause error) {
		if s.Wait > 0 {
			log.Warn("waiting for the database", "cause", (&openError{place, cause}).Error(), "at_most", s.Wait)
		}
	}
	warn := func(text string, allowed, needed int) {
		log.Warn(text, "allowed", allowed, "needed", needed, "setting", "--store-connections")
	}
	d, err := connect(ctx, s, s.Node(), postgres.Options{MaxConns: s.StoreConns, Waiting: waiting, Warn: warn})
	if err != nil {
		return nil, err
	}
	init := initialiser{store: d.store, place: d.place, folder: folder, console: c}
	if d.keys, d.Locked, err = init.keys(ctx, s); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	d.keyFile = &keyFile{path: rootKeyPath(s)}
	disconnect := d.close
	d.close = func() error { return errors.Join(disconnect(), folder.Close()) }
	return d, nil
}

// connect connects to the database as the node of that name. It adds to opts what all
// nodes have.
func connect(ctx context.Context, s *settings.Settings, node string, opts postgres.Options) (*Data, error) {
	place, common := postgres.Place(s.Store), databaseOptions("hush "+node)
	opts.ApplicationName, opts.OwnTables = common.ApplicationName, common.OwnTables
	opts.Patience, opts.Wait = patience, s.Wait
	store, slots, err := postgres.Open(ctx, s.Store, opts)
	if err != nil {
		return nil, &openError{place, err}
	}
	fault := make(chan error, 1)
	return &Data{
		Fault: fault, Node: node, tellFault: func(err error) { fault <- err },
		place: place, store: store, shares: slots, close: store.Close,
	}, nil
}

// openError is what an operator reads when a database cannot be opened.
type openError struct {
	place string
	cause error
}

// Error leaves out what only says that there was no connection, or which package
// says so.
func (e *openError) Error() string {
	text := e.cause.Error()
	if _, cause, found := strings.Cut(text, "connecting to PostgreSQL: "); found {
		text = strings.TrimPrefix(cause, "postgres: ")
	} else if _, cause, found := strings.Cut(text, postgres.ErrRefused.Error()+": "); found {
		text = "Hush does not use this server: " + cause
	}
	return "opening " + e.place + ": " + strings.TrimPrefix(text, "postgres: ")
}

func (e *openError) Unwrap() error { return e.cause }

// databaseOptions returns what all programs open a database with. What a logical
// backup leaves out has a table of its own.
func databaseOptions(program string) postgres.Options {
	return postgres.Options{ApplicationName: program, OwnTables: shares.OwnTables()}
}

// openBeside opens the database for one command, while nodes may use it. It
// takes nothing from the data folder but the root key, and needs no folder if
// the key is elsewhere. An empty database is initialised if mayInit.
func openBeside(ctx context.Context, s *settings.Settings, mayInit bool) (*Data, error) {
	path := rootKeyPath(s)
	keys, locked, err := readKeys(ctx, path)
	if errors.Is(err, ErrNoKey) {
		return nil, fmt.Errorf("there is no root key %s: name that of the nodes with --root-key-file", path)
	}
	if err != nil {
		return nil, err
	}
	d, err := connect(ctx, s, s.Node()+" (command)", postgres.Options{MaxConns: commandConns})
	if err != nil {
		return nil, err
	}
	d.keys, d.Locked, d.keyFile = keys, locked, &keyFile{path: path}
	if err := d.checkInit(ctx, path, mayInit); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Data) checkInit(ctx context.Context, path string, mayInit bool) error {
	init := initialiser{store: d.store, place: d.place}
	if mayInit {
		return init.with(ctx, d.keys, path)
	}
	initialized, err := vault.Initialized(ctx, d.store)
	if err == nil && !initialized {
		return fmt.Errorf("%s holds no data of Hush yet: start a node with \"hush serve\"", d.place)
	}
	return init.explain(err)
}

// ConnectionFiles returns the files that a connection to a database reads, each
// time that one is made.
func ConnectionFiles(s *settings.Settings) []string {
	if !s.SharedStore() {
		return nil
	}
	return postgres.Files(s.Store)
}

// rootKeyPath returns where the root key is.
func rootKeyPath(s *settings.Settings) string {
	if s.RootKeyFile != "" {
		return s.RootKeyFile
	}
	return filepath.Join(s.Data, RootKeyName)
}

const (
	// patience is how long an operation is tried while the database cannot be
	// reached. A request may wait for a few operations, and must be answered
	// before its connection times out.
	patience = 8 * time.Second
	// commandConns is how many connections a command opens.
	commandConns = 4
)

// initialiser finds the root key of a shared store. It initialises the store if
// no other node has.
type initialiser struct {
	store   storage.Store
	place   string
	folder  *bolt.Folder
	console *console.Console
}

func (i *initialiser) keys(ctx context.Context, s *settings.Settings) (keys *seal.Keys, locked bool, err error) {
	path := rootKeyPath(s)
	if s.RootKeyFile == "" {
		if exists, err := isFile(path); err != nil || !exists {
			if err != nil {
				return nil, false, err
			}
			return i.newKeys(ctx, path)
		}
	}
	if keys, locked, err = readKeys(ctx, path); err != nil {
		return nil, false, err
	}
	return keys, locked, i.with(ctx, keys, path)
}

// with initialises the store with the keys in path, unless it was initialised
// with them before.
func (i *initialiser) with(ctx context.Context, keys *seal.Keys, path string) error {
	err := vault.InitShared(ctx, i.store, keys, time.Now())
	if missing, ok := errors.AsType[*keylist.MissingRootKeyError](err); ok {
		return (&Data{place: i.place}).missingKeys(missing)
	}
	if errors.Is(err, seal.ErrWrongRootKey) {
		return fmt.Errorf("the root key in %s is not the one that %s was made with; nothing was changed; copy the root key of another node", path, i.place)
	}
	return i.explain(err)
}

// newKeys makes a root key for a store that has none yet. The key has its name
// only once the store was initialised with it: of nodes that start at the same
// time one succeeds, and the others keep no key that opens nothing. A key that
// was left without its name by an earlier start is tried first, since the store
// may have been initialised with it.
func (i *initialiser) newKeys(ctx context.Context, path string) (keys *seal.Keys, locked bool, err error) {
	unnamed := path + unnamedSuffix
	missing := fmt.Errorf("%s holds data already, and there is no root key %s: copy the root key of another node there, or name its place with --root-key-file", i.place, path)
	keys, locked, err = readKeys(ctx, unnamed)
	if errors.Is(err, ErrNoKey) || errors.Is(err, seal.ErrRootKeyFormat) {
		initialised, wrong := vault.Initialized(ctx, i.store)
		switch {
		case wrong != nil:
			return nil, false, i.explain(wrong)
		case initialised:
			return nil, false, missing
		}
		if err := writeUnnamed(i.folder, unnamed); err != nil {
			return nil, false, err
		}
		keys, locked, err = readKeys(ctx, unnamed)
	}
	if err != nil {
		return nil, false, err
	}
	err = vault.InitShared(ctx, i.store, keys, time.Now())
	if errors.Is(err, seal.ErrWrongRootKey) {
		return nil, false, errors.Join(missing, remove(unnamed))
	}
	if err != nil {
		return nil, false, i.explain(err)
	}
	return keys, locked, nameRootKey(i.folder, unnamed, path, i.console)
}

// explain says which store an error is about.
func (i *initialiser) explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", i.place, err)
}
