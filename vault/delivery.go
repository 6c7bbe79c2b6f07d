package vault

import (
	"errors"
	"time"

	"hush/seal"
	"hush/storage"
)

const deliveryVersion = 1

// deliveryKey names the mail to one recipient of a secret: metadata row 22 ‖
// number 1, which counts from 0.
type deliveryKey [len(seal.RowKey{}) + 1]byte

func newDeliveryKey(row seal.RowKey, number int) (key deliveryKey) {
	copy(key[:], row[:])
	key[len(row)] = byte(number)
	return key
}

// metadata is the row of the receipt that the delivery belongs to.
func (k deliveryKey) metadata() seal.RowKey { return seal.RowKey(k[:len(seal.RowKey{})]) }

// deliveryRecord is what became of the mail to one recipient. It lives as long
// as the receipt.
//
//	version 1 │ state 1 │ attempts 4 │ updated 8 │ recipient, obscured (4, text)
type deliveryRecord struct {
	state     DeliveryState
	attempts  uint32
	updated   time.Time
	recipient string
}

func (r deliveryRecord) encode() []byte {
	w := make(writer, 0, 18+len(r.recipient))
	w.byte(deliveryVersion)
	w.byte(byte(r.state))
	w.uint32(r.attempts)
	w.time(r.updated)
	w.text(r.recipient)
	return w
}

func decodeDelivery(data []byte) (deliveryRecord, error) {
	in := reader{rest: data}
	var r deliveryRecord
	in.version(deliveryVersion)
	r.state, r.attempts, r.updated = DeliveryState(in.byte()), in.uint32(), in.time()
	r.recipient = in.text()
	return r, in.end()
}

// putDeliveries starts to keep account of the mails to the recipients of a
// secret, until its receipt goes.
func putDeliveries(tx storage.Tx, row seal.RowKey, to []recipient, state DeliveryState, now, until time.Time) error {
	for i, r := range to {
		key := newDeliveryKey(row, i)
		record := deliveryRecord{state: state, updated: now, recipient: r.obscured}
		if err := tx.Put(bucketDelivery, key[:], record.encode()); err != nil {
			return err
		}
		if err := putDue(tx, until, dueDelivery, key[:]); err != nil {
			return err
		}
	}
	return nil
}

// getDeliveries returns what became of the mails to a secret's recipients, in
// their order; nothing if there are none.
func getDeliveries(tx storage.Tx, row seal.RowKey) ([]Delivery, error) {
	var list []Delivery
	err := tx.Range(bucketDelivery, row[:], prefixEnd(row[:]), func(_, value []byte) error {
		r, err := decodeDelivery(value)
		if err != nil {
			return err
		}
		list = append(list, Delivery{Recipient: r.recipient, State: r.state, Updated: r.updated, Attempts: int(r.attempts)})
		return nil
	})
	return list, err
}

// moveDelivery says where a mail stands now. That its receipt is gone already
// is no error, and neither is a record that cannot be read: because of it no
// mail should stay in the queue and be sent again.
func moveDelivery(tx storage.Tx, key deliveryKey, state DeliveryState, attempts uint32, now time.Time) error {
	data, err := tx.Get(bucketDelivery, key[:])
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	r, err := decodeDelivery(data)
	if err != nil {
		return nil //nolint:nilerr // whoever reads the receipt hears of the damage
	}
	r.state, r.attempts, r.updated = state, attempts, now
	return tx.Put(bucketDelivery, key[:], r.encode())
}

// endDelivery forgets what became of a mail.
func (v *Vault) endDelivery(tx storage.Tx, key []byte, _ time.Time) (time.Time, error) {
	return time.Time{}, tx.Delete(bucketDelivery, key)
}
