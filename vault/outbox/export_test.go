package outbox

import (
	"context"

	"hush/seal"
	"hush/storage"
	"hush/vault/rows"
)

// QueueMail drafts a mail and queues it.
func (ob *Outbox) QueueMail(ctx context.Context, m Mail) error {
	now := ob.clock.Now()
	d, err := ob.Draft(ctx, m, now)
	if err != nil {
		return err
	}
	if err := ob.store.Update(ctx, d.Put); err != nil {
		ob.Discard(err, d)
		return err
	}
	ob.Wake()
	return nil
}

// QueueNotice queues a mail without a link.
func (ob *Outbox) QueueNotice(ctx context.Context, m Mail) error {
	now := ob.clock.Now()
	return ob.store.Update(ctx, func(tx *rows.Tx) error { return ob.PutNotice(tx, m, now) })
}

// StoredMail is a queued mail as a thief of the store reads it.
type StoredMail struct {
	ID, Sealed []byte
	Slot       *storage.Slot
}

// StoredMailOf takes a row of the queue apart.
func StoredMailOf(key, value []byte) (StoredMail, error) {
	id, err := mailIDOf(key)
	if err != nil {
		return StoredMail{}, err
	}
	r, err := decodeMail(value)
	if err != nil {
		return StoredMail{}, err
	}
	return StoredMail{ID: id[:], Sealed: r.sealed, Slot: r.slot}, nil
}

// Open returns the mail if it was sealed under that share.
func (s StoredMail) Open(keys *seal.Keys, share [storage.ShareSize]byte) (Mail, error) {
	letter, err := keys.OpenMail(share, s.ID, s.Sealed)
	if err != nil {
		return Mail{}, err
	}
	return decodeLetter(letter)
}
