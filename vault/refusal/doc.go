// Package refusal has the errors that callers are told: the sentinels, and the
// types that say more. Each transport maps them in one table; any other error
// is internal, and its text is the operator's business alone.
//
// It owns no bucket, and every package of the vault may use it.
package refusal
