package transfer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/cluster"
	"hush/vault/rows"
	"hush/vault/shares"
)

// The errors of this package. Their texts are for the operator.
var (
	// ErrNotEmpty: the target holds data, or another copy.
	ErrNotEmpty = errors.New("the target is not empty")
	// ErrServed: a process serves one of the stores.
	ErrServed = errors.New("it is being served")
	// ErrChanged: the source was served since the copy began, so that the target
	// has rows that are no longer true.
	ErrChanged = errors.New("the source was changed since the copy began")
	// ErrLogged: the source uses a spent log, which would end with the copy without
	// a sign.
	ErrLogged = errors.New("the source uses a spent log: start it once with --spent-log=off, which gives up the log for good")
	// ErrFiles: the source has files. Their contents lie in its data folder alone, and a
	// database takes none.
	ErrFiles = errors.New("it has files that wait or are fetched, whose contents cannot be moved: serve it with --max-file-bytes=0 and --max-anonymous-file-bytes=0 until they were opened, were burned or have expired")
	// ErrMoved: the source was moved elsewhere before.
	ErrMoved = errors.New("the source was moved before")
	// ErrDiffers: the target is not what was copied.
	ErrDiffers = errors.New("the target differs from the source")
	// ErrDamagedRows: the source has rows that cannot be read; see the report.
	ErrDamagedRows = errors.New("the source has rows that cannot be read")
)

// Store is one end of a copy.
type Store struct {
	Name   string // for the operator; without a password
	Store  storage.Store
	Shares storage.Shares
}

// Options say what to copy. From, To, Keys, Now and Log are required.
type Options struct {
	// From is the source. No process may serve it.
	From Store
	// To is the target: a store that Prepare made, an empty one, or one with an
	// unfinished copy of From. With CheckOnly, a nil Store stands for one that
	// does not exist yet.
	To Store
	// Keys are derived from the root key of From, which is that of To, too.
	Keys *seal.Keys
	Now  func() time.Time
	Log  *slog.Logger
	// SkipDamaged leaves out rows that cannot be read, instead of refusing to
	// copy a source that has some.
	SkipDamaged bool
	// CheckOnly reads the source, and changes nothing.
	CheckOnly bool
	// Room returns an error if the target has no room for that many bytes of rows
	// and that many shares. Nil means that it has.
	Room func(bytes, shares int64) error
	// Progress is called after each batch; nil for none.
	Progress func(Progress)
}

// Prepare returns the first transaction of a store that is made to be the target
// of a copy: nothing serves it before the copy is finished.
func Prepare(from string, now time.Time) func(storage.Tx) error {
	return func(tx storage.Tx) error {
		return cluster.PutCopy(tx, cluster.CopyRecord{State: cluster.CopyFilling, Began: now, Other: from})
	}
}

// end is a store of a copy under way.
type end struct {
	name    string // for the operator
	backend storage.Store
	store   cluster.Store  // on the backend
	slots   storage.Shares // as they are stored
	shares  *shares.Shares // in the slots, without masks
	record  cluster.CopyRecord
}

// newEnd returns a store as an end; one that does not exist yet is only named.
func newEnd(s Store, keys *seal.Keys, log *slog.Logger) end {
	if s.Store == nil {
		return end{name: s.Name}
	}
	store := cluster.NewStore(s.Store, nil)
	return end{name: s.Name, backend: s.Store, store: store, slots: s.Shares, shares: shares.New(store, s.Shares, keys, log, nil)}
}

// put stores the record of an end.
func (e *end) put(ctx context.Context, r cluster.CopyRecord) error {
	if err := e.store.Update(ctx, func(tx *rows.Tx) error { return cluster.PutCopy(tx, r) }); err != nil {
		return fmt.Errorf("writing to %s: %w", e.name, err)
	}
	e.record = r
	return nil
}

// transfer is a copy under way.
type transfer struct {
	Options
	from, to end
	mark     time.Time // what expired before it is never opened again
	total    Progress  // rows and bytes of the source
	report   Report
}

// Copy copies the source to the target, compares every row, retires the source,
// and releases the target. After an error or a crash, Copy with the same stores
// goes on where it stopped. The report is valid after an error, too.
func Copy(ctx context.Context, opts Options) (Report, error) {
	t := &transfer{Options: opts}
	t.from, t.to = newEnd(opts.From, opts.Keys, opts.Log), newEnd(opts.To, opts.Keys, opts.Log)
	err := t.run(ctx)
	return t.report, err
}

func (t *transfer) run(ctx context.Context) error {
	if err := t.load(ctx); err != nil {
		return err
	}
	switch {
	case t.from.record.State == cluster.CopyEmptied && t.to.record.State == cluster.CopyArrived:
		t.report.Before = true
		return nil
	case t.from.record.State == cluster.CopyLeft || t.from.record.State == cluster.CopyEmptied:
		return t.release(ctx)
	}
	if err := t.scan(ctx); err != nil || t.CheckOnly {
		return err
	}
	for _, step := range []func(context.Context) error{t.begin, t.fill, t.verify, t.retire, t.release} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}
