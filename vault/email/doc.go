// Package email parses e-mail addresses: the canonical form of an account's
// address, and the recipients of a secret.
//
// It owns no bucket, and every package of the vault may use it.
package email
