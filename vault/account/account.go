package account

import (
	"time"

	"hush/vault/caller"
)

// Account is an account as shown to its owner.
type Account struct {
	ID             caller.AccountID
	Address        string // canonical; never logged
	PendingAddress string // to be confirmed; empty if none
	// Role is RoleColonel only while the role is in effect.
	Role         Role
	Verified     bool
	Created      time.Time
	Updated      time.Time
	SignedIn     time.Time // zero for never
	Locale       string    // empty if none is chosen
	NotifyOpened bool
	Tally        Tally
	Disabled     bool
	SealedCount  int64
	TTLCeiling   time.Duration
	SecretLimit  int64
}

// Tally counts the actions of an account.
type Tally struct{ Created, Shared, Burned, Emails int64 }
