package vault

import (
	"context"
	"time"

	"hush/storage"
)

const (
	// AuditKeep is how long rows of the audit trail are kept unless the operator
	// says otherwise: 90 days.
	AuditKeep = 90 * 24 * time.Hour
	// auditWindow is how many rows are looked at for one that is too old.
	auditWindow = 1024
)

// pruneAudit deletes rows that are older than the operator keeps them. Rows
// stand in the order in which they were written, so whatever stands before a
// row that is too old goes with it: rows that cannot be read, and rows whose
// time is that of a clock that had leapt.
func (v *Vault) pruneAudit(ctx context.Context, now time.Time, lost *unread) (int, error) {
	edge, damaged, err := v.auditEdge(ctx, now.Add(-v.auditKeep))
	if err != nil || edge == nil {
		return 0, err
	}
	total := 0
	for total < auditWindow {
		n, err := v.pruned(ctx, bucketAudit, append(edge, 0))
		total += n
		if err != nil || n == 0 {
			lost.add(damaged)
			return total, err
		}
	}
	lost.add(damaged)
	return total, nil
}

// auditEdge returns the last row that is too old of the first auditWindow, nil
// if none is, and what before it cannot be read. Where none of them can be read,
// it looks on.
func (v *Vault) auditEdge(ctx context.Context, oldest time.Time) (edge []byte, damaged *unread, err error) {
	err = v.store.View(ctx, func(tx storage.Tx) error {
		edge, damaged = nil, &unread{}
		var pending unread
		looked := 0
		return ignoreEnough(tx.Range(bucketAudit, nil, nil, func(key, value []byte) error {
			row, err := decodeAudit(value)
			switch {
			case err != nil:
				pending.note(bucketAudit, err)
				return nil
			case row.time.Before(oldest):
				edge = append([]byte(nil), key...)
				damaged.add(&pending)
				pending = unread{}
			}
			if looked++; looked == auditWindow {
				return errEnough
			}
			return nil
		}))
	})
	return edge, damaged, err
}
