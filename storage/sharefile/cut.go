package sharefile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"

	"hush/storage"
)

// Cut cuts the slots from end on off the file at path, of which slots is what it
// holds. The caller knows that no row
// owns one of them, and that none is on the list of shares to be destroyed.
//
// A number that is cut off begins anew with generation 1 when the file grows
// again, so a later share may have number and generation of an earlier one. That
// confuses nothing: no row of the database names a slot that was cut, and the end
// of an earlier share was in the log of what has ended before its row was struck
// off the list. A backup that was made later carries a later position in that
// log, and is never told of it; in one that was made earlier, what had that slot
// is what has ended.
//
// What is cut may hold shares that were never used, and bytes that cannot be read:
// they are overwritten first, since blocks that a file gives back keep what is in
// them.
func Cut(path string, slots *Table, end uint64) error {
	if end >= slots.Count() && slots.Torn == 0 {
		return nil
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("opening shares: %w", err)
	}
	err = overwriteFrom(file, slots, end)
	if err == nil {
		err = file.Sync()
	}
	if err == nil {
		err = file.Truncate(int64(min(end, slots.Count())) * SlotSize)
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("cutting shares: %w", err)
	}
	return nil
}

// overwriteFrom overwrites the slots from end on that hold anything.
func overwriteFrom(file *os.File, slots *Table, end uint64) error {
	for n := end; n < slots.Count(); n++ {
		generation, state := slots.Slot(n)
		if state != storage.SlotLive && state != storage.SlotDamaged {
			continue
		}
		gone := slotData{generation: max(generation, 1), state: slotDestroyed}
		_, _ = rand.Read(gone.share[:]) // never fails: it ends the process instead
		raw := gone.encode(n)
		if _, err := file.WriteAt(raw[:], int64(n)*SlotSize); err != nil {
			return err
		}
	}
	return nil
}
