package storage

// SlotState is what a slot of a file of shares holds.
type SlotState byte

// The states of a slot.
const (
	SlotFresh     SlotState = iota // it was never used
	SlotLive                       // a share
	SlotDestroyed                  // what overwrote a share
	SlotDamaged                    // bytes that are no slot
)
