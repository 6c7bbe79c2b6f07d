package shares

import (
	"encoding/binary"

	"hush/storage"
	"hush/vault/exam"
	"hush/vault/rows"
)

// Invariants returns those of the buckets of this package. They come after those
// of the buckets whose rows hold shares.
func Invariants(x *exam.Exam) []exam.Invariant {
	listed := map[uint64]bool{}
	return []exam.Invariant{
		{Bucket: BucketShred, Check: checkShred, Row: func(key, value []byte) error {
			number := binary.BigEndian.Uint64(key)
			listed[number] = true
			checkListed(x, storage.Slot{Number: number, Generation: binary.BigEndian.Uint64(value)}, key)
			return nil
		}, End: func() error {
			checkSlots(x, listed)
			return nil
		}},
		{Bucket: BucketEpoch, Check: checkEpoch, Alone: "the first share of an hour makes the key of the hour"},
	}
}

// Listed returns the list of shares to be destroyed, as a bucket whose rows name
// slots.
func Listed() Holding {
	return Holding{
		Bucket: rows.Bucket{Name: BucketShred, Check: checkShred},
		Find: func(key, value []byte) (slot storage.Slot, owner Owner, ok bool, err error) {
			if err := checkShred(key, value); err != nil {
				return slot, owner, false, err
			}
			return storage.Slot{Number: binary.BigEndian.Uint64(key), Generation: binary.BigEndian.Uint64(value)}, owner, true, nil
		},
	}
}

func checkShred(key, value []byte) error {
	if len(key) != 8 || len(value) != 8 {
		return rows.ErrDamaged
	}
	return nil
}

func checkEpoch(key, value []byte) error {
	if len(key) != 8 {
		return rows.ErrDamaged
	}
	_, err := decodeEpoch(value)
	return err
}

// checkListed checks a row of the list of shares to be destroyed. The next start
// destroys them, and skips a slot whose share is newer.
func checkListed(x *exam.Exam, slot storage.Slot, key []byte) {
	if x.Slots != nil && x.IsOwned(slot.Number) {
		if generation, state := x.Slots.Slot(slot.Number); state == storage.SlotLive && generation <= slot.Generation {
			x.Notef(exam.CodeShredLive, BucketShred, key, "slot %d", slot.Number)
			return
		}
	}
	if !x.Served {
		x.Notef(exam.CodeShredLeft, BucketShred, key, "slot %d", slot.Number)
	}
}

// checkSlots reports the slots that are damaged, and those that no row owns and that are
// not free, if they are more than a run leaves: those that it kept ready, and as many that
// it had taken for secrets that were not stored.
func checkSlots(x *exam.Exam, listed map[uint64]bool) {
	if x.Slots == nil {
		return
	}
	var unowned []uint64
	for n := uint64(1); n < x.Slots.Count(); n++ {
		switch _, state := x.Slots.Slot(n); {
		case state == storage.SlotDamaged:
			x.ReportSlot(exam.CodeSlotDamaged, n)
		case state == storage.SlotLive && !x.IsOwned(n) && !listed[n]:
			unowned = append(unowned, n)
		}
	}
	if len(unowned) > 2*poolSize && !x.Served {
		for _, n := range unowned {
			x.ReportSlot(exam.CodeSlotOrphaned, n)
		}
	}
}
