package receipt

import (
	"hush/seal"
	"hush/vault/quota"
	"hush/vault/rows"
)

// Charge returns what the receipt counts for.
func (r *Record) Charge() quota.Charge {
	return quota.Charge{
		Owner:   r.owner,
		Network: r.network,
		Wide:    r.wide,
		Receipt: quota.ReceiptSize(len(r.recipients), len(r.sealedMemo)),
	}
}

// ChargeOf returns what the receipt in the value of a row counts for, or
// rows.ErrDamaged.
func ChargeOf(value []byte) (quota.Charge, error) {
	r, err := decode(value)
	if err != nil {
		return quota.Charge{}, err
	}
	return r.Charge(), nil
}

// Charges are what a batch of receipts counts for.
type Charges struct {
	// Stored has the receipts that can be read: the sweep reports the others when they
	// are due.
	Stored []quota.StoredReceipt
	Last   seal.RowKey // zero if there was none
	Rows   int         // how many were read
}

// Read replaces the batch, whose memory it uses again, by that of at most limit rows
// from a key on.
func (c *Charges) Read(tx *rows.Tx, from []byte, limit int) error {
	*c = Charges{Stored: c.Stored[:0]}
	return rows.IgnoreEnough(tx.Range(BucketMetadata, from, nil, func(key, value []byte) error {
		if len(key) != len(c.Last) {
			return nil
		}
		c.Last = seal.RowKey(key)
		if charged, err := ChargeOf(value); err == nil {
			c.Stored = append(c.Stored, quota.StoredReceipt{Row: c.Last, Charge: charged})
		}
		if c.Rows++; c.Rows == limit {
			return rows.ErrEnough
		}
		return nil
	}))
}
