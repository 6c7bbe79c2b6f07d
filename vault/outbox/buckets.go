package outbox

import (
	"hush/seal"
	"hush/storage"
	"hush/vault/rows"
	"hush/vault/shares"
)

// Buckets returns the buckets of this package whose records hold no shares.
func Buckets() []rows.Bucket {
	return []rows.Bucket{{Name: BucketDelivery, Check: rows.CheckRow(len(deliveryKey{}), decodeDelivery)}}
}

// Holding returns the bucket of queued mails.
func Holding() shares.Holding {
	return shares.Holding{
		Bucket: rows.Bucket{Name: BucketOutbox, Check: func(key, value []byte) error {
			_, _, _, err := findShare(key, value)
			return err
		}},
		Find: findShare, Move: moveShare, Open: openShare,
	}
}

func findShare(key, value []byte) (slot storage.Slot, owner shares.Owner, ok bool, err error) {
	r, err := decodeMail(value)
	if err != nil {
		return slot, owner, false, err
	}
	id, err := mailIDOf(key)
	if err != nil || r.slot == nil {
		return slot, owner, false, err
	}
	return *r.slot, r.shareOwner(id), true, nil
}

func moveShare(value []byte, to storage.Slot) ([]byte, error) {
	r, err := decodeMail(value)
	if err != nil {
		return nil, err
	}
	r.slot = &to
	return r.encode(), nil
}

func openShare(keys *seal.Keys, key, value []byte, share [storage.ShareSize]byte) error {
	r, err := decodeMail(value)
	if err != nil {
		return err
	}
	id, err := mailIDOf(key)
	if err != nil {
		return err
	}
	letter, err := keys.OpenMail(share, id[:], r.sealed)
	if err == nil {
		_, err = decodeLetter(letter)
	}
	return err
}
