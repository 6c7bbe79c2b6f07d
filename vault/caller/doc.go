// Package caller describes who calls and what the operator allows: the caller
// with its network and credential, the scopes of credentials, and the
// operator's policy and limits.
//
// It owns no bucket. Every package may read a Caller; only package session
// gives one a credential.
package caller
