package caller

import (
	"encoding/hex"
)

// AccountID is the permanent id of an account: ^created in ms 8 ‖ random 8. In
// ascending order, the newest accounts come first. As text it is 32 characters
// 0-9 and a-f.
type AccountID [16]byte

// String returns the id as Caller.Account does.
func (id AccountID) String() string { return hex.EncodeToString(id[:]) }

// ParseAccountID parses what String returns.
func ParseAccountID(text string) (id AccountID, ok bool) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != len(id) || hex.EncodeToString(raw) != text {
		return AccountID{}, false
	}
	return AccountID(raw), true
}

// PairID names a key pair within its account; it is random.
type PairID [8]byte
