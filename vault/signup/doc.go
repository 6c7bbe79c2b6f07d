// Package signup keeps how one gets in: sign-ups, invites, the accounts that the
// operator creates or imports, and the mailed links that confirm an address, change it
// or set a password.
//
// Promise: neither a response nor the amount of work reveals whether an address has an
// account.
//
// It owns no bucket: tickets are stored with the accounts that hold them, in package
// account.
package signup
