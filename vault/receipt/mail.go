package receipt

import (
	"errors"

	"hush/seal"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// MailWanted reports whether the link of a receipt's secret is still worth mailing:
// the secret is neither received nor burned.
func MailWanted(tx *rows.Tx, row seal.RowKey) (bool, error) {
	r, err := Load(tx, row)
	if errors.Is(err, refusal.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return r.state.Live() || r.state == StateExpired, nil
}
