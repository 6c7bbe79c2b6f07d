package caller

import "hush/seal"

// Verified is what the verification of a credential found. It grants nothing by
// itself: WithCredential makes a caller with it.
type Verified struct {
	ID      AccountID
	Address string // canonical
	Locale  string
	Colonel bool // the role is in effect
	Scopes  Scopes
	Row     [32]byte // the session's or token's
	Session bool     // the credential is a session
	Shrimp  string   // the session's; empty for tokens
	Key     WrappedKey

	account string // the text of ID
}

// WrappedKey is the key that opens the account's entries, as the row of a
// session or token holds it.
type WrappedKey struct {
	Pair    PairID
	Wrapped []byte
	Label   []byte
	// Secret unwraps the key.
	Secret seal.WrappingSecret
}

// WithCredential returns c with a verified credential. It keeps v, which must
// not change afterwards. Only package session verifies credentials; a test
// refuses every other use.
func WithCredential(c Caller, v *Verified) Caller {
	v.account = v.ID.String()
	c.credential = v
	return c
}

// Anonymous reports whether the caller has no credential.
func (c Caller) Anonymous() bool { return c.credential == nil }

// Account returns the account's id as text; empty for anonymous callers.
func (c Caller) Account() string {
	if c.credential == nil {
		return ""
	}
	return c.credential.account
}

// AccountID returns the account's id; zero for anonymous callers.
func (c Caller) AccountID() AccountID {
	if c.credential == nil {
		return AccountID{}
	}
	return c.credential.ID
}

// Address returns the canonical address of the account; empty for anonymous
// callers. It must not be logged.
func (c Caller) Address() string {
	if c.credential == nil {
		return ""
	}
	return c.credential.Address
}

// Locale returns the language that the account chose; empty if it chose none.
func (c Caller) Locale() string {
	if c.credential == nil {
		return ""
	}
	return c.credential.Locale
}

// Colonel reports whether the caller's colonel role is in effect.
func (c Caller) Colonel() bool { return c.credential != nil && c.credential.Colonel }

// May reports whether the caller's credential has a scope. Anonymous callers
// have every scope.
func (c Caller) May(scope Scopes) bool {
	return c.credential == nil || c.credential.Scopes&scope == scope
}

// Scopes returns the scopes of the caller's credential; zero for anonymous callers.
func (c Caller) Scopes() Scopes {
	if c.credential == nil {
		return 0
	}
	return c.credential.Scopes
}

// Shrimp returns the token that protects the caller's session against forged
// requests; empty for callers without a session.
func (c Caller) Shrimp() string {
	if c.credential == nil {
		return ""
	}
	return c.credential.Shrimp
}

// FromSession reports whether the caller sent a session cookie.
func (c Caller) FromSession() bool { return c.credential != nil && c.credential.Session }

// Row returns the row of the caller's session or token; zero for anonymous
// callers.
func (c Caller) Row() [32]byte {
	if c.credential == nil {
		return [32]byte{}
	}
	return c.credential.Row
}

// SessionRow returns a copy of the row of the caller's session; nil for callers
// without a session.
func (c Caller) SessionRow() *[32]byte {
	if !c.FromSession() {
		return nil
	}
	row := c.credential.Row
	return &row
}

// Key returns the wrapped key of the caller's credential; zero for anonymous
// callers. Its slices must not be changed.
func (c Caller) Key() WrappedKey {
	if c.credential == nil {
		return WrappedKey{}
	}
	return c.credential.Key
}
