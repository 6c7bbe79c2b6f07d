// Package receipt keeps what the sender of a secret sees of it: a receipt with its
// state and a note, a timeline of what happened, and an account's list of receipts.
//
// It owns the buckets metadata, expiry, entry and timeline. It reads no secret:
// package secret changes a receipt in the transaction that changes its secret, by
// functions that say what happened, such as Revealed. A receipt outlives its secret,
// and is forgotten after twice the secret's lifetime. Once the secret has ended, its
// receipt says neither the link nor the row of the secret.
package receipt
