package account

import (
	"context"
	"time"

	"hush/vault/caller"
	"hush/vault/rows"
)

// Others are the functions of higher packages that accounts call.
type Others struct {
	// EndDomains releases the domains of an account.
	EndDomains func(tx *rows.Tx, id caller.AccountID) error
	// BurnSecrets burns the live secrets of an account and returns how many there
	// were.
	BurnSecrets func(ctx context.Context, id caller.AccountID, now time.Time) (int, error)
	// CountEntries counts the entries of an account.
	CountEntries func(tx *rows.Tx, id caller.AccountID) (int64, error)
	// Changed is called after credentials of an account may have ended.
	Changed func(id caller.AccountID)
	// Background runs work that Close waits for.
	Background func(work func())
}
