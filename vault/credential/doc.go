// Package credential keeps what an account's callers authenticate with:
// sessions and API tokens. It also keeps the key pairs of an account, whose
// private halves are wrapped in the password, the sessions and the tokens.
//
// It owns the buckets session, sessions, token, tokens and pair. An entry of an
// account is sealed to each pair, and a pair lives as long as a credential
// holds it. Packages account, password, signup and session use it; receipt asks it for
// the keys that open and seal entries.
package credential
