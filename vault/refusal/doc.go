// Package refusal defines the errors that callers see: the sentinels, and types
// with more detail. Each transport maps them in one table. Any other error is
// internal, and only the operator sees its text.
//
// It owns no bucket, and every package of the vault may use it.
package refusal
