package sharefile

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"hush/storage"
	"hush/storage/disk"
)

const (
	// buildSlots is the maximum number of slots that a Builder takes: a shares file
	// of 64 GiB.
	buildSlots = 1 << 30
	// buildAhead is how far the generation of slots whose share is missing is above
	// the highest one that is known. That of a damaged slot is not.
	buildAhead = 1 << 32
)

var (
	errBuildOrder = errors.New("bolt: slots are not in the order of their numbers")
	errBuildSlot  = errors.New("bolt: a slot is out of bounds")
)

// Builder writes a shares file in the order of its slots.
type Builder struct {
	file *os.File
	out  *bufio.Writer
	next uint64 // number of the next slot
}

// NewBuilder creates the file at path, which must be free. The caller calls Complete, or
// Close.
func NewBuilder(path string, id StoreID) (*Builder, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, disk.WriteFailed("creating shares", err)
	}
	b := &Builder{file: file, out: bufio.NewWriterSize(file, readSlotsAtOnce*SlotSize), next: 1}
	header := encodeHeader(id, headerBarred)
	if _, err := b.out.Write(header[:]); err != nil {
		return nil, errors.Join(disk.WriteFailed("creating shares", err), file.Close())
	}
	return b, nil
}

// Close gives the file up, unless it is complete.
func (b *Builder) Close() error { return b.file.Close() }

// Add writes a share, and zeros for the slots between the last one and it. The numbers
// of slots ascend.
func (b *Builder) Add(slot storage.Slot, share [storage.ShareSize]byte) error {
	switch {
	case slot.Number == 0 || slot.Number >= buildSlots || slot.Generation == 0 || slot.Generation > 1<<63:
		return errBuildSlot
	case slot.Number < b.next:
		return errBuildOrder
	}
	if err := b.skip(slot.Number); err != nil {
		return err
	}
	raw := slotData{share: share, generation: slot.Generation, state: slotLive}.encode(slot.Number)
	b.next++
	_, err := b.out.Write(raw[:])
	return disk.WriteFailed("writing shares", err)
}

// skip leaves the slots before the number to as they are in a new file: zeros.
func (b *Builder) skip(to uint64) error {
	if to == b.next {
		return nil
	}
	if err := b.out.Flush(); err != nil {
		return disk.WriteFailed("writing shares", err)
	}
	b.next = to
	_, err := b.file.Seek(int64(to)*SlotSize, io.SeekStart)
	return disk.WriteFailed("writing shares", err)
}

// Complete fills all slots that were not added up to the extent, makes the file durable,
// and closes it. The extent is that of the file that the shares come from: each slot that
// was not added counts as destroyed with a higher generation than any record can name.
func (b *Builder) Complete(ctx context.Context, all Extent) error {
	if all.Slots > buildSlots || all.Generation > 1<<63 {
		return errBuildSlot
	}
	if err := b.out.Flush(); err != nil {
		return disk.WriteFailed("writing shares", err)
	}
	end := max(b.next, all.Slots)
	if err := b.checkRoom(end); err != nil {
		return disk.WriteFailed("writing shares", err)
	}
	block := make([]byte, readSlotsAtOnce*SlotSize)
	for first := uint64(0); first < end; first += readSlotsAtOnce {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := b.fill(first, min(end-first, readSlotsAtOnce), block, all.Generation+buildAhead); err != nil {
			return disk.WriteFailed("writing shares", err)
		}
	}
	return disk.WriteFailed("completing shares", errors.Join(b.file.Sync(), b.file.Close()))
}

// checkRoom returns an error that is storage.ErrFull if the disk has no room for a
// file with so many slots: a backup of a few bytes may say that it has them.
func (b *Builder) checkRoom(slots uint64) error {
	info, err := b.file.Stat()
	if err != nil {
		return err
	}
	needed := int64(slots)*SlotSize - info.Size()
	if free, known := disk.FreeBytes(filepath.Dir(b.file.Name())); known && free < needed {
		return fmt.Errorf("%w: %s more", storage.ErrFull, disk.Shortage(free, needed))
	}
	return nil
}

// fill destroys the slots of a block that hold nothing.
func (b *Builder) fill(first, count uint64, block []byte, generation uint64) error {
	block = block[:count*SlotSize]
	at := int64(first) * SlotSize
	clear(block)
	if _, err := b.file.ReadAt(block, at); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	gone := slotData{generation: generation, state: slotDestroyed}
	_, _ = rand.Read(gone.share[:]) // never fails: it ends the process instead
	for i := range count {
		raw := (*rawSlot)(block[i*SlotSize:])
		if *raw == (rawSlot{}) {
			*raw = gone.encode(first + i)
		}
	}
	_, err := b.file.WriteAt(block, at)
	return err
}
