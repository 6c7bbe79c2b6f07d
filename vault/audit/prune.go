package audit

import (
	"context"
	"time"

	"hush/vault/cluster"
	"hush/vault/rows"
)

const (
	// Keep is how long rows of the audit trail are kept by default: 90
	// days.
	Keep = 90 * 24 * time.Hour
	// auditWindow is the number of rows searched for one that is too old.
	auditWindow = 1024
)

// Trail prunes the audit trail.
type Trail struct {
	store cluster.Store
	keep  time.Duration
}

// NewTrail returns the trail of a store, which keeps rows for the given time.
func NewTrail(s cluster.Store, keep time.Duration) Trail { return Trail{s, keep} }

// Prune deletes rows older than the retention time, node by node. The rows of a
// node are stored in the order in which they were written, so everything before
// a row that is too old goes with it: rows that cannot be read, and rows whose
// time came from a clock that had leapt.
func (t Trail) Prune(ctx context.Context, now time.Time, lost *rows.Damage) (total int, err error) {
	nodes, err := t.nodes(ctx)
	for _, node := range nodes {
		if err != nil {
			return total, err
		}
		var n int
		n, err = t.pruneNode(ctx, node, now.Add(-t.keep), lost)
		total += n
	}
	return total, err
}

// nodes returns the nodes that may have written rows, node 0 always.
func (t Trail) nodes(ctx context.Context) (nodes []uint16, err error) {
	err = t.store.View(ctx, func(tx *rows.Tx) error {
		nodes = []uint16{0}
		return rows.RangeSystem(tx, SystemAudit, func(node uint16, _ []byte) error {
			if node != 0 {
				nodes = append(nodes, node)
			}
			return nil
		})
	})
	return nodes, err
}

// pruneNode deletes the old rows of one node, a bounded number at a time.
func (t Trail) pruneNode(ctx context.Context, node uint16, oldest time.Time, lost *rows.Damage) (int, error) {
	edge, damaged, err := t.edge(ctx, node, oldest)
	if err != nil || edge == nil {
		return 0, err
	}
	total := 0
	for total < auditWindow {
		n, err := t.store.PruneRange(ctx, BucketAudit, auditFrom(node), append(edge, 0))
		total += n
		if err != nil || n == 0 {
			lost.Add(damaged)
			return total, err
		}
	}
	lost.Add(damaged)
	return total, nil
}

// edge returns the last of the node's first auditWindow rows that is too old,
// nil if there is none, and the unreadable rows before it. If no row of the
// window can be read, it searches on.
func (t Trail) edge(ctx context.Context, node uint16, oldest time.Time) (edge []byte, damaged *rows.Damage, err error) {
	err = t.store.View(ctx, func(tx *rows.Tx) error {
		edge, damaged = nil, &rows.Damage{}
		var pending rows.Damage
		looked := 0
		return rows.IgnoreEnough(tx.Range(BucketAudit, auditFrom(node), auditTo(node), func(key, value []byte) error {
			row, err := Decode(value)
			switch {
			case err != nil:
				pending.Note(BucketAudit, err)
				return nil
			case row.Time.Before(oldest):
				edge = append([]byte(nil), key...)
				damaged.Add(&pending)
				pending = rows.Damage{}
			}
			if looked++; looked == auditWindow {
				return rows.ErrEnough
			}
			return nil
		}))
	})
	return edge, damaged, err
}
