// Package account keeps accounts: their addresses, passwords and mailed links,
// how they begin and how they end.
//
// It owns the buckets account, address, tally, ticket and tries. Whether an
// address has an account is told by no answer and by no amount of work. What
// stands on accounts is asked by the functions of Others. Packages session,
// domain and secret use it, and handlers call its services.
package account
