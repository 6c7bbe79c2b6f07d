// Package session authenticates callers: sessions for browsers and API tokens
// for programs.
//
// It owns no bucket: packages account and credential store what it
// authenticates with. It alone gives callers a credential. Handlers use
// it, and receipt asks it whether a caller's credential is still valid.
package session
