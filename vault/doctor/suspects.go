package doctor

import (
	"context"
	"errors"
	"slices"

	"hush/storage"
	"hush/vault/exam"
	"hush/vault/rows"
	"hush/vault/shares"
	"hush/vault/tables"
)

// suspectsMost is how many suspects are kept: those of a folder that lost its shares
// must not fill the memory of the service.
const suspectsMost = 4096

// suspects are rows of a snapshot whose shares were gone when the slots were read,
// which was later: most of them ended meanwhile.
type suspects struct {
	holdings []shares.Holding
	kept     []suspect
	more     int64 // that were not kept
}

// suspect is a finding that counts if the row still has its slot.
type suspect struct {
	exam.Finding

	slot storage.Slot
}

func newSuspects() *suspects {
	return &suspects{holdings: tables.Holdings()}
}

// take keeps a finding, and reports false for one that does not depend on the moment
// at which slots were read.
func (s *suspects) take(tx storage.Tx, f exam.Finding) bool {
	if f.Code != exam.CodeShareMissing && f.Code != exam.CodeShareGeneration {
		return false
	}
	slot, found, err := s.slotOf(tx, f)
	if err != nil || !found {
		return false
	}
	if len(s.kept) == suspectsMost {
		s.more++
	} else {
		s.kept = append(s.kept, suspect{f, slot})
	}
	return true
}

// slotOf returns the slot that a row of a finding has.
func (s *suspects) slotOf(tx storage.Tx, f exam.Finding) (slot storage.Slot, found bool, err error) {
	at := slices.IndexFunc(s.holdings, func(h shares.Holding) bool { return h.Name == f.Bucket })
	if at < 0 {
		return slot, false, nil
	}
	value, err := tx.Get(f.Bucket, f.Key)
	if errors.Is(err, storage.ErrNotFound) {
		return slot, false, nil
	}
	if err != nil {
		return slot, false, err
	}
	slot, _, found, err = s.holdings[at].Find(f.Key, value)
	return slot, found, err
}

// again returns the suspects whose rows still have their slots. The end of a row is
// committed before its share is destroyed, so these have lost theirs.
func (s *suspects) again(ctx context.Context, store storage.Store) (lost []exam.Finding, err error) {
	if len(s.kept) == 0 {
		return nil, nil
	}
	err = store.View(ctx, func(tx storage.Tx) error {
		lost = nil
		for _, f := range s.kept {
			slot, found, err := s.slotOf(tx, f.Finding)
			switch {
			case err != nil && !rows.IsDamage(err):
				return err
			case err != nil || found && slot == f.slot:
				lost = append(lost, f.Finding)
			}
		}
		return nil
	})
	return lost, err
}
