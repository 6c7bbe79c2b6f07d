package caller

import (
	"encoding/hex"
)

// AccountID names an account for ever: ^created in ms 8 ‖ random 8. Ids in
// order are the newest accounts first. As text it is 32 characters 0-9 and
// a-f.
type AccountID [16]byte

// String is the id as Caller.Account has it.
func (id AccountID) String() string { return hex.EncodeToString(id[:]) }

// ParseAccountID reads what String returns.
func ParseAccountID(text string) (id AccountID, ok bool) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != len(id) || hex.EncodeToString(raw) != text {
		return AccountID{}, false
	}
	return AccountID(raw), true
}

// PairID names a key pair within its account; it is random.
type PairID [8]byte
