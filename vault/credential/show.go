package credential

import (
	"time"

	"hush/vault/caller"
)

// Session is a session as shown to its account.
type Session struct {
	ID         string // 16 characters 0-9 and a-f; opens nothing
	Created    time.Time
	Used       time.Time
	Expires    time.Time
	Network    string // masked
	Device     caller.Device
	Current    bool
	Remembered bool
}

// APIToken is a token as shown to its account.
type APIToken struct {
	ID      string // 16 characters 0-9 and a-f
	Name    string
	Scopes  caller.Scopes
	Created time.Time
	Expires time.Time // zero for never
	Used    time.Time // zero for never; to the minute
	Parent  string    // id of the token that made it, as ID; empty for none
}

// NewToken describes a new API token.
type NewToken struct {
	// Name is unique within its account. Empty means "default", or a fresh name
	// for the operator.
	Name string
	// Scopes are the token's scopes; zero means all.
	Scopes caller.Scopes
	// TTL is the lifetime; nil means that the token does not expire. A token that
	// an API token makes expires with that at the latest.
	TTL *time.Duration
	// Rotate replaces an existing token of that name: it ends with all that it
	// made, and the new token takes over its parent and, without a TTL, its expiry.
	Rotate bool
}
