// Package rootkey changes the root keys of a store while it is in use: it makes
// another root key the current one, seals anew what opens without the help of a
// person, counts what still depends on each root key, and retires those that
// nothing depends on.
//
// The list of root keys is in the store, and says which of them is used for what is
// new; see keylist.RootKeys. The keys themselves are in the file of the root keys,
// which must always have more than the store needs: a key is put there first, and
// taken away last. So a process that ends at any moment leaves a file and a store
// that fit together.
package rootkey

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"hush/seal"
	"hush/vault/cluster"
)

// File is the file of the root keys.
type File interface {
	// Reload adds the root keys of the file that keys lack and have room for, and
	// returns the kids of all that the file has. Its error says what to do.
	Reload(keys *seal.Keys) (kids [][4]byte, err error)
	// Refresh is Reload if the file is another one than when it was last read. A file
	// that cannot be read adds nothing.
	Refresh(keys *seal.Keys)
	// Create adds a new root key to the file, durably, and to keys. It returns an
	// error that says what to do if the file is the operator's.
	Create(keys *seal.Keys) error
	// Remove takes a root key out of the file, durably. It reports false if the file
	// is the operator's, who removes the line.
	Remove(kid [4]byte) (removed bool, err error)
}

// Files are files that a root key sealed, outside the store.
type Files interface {
	// Uses returns how many files each root key sealed.
	Uses() (map[[4]byte]int, error)
	// Reseal seals all of them with the current root key.
	Reseal() error
}

// Options are the dependencies of New; all but File are required.
type Options struct {
	Store cluster.Store
	Clock *cluster.Clock
	Keys  *seal.Keys
	Log   *slog.Logger
	// File is the file of the root keys; nil for a store in memory.
	File File
}

// RootKeys changes the root keys of a store. It is safe for concurrent use.
type RootKeys struct {
	store cluster.Store
	clock *cluster.Clock
	keys  *seal.Keys
	log   *slog.Logger
	file  File

	changing sync.Mutex // held by each rotation and retirement
	files    atomic.Pointer[Files]
	wake     chan struct{}
	progress progress
}

// New returns the root keys of a store.
func New(o Options) *RootKeys {
	return &RootKeys{
		store: o.Store, clock: o.Clock, keys: o.Keys, log: o.Log, file: o.File,
		wake: make(chan struct{}, 1),
	}
}

// Include makes files count, and be sealed anew, as well. It is called once.
func (r *RootKeys) Include(files Files) {
	r.files.Store(&files)
	r.Wake()
}

// RefusedError is why the root keys cannot be changed now, and what to do. Nothing
// was changed.
type RefusedError struct{ Text string }

func (e *RefusedError) Error() string { return e.Text }

// settleTime is how long a root key stays in use for what began before another one
// took its place.
const settleTime = time.Minute
