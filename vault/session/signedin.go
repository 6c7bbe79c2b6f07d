package session

import (
	"hush/seal"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/credential"
)

// SignedIn is a new session.
type SignedIn struct {
	// Cookie is the value of the browser's cookie.
	Cookie  seal.SessionID
	Session credential.Session
	Account account.Account
	Shrimp  string
}

// Credential is what a request authenticates with: an address and a token, a
// token alone, or a session.
type Credential struct {
	Address, Token, Session caller.Text
}
