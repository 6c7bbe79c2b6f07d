package outbox

import (
	"errors"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/email"
	"hush/vault/rows"
	"hush/vault/sweep"
)

// BucketDelivery has metadata row ‖ number (1) -> deliveryRecord.
const BucketDelivery = "delivery"

const deliveryVersion = 1

// deliveryKey identifies the mail to one recipient of a secret: metadata row 22
// ‖ number 1, which counts from 0.
type deliveryKey [len(seal.RowKey{}) + 1]byte

func newDeliveryKey(row seal.RowKey, number int) (key deliveryKey) {
	copy(key[:], row[:])
	key[len(row)] = byte(number)
	return key
}

// metadata returns the row of the receipt that the delivery belongs to.
func (k deliveryKey) metadata() seal.RowKey { return seal.RowKey(k[:len(seal.RowKey{})]) }

// deliveryRecord is the state of the mail to one recipient. It lives as long as
// the receipt.
//
//	version 1 │ state 1 │ attempts 4 │ updated 8 │ recipient, obscured (4, text)
type deliveryRecord struct {
	state     DeliveryState
	attempts  uint32
	updated   time.Time
	recipient string
}

func (r *deliveryRecord) fields(c *rows.Codec) {
	c.Version(deliveryVersion)
	rows.Byte(c, &r.state)
	c.Uint32(&r.attempts)
	c.Time(&r.updated)
	c.Text(&r.recipient)
}

func (r deliveryRecord) encode() []byte {
	return rows.Encode(18+len(r.recipient), &r, (*deliveryRecord).fields)
}

func decodeDelivery(data []byte) (r deliveryRecord, err error) {
	err = rows.Decode(data, &r, (*deliveryRecord).fields)
	return r, err
}

// PutDeliveries adds the queued deliveries to the recipients of a secret. They are
// kept until its receipt is forgotten.
func PutDeliveries(tx *rows.Tx, row seal.RowKey, to []email.Recipient, now, until time.Time) error {
	for i, r := range to {
		key := newDeliveryKey(row, i)
		record := deliveryRecord{state: DeliveryQueued, updated: now, recipient: r.Obscured}
		if err := tx.Put(BucketDelivery, key[:], record.encode()); err != nil {
			return err
		}
		if err := sweep.PutDue(tx, until, sweep.DueDelivery, key[:]); err != nil {
			return err
		}
	}
	return nil
}

// GetDeliveries returns the deliveries to a secret's recipients in their order;
// empty if there are none.
func GetDeliveries(tx *rows.Tx, row seal.RowKey) ([]Delivery, error) {
	var list []Delivery
	err := tx.Range(BucketDelivery, row[:], rows.PrefixEnd(row[:]), func(_, value []byte) error {
		r, err := decodeDelivery(value)
		if err != nil {
			return err
		}
		list = append(list, Delivery{Recipient: r.recipient, State: r.state, Updated: r.updated, Attempts: int(r.attempts)})
		return nil
	})
	return list, err
}

// moveDelivery updates the state of a delivery. A missing receipt is not an
// error, and neither is a record that cannot be read: otherwise the mail would
// stay in the queue and be sent again.
func moveDelivery(tx *rows.Tx, key deliveryKey, state DeliveryState, attempts uint32, now time.Time) error {
	data, err := tx.Get(BucketDelivery, key[:])
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	r, err := decodeDelivery(data)
	if err != nil {
		return nil //nolint:nilerr // reading the receipt reports the damage
	}
	r.state, r.attempts, r.updated = state, attempts, now
	return tx.Put(BucketDelivery, key[:], r.encode())
}
