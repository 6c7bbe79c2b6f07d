package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"hush/storage"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Formats are those that a release writes, from the oldest to the newest. It
// reads everything up to the newest.
type Formats struct {
	Oldest, Newest rows.Format
}

// orOwn returns f, or the formats of this release if f is zero.
func (f Formats) orOwn() Formats {
	if f == (Formats{}) {
		return Formats{rows.FormatOldest, rows.FormatNewest()}
	}
	return f
}

// ErrOlderNode reports that a node of the store cannot read the oldest format
// that this release writes.
var ErrOlderNode = errors.New("a node of a release that is too old uses the store")

// FormatError reports that the store has a newer format than this release can
// read. It is an ErrUnavailable.
type FormatError struct {
	Stored  FormatRecord
	Newest  rows.Format // that this release reads
	Release string      // this one
}

// Error names the release that is needed.
func (e *FormatError) Error() string {
	if e.Stored.Release == "" {
		return fmt.Sprintf("the store has format %d, and this release of hush reads formats up to %d: upgrade hush", e.Stored.Format, e.Newest)
	}
	own := "this release of hush"
	if e.Release != "" {
		own = "this is hush " + e.Release + ", which"
	}
	return fmt.Sprintf("the store has format %d since hush %s uses it, and %s reads formats up to %d: upgrade to hush %s or later",
		e.Stored.Format, e.Stored.Release, own, e.Newest, e.Stored.Release)
}

// Unwrap returns ErrUnavailable.
func (*FormatError) Unwrap() error { return refusal.ErrUnavailable }

const formatVersion = 1

// FormatRecord is the format of a store. Every release must be able to read it,
// so it never changes.
//
//	version 1 │ format 4 │ release (4, text)
type FormatRecord struct {
	Format  rows.Format
	Release string // that began to write the format
}

func (r *FormatRecord) fields(c *rows.Codec) {
	c.Version(formatVersion)
	c.Uint32((*uint32)(&r.Format))
	c.Text(&r.Release)
}

// Encode encodes a format.
func (r FormatRecord) Encode() []byte {
	return rows.Encode(9+len(r.Release), &r, (*FormatRecord).fields)
}

// DecodeFormat decodes a format.
func DecodeFormat(data []byte) (r FormatRecord, err error) {
	err = rows.Decode(data, &r, (*FormatRecord).fields)
	return r, err
}

func formatKey() []byte { return []byte{0xff, 1} }

// InitFormat stores the newest format of this release, for a store with records
// that were written as on a store without nodes.
func InitFormat(tx storage.Tx) error {
	return tx.Put(BucketNode, formatKey(), FormatRecord{rows.FormatNewest(), rows.FormatNewest().FirstRelease()}.Encode())
}

// GetFormat returns the format of a store. One without a record has the first.
func GetFormat(tx storage.Tx) (FormatRecord, error) {
	return rows.LoadOr(tx, BucketNode, formatKey(), DecodeFormat, FormatRecord{rows.FormatFirst, rows.FormatFirst.FirstRelease()})
}

// CheckFormat returns a FormatError if this release cannot read the store. It is
// for what opens a store without being a node of it.
func CheckFormat(tx storage.Tx) error { return (*NodeOptions)(nil).CheckFormat(tx) }

// CheckFormat is the function of that name for a node; a nil node is none.
func (o *NodeOptions) CheckFormat(tx storage.Tx) error {
	var own NodeOptions
	if o != nil {
		own = *o
	}
	own.Formats = own.Formats.orOwn()
	_, err := own.admit(tx)
	return err
}

// RaiseFormat raises the format of a store of one process to the newest, before
// anything of that format is stored, and returns the format that it had. bar
// keeps releases out that do not look at the format; it is called first, at each
// start.
func RaiseFormat(ctx context.Context, s Store, bar func(context.Context) error) (before FormatRecord, err error) {
	err = s.View(ctx, func(tx *rows.Tx) (err error) {
		if err := CheckFormat(tx); err != nil {
			return err
		}
		before, err = GetFormat(tx)
		return err
	})
	if err == nil && rows.FormatNewest() > rows.FormatFirst {
		err = bar(ctx)
	}
	if err != nil || before.Format >= rows.FormatNewest() {
		return before, err
	}
	return before, s.UpdateReserved(ctx, func(tx *rows.Tx) error { return InitFormat(tx) })
}

// admit returns the stored format, or a FormatError if this release cannot read
// it.
func (o *NodeOptions) admit(tx storage.Tx) (FormatRecord, error) {
	stored, err := rows.LoadOr(tx, BucketNode, formatKey(), DecodeFormat, FormatRecord{})
	if err == nil && stored.Format > o.Formats.Newest {
		err = &FormatError{Stored: stored, Newest: o.Formats.Newest, Release: o.Release}
	}
	return stored, err
}

// settle raises the format to the newest that all nodes read, this one included,
// and returns the result. Nodes that are gone do not count. It reads the rows of
// all nodes, so it fails against a node that joins at the same time. With a
// raise, the rows of nodes that are gone go too: one that wakes up finds that, and
// joins again or stops. It returns ErrCopied if the store may not be served.
func (o *NodeOptions) settle(tx storage.Tx, nodes []NodeStatus) (rows.Format, error) {
	if err := CheckCopy(tx); err != nil {
		return 0, err
	}
	stored, err := o.admit(tx)
	if err != nil {
		return 0, err
	}
	common, err := o.common(nodes, stored.Format)
	if err != nil {
		return 0, err
	}
	if common <= stored.Format {
		return stored.Format, nil
	}
	if err := deleteNodes(tx, slices.DeleteFunc(slices.Clone(nodes), func(n NodeStatus) bool { return !n.goneForGood() })); err != nil {
		return 0, err
	}
	return common, tx.Put(BucketNode, formatKey(), FormatRecord{common, o.Release}.Encode())
}

// common returns the newest format that all nodes read. A node whose record
// is damaged reads what is stored.
func (o *NodeOptions) common(nodes []NodeStatus, stored rows.Format) (rows.Format, error) {
	common := o.Formats.Newest
	for _, node := range nodes {
		if node.goneForGood() {
			continue
		}
		if node.Instance == (Instance{}) {
			common = min(common, max(stored, o.Formats.Oldest))
			continue
		}
		if node.Formats.Newest < o.Formats.Oldest {
			return 0, fmt.Errorf("%w: %q with hush %s reads formats up to %d, and hush %s writes %d or later: upgrade that node first",
				ErrOlderNode, node.Name, node.Release, node.Formats.Newest, o.Release, o.Formats.Oldest)
		}
		common = min(common, node.Formats.Newest)
	}
	return common, nil
}
