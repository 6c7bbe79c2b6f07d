package account

import (
	"errors"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/refusal"
)

// CountEmail counts a mail to a recipient toward the account that sent it.
func CountEmail(tx storage.Tx, id caller.AccountID) error {
	account, err := GetAccount(tx, id)
	if errors.Is(err, refusal.ErrNotFound) || err == nil && !account.Destroyed.IsZero() {
		return nil
	}
	if err != nil {
		return err
	}
	return ChangeTally(tx, id, func(t *TallyRecord) { t.Emails++ })
}
