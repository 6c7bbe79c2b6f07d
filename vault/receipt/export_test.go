package receipt

// The parts of the row of an entry.
const (
	EntryHead   = entryHead
	EntryNumber = entryNumber
	EntryMost   = entryMost
)

// Decode decodes a stored receipt.
func Decode(data []byte) (*Record, error) { return decode(data) }

// SealedKey returns what a stored receipt has of the secret's key.
func (r *Record) SealedKey() []byte { return r.sealedKey }
