// Package caller says who asks and what the operator lets them do: the caller
// with the network and the credential that it came with, the scopes of
// credentials, and the operator's policy and limits.
//
// It owns no bucket. Everybody may read a Caller; package session alone makes
// one with a Credential.
package caller
