package session

import (
	"hush/seal"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/credential"
)

// SignedIn is a new session.
type SignedIn struct {
	// Cookie is what the browser keeps.
	Cookie  seal.SessionID
	Session credential.Session
	Account account.Account
	Shrimp  string
}

// Credential is what a request brought: an address and a token, a token alone,
// or a session.
type Credential struct {
	Address, Token, Session caller.Text
}
