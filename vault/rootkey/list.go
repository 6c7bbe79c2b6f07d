package rootkey

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"hush/vault/keylist"
	"hush/vault/rows"
	"hush/vault/tables"
)

// Status is a root key as the operator sees it.
type Status struct {
	KID   [4]byte
	State keylist.RootKeyState
	// Since is when it became the current one; zero for the store's first.
	Since time.Time
	// Uses has how many things of each kind depend on it.
	Uses map[keylist.SealedKind]int
	// InFile reports whether this process has the key.
	InFile bool
}

// Total returns how many things depend on the root key.
func (s Status) Total() (n int) {
	for _, uses := range s.Uses {
		n += uses
	}
	return n
}

// List is the root keys of a store.
type List struct {
	// Keys are those that the store lists, the newest first.
	Keys []Status
	// Unlisted are the kids of keys that only the file has.
	Unlisted [][4]byte
	// Damaged is the number of rows that cannot be read, which are not counted.
	Damaged int
}

// pageRows is how many rows one transaction reads at most, and pageBytes how many bytes
// of them, but for the last row.
const (
	pageRows  = 512
	pageBytes = 1 << 20
)

// List counts what depends on each root key. It opens nothing, and reads the whole
// store.
func (r *RootKeys) List(ctx context.Context) (list List, err error) {
	listed, err := r.listed(ctx)
	if err != nil {
		return list, err
	}
	uses, damaged, err := r.count(ctx, listed)
	if err != nil {
		return list, err
	}
	list.Damaged = damaged
	held := r.keys.Ring().KIDs()
	for _, k := range slices.Backward(listed.Keys) {
		list.Keys = append(list.Keys, Status{
			KID: k.KID(), State: k.State, Since: k.Since, Uses: uses[k.KID()], InFile: slices.Contains(held, k.KID()),
		})
	}
	for _, kid := range held {
		if listed.Find(kid) == nil {
			list.Unlisted = append(list.Unlisted, kid)
		}
	}
	return list, nil
}

func (r *RootKeys) listed(ctx context.Context) (listed keylist.RootKeys, err error) {
	err = r.store.View(ctx, func(tx *rows.Tx) (err error) {
		listed, err = keylist.GetRootKeys(tx)
		return err
	})
	return listed, err
}

// usesByKey has how many things of each kind depend on each root key.
type usesByKey map[[4]byte]map[keylist.SealedKind]int

func (u usesByKey) add(kind keylist.SealedKind, kid [4]byte, n int) {
	if u[kid] == nil {
		u[kid] = make(map[keylist.SealedKind]int)
	}
	u[kid][kind] += n
}

// count counts what depends on each root key, for Progress as well.
func (r *RootKeys) count(ctx context.Context, listed keylist.RootKeys) (uses usesByKey, damaged int, err error) {
	uses = make(usesByKey)
	for _, bucket := range tables.Sealed() {
		err := r.pages(ctx, bucket.Bucket, func(page []row) error {
			for _, one := range page {
				counted := make(map[keylist.SealedKind][4]byte, 2)
				err := bucket.Uses(r.keys.Ring(), one.value, func(kind keylist.SealedKind, kid [4]byte) {
					if before, ok := counted[kind]; !ok || before != kid {
						uses.add(kind, kid, 1)
					}
					counted[kind] = kid
				})
				if errors.Is(err, rows.ErrDamaged) {
					damaged++
				} else if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, 0, fmt.Errorf("counting what depends on the root keys: %w", err)
		}
	}
	if files := r.files.Load(); files != nil {
		files, err := (*files).Uses()
		if err != nil {
			return nil, 0, err
		}
		for kid, n := range files {
			uses.add(keylist.SealedFiles, kid, n)
		}
	}
	r.progress.note(uses, listed.Current().KID())
	return uses, damaged, nil
}

// row is a copy of a row.
type row struct{ key, value []byte }

// pages calls fn with all rows of a bucket, some at a time, outside transactions.
func (r *RootKeys) pages(ctx context.Context, bucket string, fn func([]row) error) error {
	var from []byte
	for {
		var page []row
		err := r.store.View(ctx, func(tx *rows.Tx) error {
			page = nil
			size := 0
			return tx.Range(bucket, from, nil, func(key, value []byte) error {
				page = append(page, row{slices.Clone(key), slices.Clone(value)})
				if size += len(value); len(page) == pageRows || size >= pageBytes {
					return rows.ErrEnough
				}
				return nil
			})
		})
		more := errors.Is(err, rows.ErrEnough)
		if err := rows.IgnoreEnough(err); err != nil || len(page) == 0 {
			return err
		}
		if err := fn(page); err != nil {
			return err
		}
		if !more {
			return ctx.Err()
		}
		from = slices.Concat(page[len(page)-1].key, []byte{0})
	}
}
