package credential

import (
	"time"

	"hush/vault/caller"
)

// Session is what an account is shown of a session.
type Session struct {
	ID         string // 16 characters 0-9 and a-f; opens nothing
	Created    time.Time
	Used       time.Time
	Expires    time.Time
	Network    string // masked
	Current    bool
	Remembered bool
}

// APIToken is what an account is shown of a token.
type APIToken struct {
	ID      string // 16 characters 0-9 and a-f
	Name    string
	Scopes  caller.Scopes
	Created time.Time
	Expires time.Time // zero for never
	Used    time.Time // zero for never; to the minute
}

// NewToken describes an API token that is to be made.
type NewToken struct {
	// Name is unique in its account. Empty means "default", for the operator a
	// fresh one.
	Name string
	// Scopes is what it is good for; zero means everything.
	Scopes caller.Scopes
	// TTL is how long it is good; nil means for ever.
	TTL *time.Duration
	// Rotate lets it take the place of one of that name.
	Rotate bool
}
