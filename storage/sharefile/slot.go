package sharefile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"hush/storage"
)

// SlotSize is the length in bytes of a slot, and of the header of a file.
const SlotSize = 64

const headerMagic = "hushshrs"

// headerVersion is the version of the file. Both have the same slots. Releases
// that know only the first do not look whether they can read the database, so
// the second keeps them out of a folder that they would misread.
type headerVersion uint32

const (
	headerOpen   headerVersion = 1
	headerBarred headerVersion = 2
)

// slotState is the state byte of a slot.
type slotState byte

const (
	// slotFresh: all bytes are zero, as written by growth. Generation is 0.
	slotFresh slotState = 0
	// slotLive: the slot holds a share.
	slotLive slotState = 1
	// slotDestroyed: the share was overwritten with random bytes.
	slotDestroyed slotState = 2
	// slotDamaged is never stored. Its generation is unknown, so no later one
	// can be chosen and the slot is never reused.
	slotDamaged slotState = 255
)

// slotData is what one slot holds. On disk, numbers little-endian:
//
//	 0             32           40       48      49      60      64
//	+---------------+------------+--------+-------+-------+-------+
//	| share         | generation | number | state | zeros | crc32c|
//	+---------------+------------+--------+-------+-------+-------+
//
// The checksum covers all bytes before it, and with the slot's own number also
// finds a slot that was written to the wrong place. 64 bytes never cross a
// sector, so a slot is old or new after a power cut.
//
// Slot 0 is the header of the file:
//
//	 0        8         12          16         32      60      64
//	+--------+---------+-----------+----------+-------+-------+
//	| magic  | version | slot size | store id | zeros | crc32c|
//	+--------+---------+-----------+----------+-------+-------+
type slotData struct {
	share      [storage.ShareSize]byte
	generation uint64
	state      slotState
}

type rawSlot [SlotSize]byte

func (d slotData) encode(number uint64) rawSlot {
	var raw rawSlot
	copy(raw[:32], d.share[:])
	binary.LittleEndian.PutUint64(raw[32:], d.generation)
	binary.LittleEndian.PutUint64(raw[40:], number)
	raw[48] = byte(d.state)
	raw.seal()
	return raw
}

func decodeSlot(raw *rawSlot, number uint64) slotData {
	if *raw == (rawSlot{}) {
		return slotData{state: slotFresh}
	}
	d := slotData{
		generation: binary.LittleEndian.Uint64(raw[32:]),
		state:      slotState(raw[48]),
	}
	// Encoding again checks everything at once: checksum, number and zeros.
	copy(d.share[:], raw[:32])
	if (d.state != slotLive && d.state != slotDestroyed) || d.encode(number) != *raw {
		return slotData{state: slotDamaged}
	}
	return d
}

func encodeHeader(id StoreID, version headerVersion) rawSlot {
	var raw rawSlot
	copy(raw[:], headerMagic)
	binary.LittleEndian.PutUint32(raw[8:], uint32(version))
	binary.LittleEndian.PutUint32(raw[12:], SlotSize)
	copy(raw[16:32], id[:])
	raw.seal()
	return raw
}

func decodeHeader(raw *rawSlot) (StoreID, headerVersion, error) {
	if !bytes.HasPrefix(raw[:], []byte(headerMagic)) {
		return StoreID{}, 0, fmt.Errorf("%w: shares is not a shares file", ErrMismatch)
	}
	version := headerVersion(binary.LittleEndian.Uint32(raw[8:]))
	if version < headerOpen || version > headerBarred {
		return StoreID{}, 0, fmt.Errorf("%w: shares has format version %d, not %d to %d", ErrMismatch, version, headerOpen, headerBarred)
	}
	id := StoreID(raw[16:32])
	if encodeHeader(id, version) != *raw {
		return StoreID{}, 0, fmt.Errorf("%w: the header of shares is damaged", ErrMismatch)
	}
	return id, version, nil
}

// seal sets the checksum.
func (r *rawSlot) seal() {
	sum := crc32.Checksum(r[:60], crc32.MakeTable(crc32.Castagnoli))
	binary.LittleEndian.PutUint32(r[60:], sum)
}
