package credential

import (
	"errors"

	"hush/vault/refusal"
	"hush/vault/rows"
)

// EndLoggedSession ends the session in a row, as the spent log tells, and reports
// whether there was one.
func EndLoggedSession(tx *rows.Tx, row [32]byte) (ended bool, err error) {
	record, err := GetSession(tx, row)
	if errors.Is(err, refusal.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, DeleteSession(tx, OwnSession{row, record})
}

// EndLoggedToken is EndLoggedSession for a token.
func EndLoggedToken(tx *rows.Tx, row [32]byte) (ended bool, err error) {
	record, err := GetToken(tx, row)
	if errors.Is(err, refusal.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, deleteTokens(tx, []OwnToken{{row, record}})
}
