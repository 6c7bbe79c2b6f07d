package sharefile

import (
	"errors"
	"fmt"
	"io"

	"hush/storage"
	"hush/storage/disk"
)

// read returns the content of a slot, with the backlog applied. If the file was
// truncated meanwhile, the content is unknown.
func (s *File) read(number uint64) (slotData, error) {
	raw, waits := s.backlog.get(number)
	if waits {
		return decodeSlot(&raw, number), nil
	}
	_, err := s.file.ReadAt(raw[:], int64(number)*SlotSize)
	if errors.Is(err, io.EOF) {
		return slotData{state: slotDamaged}, nil
	}
	if err != nil {
		return slotData{}, fmt.Errorf("reading share: %w", err)
	}
	return decodeSlot(&raw, number), nil
}

// syncFile writes the backlog and makes it durable. It trips the fault before
// it returns: a next round must not begin, because the system reports lost
// pages only once and a second sync would seem to succeed.
func (s *File) syncFile() error {
	return s.backlog.sync(func(first uint64, run []byte) error {
		if err := s.fault.Check(); err != nil {
			return err
		}
		if err := s.writer.WriteAt(s.file, run, int64(first)*SlotSize); err != nil {
			return s.failed("writing shares", err)
		}
		return nil
	}, func() error {
		if err := s.fault.Check(); err != nil {
			return err
		}
		if err := s.writer.Sync(s.file); err != nil {
			return s.fault.Trip(fmt.Errorf("syncing shares: %w", err))
		}
		return nil
	})
}

// await waits until changes are durable, and returns what became of them. The
// sync that has taken them may be one that others lead, and not the one waited for.
func (s *File) await(all ...change) error {
	err := s.syncs.Sync()
	if len(all) == 0 {
		return err
	}
	var worst error
	for _, c := range all {
		if err := c.outcome(); worst == nil || errors.Is(err, storage.ErrUnknownOutcome) {
			worst = err
		}
	}
	return worst
}

// grow adds slots from end on and returns the new end. It really writes the
// zeros, so that a share later only overwrites an allocated block, and makes
// them durable before the first of them is used.
func (s *File) grow(end uint64) (uint64, error) {
	if s.space.ReservedOnly() {
		return 0, fmt.Errorf("growing shares: %w", disk.ErrReserved)
	}
	grown := (end/s.growth + 1) * s.growth
	at := int64(end) * SlotSize
	if err := s.writer.WriteAt(s.file, make([]byte, (grown-end)*SlotSize), at); err != nil {
		// The added part is not in use; truncating it helps a full disk.
		_ = s.file.Truncate(at)
		return 0, s.failed("growing shares", err)
	}
	return grown, s.syncs.Sync()
}

// failed classifies the error of a change: a full disk, which is harmless, or
// an unknown outcome.
func (s *File) failed(doing string, err error) error {
	if disk.IsFull(err) {
		return fmt.Errorf("%s: %w: %w", doing, storage.ErrFull, err)
	}
	return s.fault.Trip(fmt.Errorf("%s: %w", doing, err))
}
