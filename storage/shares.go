package storage

import "context"

// ShareSize is the length in bytes of one share.
const ShareSize = 32

// Slot is the place of one share. A number is reused for later shares, each
// with a higher generation.
type Slot struct {
	Number     uint64
	Generation uint64
}

// Shares stores shares of ShareSize bytes in slots that are overwritten in
// place. Implementations are safe for concurrent use. Each method that changes
// something returns after the change is durable; concurrent callers share one
// sync.
type Shares interface {
	// Put writes share into a free slot.
	Put(ctx context.Context, share [ShareSize]byte) (Slot, error)
	// PutMany writes shares into free slots at the price of one, and returns their slots
	// in that order. The slot of a share that was not stored is zero, and then there is
	// an error.
	PutMany(ctx context.Context, shares [][ShareSize]byte) ([]Slot, error)
	// Get returns the share in slot, or ErrShareGone.
	Get(ctx context.Context, slot Slot) ([ShareSize]byte, error)
	// Destroy overwrites the shares in slots. It skips a slot whose stored
	// generation is newer than the given one. Destroyed slots are not handed
	// out again before Release.
	Destroy(ctx context.Context, slots ...Slot) error
	// Overwrites reports whether Destroy overwrites shares where they lie. If not, the
	// store keeps old copies of shares and of rows for a while, as in a log or a backup,
	// and shares must be masked before they are put. The answer never changes.
	Overwrites() bool
	// BarOlder makes releases refuse the shares, durably, that know no format of the data
	// and would open them. It is called before anything is stored that they could
	// misread, at each start. Where no such release could open the store it does nothing.
	BarOlder(ctx context.Context) error
	// Recycler reuses slots. It is nil for shares whose slots are used once.
	Recycler() Recycler
	// Observe makes the shares report to o from now on. It is called once. Shares that
	// make nothing durable report nothing.
	Observe(o Observer)
}

// Recycler is the part of Shares that reuses slots. Its methods only track free slots
// in memory. It is safe for concurrent use.
//
// After a start it is unknown which old slots are free, so new shares go to the
// end of the file. A background pass above walks all live records and reports
// each with Used. Reclaim then frees all slots that are older than the start
// and were not reported, released or touched.
type Recycler interface {
	// Release frees destroyed slots. Call it only after the record that listed
	// them for destruction is durably gone.
	Release(slots ...Slot)
	// Touch reports that the running process is about to destroy slot, so that
	// Reclaim leaves it to Release.
	Touch(slot Slot)
	// Used reports a slot that belongs to a live record.
	Used(slot Slot)
	// Reclaim ends the pass and returns how many orphaned slots it freed.
	Reclaim() int
}
