package apitest

import (
	"encoding/base64"
	"net/http"

	"hush/vault/caller"
	"hush/vault/domain"
	"hush/vault/secret"
)

// Password is that of all accounts of the test environment.
const Password = "nine quiet herons"

// SessionsEach is how many sessions each of the accounts has that may sign in.
const SessionsEach = 12

// Accounts are the accounts of a store, and what their owners and others know of them.
type Accounts struct {
	// Ada and Bob are customers, Cleo is a colonel, and Dan signed up but did
	// not confirm the address.
	Ada, Bob, Cleo, Dan Account
	// Revoked was a token of Ada's, and Expired a session of hers.
	Revoked string
	Expired Session
}

// Account is an account and its credentials.
type Account struct {
	Address, ID string
	// Token has all scopes; TokenID is its id.
	Token, TokenID string
	// Narrow holds a token for each scope alone.
	Narrow map[caller.Scopes]string
	// Sessions are all alive. Tests that end one take one of their own.
	Sessions []Session
	// Domain is claimed, not verified.
	Domain domain.Domain
	// Plain and Guarded are secrets that wait; Guarded has the passphrase
	// Passphrase. The receipts of both were looked at.
	Plain, Guarded secret.Concealed
}

// Passphrase is that of the guarded secrets.
const Passphrase = "open sesame"

// Session is what a browser keeps of a session.
type Session struct{ Cookie, Shrimp, ID string }

// Scopes are the scopes that a token may be narrowed to.
func Scopes() map[string]caller.Scopes {
	return map[string]caller.Scopes{
		"conceal": caller.ScopeConceal, "reveal": caller.ScopeReveal,
		"metadata": caller.ScopeMetadata, "account": caller.ScopeAccount, "request": caller.ScopeRequest,
	}
}

// Bearer is the header of an API token alone.
func Bearer(token string) http.Header {
	return http.Header{"Authorization": {"Bearer " + token}}
}

// Basic is the header of an address with an API token.
func Basic(address, token string) http.Header {
	return http.Header{"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte(address+":"+token))}}
}

// Header is the cookie alone.
func (s Session) Header() http.Header {
	return http.Header{"Cookie": {"__Host-hush=" + s.Cookie}}
}

// Page is what a browser sends from a page of the service at url.
func (s Session) Page(url string) http.Header {
	header := s.Header()
	header.Set("O-Shrimp", s.Shrimp)
	header.Set("Origin", url)
	header.Set("Sec-Fetch-Site", "same-origin")
	return header
}
