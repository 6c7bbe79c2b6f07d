package signup

import (
	"time"

	"hush/vault/account"
	"hush/vault/caller"
)

// NewAccount is a request to sign up.
type NewAccount struct {
	Address  caller.Text
	Password caller.Text
	Locale   string
	Invite   caller.Text
	// Challenge is a solved challenge for the action signup.
	Challenge string
}

// Invite allows one sign-up.
type Invite struct {
	Key     caller.Text
	Expires time.Time
	Mailed  bool // to the only address that may use it
}

// WaitingInvite is an invite as shown to administrators. It does not open a
// sign-up.
type WaitingInvite struct {
	ID      string // 44 characters 0-9 and a-f
	Address string // the only one that may use it; empty for any
	// By is the address of the administrator who created it; empty for the operator
	// and for an account that is gone.
	By               string
	Created, Expires time.Time
}

// OperatorAccount is an account that the operator creates.
type OperatorAccount struct {
	Address  caller.Text
	Password caller.Text  // empty for none
	Role     account.Role // zero means account.RoleCustomer
	Locale   string
}

// ImportedAccount is an account imported from another service.
type ImportedAccount struct {
	Address caller.Text
	Token   caller.Text  // 40 hexadecimal digits; empty for none
	Role    account.Role // zero means account.RoleCustomer
	Locale  string
}
