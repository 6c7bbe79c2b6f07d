// Package credential keeps what an account's callers come with: sessions and
// API tokens, and the key pairs of an account, whose private halves lie wrapped
// in them.
//
// It owns the buckets session, sessions, token, tokens and pair. An entry of an
// account's list is sealed to each pair, and a pair lives as long as a
// credential holds it. Packages account and session use it; secret asks for
// the keys that open and seal entries.
package credential
