package exam

import (
	"errors"
	"time"

	"hush/storage"
	"hush/vault/audit"
	"hush/vault/cluster"
	"hush/vault/counter"
	"hush/vault/keylist"
	"hush/vault/rows"
)

// SystemRow describes rows of the bucket system.
type SystemRow struct {
	// Name is the key of the row. With PerNode, each node has one of its own; see
	// rows.SystemNode.
	Name    string
	PerNode bool
	// Check returns rows.ErrDamaged unless the value can be read.
	Check func(value []byte) error
}

// CheckSystem returns the Check of a row that a function decodes.
func CheckSystem[T any](decode func([]byte) (T, error)) func([]byte) error {
	return func(value []byte) error {
		_, err := decode(value)
		return err
	}
}

// checkLength returns the Check of a row with a number of bytes.
func checkLength(want int) func([]byte) error {
	return func(value []byte) error {
		if len(value) != want {
			return rows.ErrDamaged
		}
		return nil
	}
}

// SystemRows returns the rows of the bucket system that this package writes.
func SystemRows() []SystemRow {
	return []SystemRow{
		{Name: keylist.SystemVerifier, Check: CheckSystem(keylist.DecodeRootKeys)},
		{Name: cluster.SystemMark, Check: checkLength(8)},
		{Name: audit.SystemAudit, PerNode: true, Check: checkLength(8)},
		{Name: counter.SystemCounts, PerNode: true, Check: CheckSystem(counter.Decode)},
		{Name: cluster.SystemCopy, Check: CheckSystem(cluster.DecodeCopy)},
	}
}

// is reports whether a key is that of the row.
func (r SystemRow) is(key string) bool {
	if !r.PerNode {
		return key == r.Name
	}
	_, ok := rows.SystemNode(r.Name, key)
	return ok
}

// clockSlack is how far the mark may be ahead of the time of an examination. A
// service follows no larger leap at once.
const clockSlack = time.Hour

// SystemInvariant returns the invariants of the bucket system, whose rows are the
// given ones.
func (x *Exam) SystemInvariant(known []SystemRow) Invariant {
	return Invariant{
		Bucket: rows.BucketSystem,
		Check: func(key, value []byte) error {
			for _, r := range known {
				if r.is(string(key)) {
					return r.Check(value)
				}
			}
			return nil
		},
		Row: func(key, _ []byte) error {
			for _, r := range known {
				if r.is(string(key)) {
					return nil
				}
			}
			x.Report(CodeSystem, rows.BucketSystem, key)
			return nil
		},
		End: x.endSystem,
	}
}

func (x *Exam) endSystem() error {
	if err := cluster.CheckCopy(x.Tx); errors.Is(err, cluster.ErrCopied) {
		x.Notef(CodeCopied, rows.BucketSystem, []byte(cluster.SystemCopy), "%s", err.Error())
		return nil
	}
	listed, err := keylist.GetRootKeys(x.Tx)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		x.Report(CodeVerifier, rows.BucketSystem, []byte(keylist.SystemVerifier))
	case rows.IsDamage(err):
		x.Keys = nil // the row is reported
	case err != nil:
		return err
	case x.Keys != nil:
		if err := listed.Arrange(x.Keys); err != nil {
			x.Notef(CodeWrongKey, rows.BucketSystem, []byte(keylist.SystemVerifier), "%s", err.Error())
			x.Keys = nil // not all opens with it
		}
	}
	return x.endMark()
}

// endMark checks the clock's mark: what expires before it is gone, whatever the
// clock says.
func (x *Exam) endMark() error {
	mark, err := cluster.GetMark(x.Tx)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		x.Report(CodeVerifier, rows.BucketSystem, []byte(cluster.SystemMark))
		return nil
	case rows.IsDamage(err):
		return nil // the row is reported
	case err != nil:
		return err
	}
	if ahead := mark.Sub(x.Now); ahead > clockSlack {
		x.Notef(CodeClockAhead, rows.BucketSystem, []byte(cluster.SystemMark), "it says %s", mark.Format(time.RFC3339))
	}
	return nil
}

// Invariants returns the invariants of the buckets of this package, except those
// of the bucket system. The due index comes first.
func Invariants(x *Exam) []Invariant {
	return []Invariant{x.dueInvariant(), x.auditInvariant(), nodeInvariant()}
}

// nodeInvariant checks the rows of the nodes of a shared store, and the format of
// any.
func nodeInvariant() Invariant {
	return Invariant{Bucket: cluster.BucketNode, Check: cluster.CheckNodeRow, Alone: "nodes come and go, and end what another one left"}
}
