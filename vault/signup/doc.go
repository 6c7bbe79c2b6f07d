// Package signup keeps how one gets in: sign-ups, invites, the accounts that the
// operator creates or imports, and the mailed links that confirm an address, change it
// or set a password.
//
// Promise: neither a response nor the amount of work reveals whether an address has an
// account.
//
// It owns no bucket: accounts are those of package account, and mailed links and invites
// those of package ticket.
package signup
