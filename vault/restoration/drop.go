package restoration

import (
	"context"
	"fmt"
	"time"

	"hush/storage"
	"hush/vault/account"
	"hush/vault/claim"
	"hush/vault/cluster"
	"hush/vault/credential"
	"hush/vault/file"
	"hush/vault/outbox"
	"hush/vault/quota"
	"hush/vault/rows"
	"hush/vault/shares"
	"hush/vault/spent"
	"hush/vault/ticket"
)

// isLeftOut reports whether no row of a bucket is restored. Lists of what is to be
// destroyed or logged belong to the old store, and what is counted from other rows is
// counted anew. The list of blobs to be removed stays: the first start removes their parts'
// rows by it, and the blobs if they were copied.
func isLeftOut(bucket string) bool {
	switch bucket {
	case shares.BucketShred, shares.BucketEpoch, spent.BucketPending, quota.BucketUsage:
		return true
	}
	return false
}

// Dropped counts what ended because no restore keeps it.
type Dropped struct {
	Sessions, Tickets, Mails, Claims, Uploads int
}

// dropping is a bucket whose rows end after they are restored, with what others know of
// them.
type dropping struct {
	doing  string
	bucket string
	count  *int
	// one ends what a row stands for, and deletes the row, also one that cannot be read.
	one func(tx *rows.Tx, key []byte, now time.Time) error
}

// all returns what ends, in this order. The shares of mails, claims and uploads were not
// restored.
func (d *Dropped) all() []dropping {
	deadlines := 0 // they go with the claims, and are not counted
	return []dropping{
		{"ending sessions", credential.BucketSession, &d.Sessions, credential.DropSession},
		{"ending mailed links and invites", ticket.BucketTicket, &d.Tickets, account.DropTicket},
		{"dropping queued mail", outbox.BucketOutbox, &d.Mails, outbox.DropMail},
		{"ending uploads", file.BucketUpload, &d.Uploads, file.DropUpload},
		{"dropping claims", claim.BucketClaim, &d.Claims, claim.Drop},
		{"dropping claims", claim.BucketDeadline, &deadlines, func(tx *rows.Tx, key []byte, _ time.Time) error {
			return tx.Delete(claim.BucketDeadline, key)
		}},
	}
}

// drop ends what no restore keeps on a store that nothing serves, some rows in each
// transaction. After an error it may be called again.
func drop(ctx context.Context, backend storage.Store, now time.Time) (dropped Dropped, err error) {
	store := cluster.NewStore(backend, nil)
	for _, d := range dropped.all() {
		for more := true; more; {
			if more, err = d.some(ctx, store, now); err != nil {
				return dropped, fmt.Errorf("%s: %w", d.doing, err)
			}
		}
	}
	return dropped, nil
}

// some ends a number of rows in one transaction, and reports whether there were any.
func (d dropping) some(ctx context.Context, store cluster.Store, now time.Time) (more bool, err error) {
	var keys [][]byte
	err = store.UpdateReserved(ctx, func(tx *rows.Tx) (err error) {
		if keys, err = rows.FirstKeys(tx, d.bucket, nil, rows.SweepBatch); err != nil {
			return err
		}
		for _, key := range keys {
			if err := d.one(tx, key, now); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	*d.count += len(keys)
	return len(keys) > 0, nil
}
