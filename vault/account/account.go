package account

import (
	"time"

	"hush/vault/caller"
)

// Account is what an account is shown of itself.
type Account struct {
	ID             caller.AccountID
	Address        string // canonical; never logged
	PendingAddress string // waits to be confirmed; empty if none
	// Role is RoleColonel only while the role takes effect.
	Role         Role
	Verified     bool
	Created      time.Time
	Updated      time.Time
	SignedIn     time.Time // zero for never
	Locale       string    // empty if none was chosen
	NotifyOpened bool
	Tally        Tally
	Disabled     bool
	SealedCount  int64
	TTLCeiling   time.Duration
	SecretLimit  int64
}

// Tally counts what an account did.
type Tally struct{ Created, Shared, Burned, Emails int64 }

// NewAccount is what somebody who signs up says.
type NewAccount struct {
	Address  caller.Text
	Password caller.Text
	Locale   string
	Invite   caller.Text
	// Challenge is a solved challenge of the action signup.
	Challenge string
}

// Invite lets one more person sign up.
type Invite struct {
	Key     caller.Text
	Expires time.Time
}

// OperatorAccount is an account that the operator makes.
type OperatorAccount struct {
	Address  caller.Text
	Password caller.Text // empty for none
	Role     Role        // zero means RoleCustomer
	Locale   string
}

// ImportedAccount is an account of another service.
type ImportedAccount struct {
	Address caller.Text
	Token   caller.Text // 40 hexadecimal digits; empty for none
	Role    Role        // zero means RoleCustomer
	Locale  string
}
