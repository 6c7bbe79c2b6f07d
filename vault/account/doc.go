// Package account keeps accounts: their addresses, passwords and mailed links,
// and how they are created and destroyed.
//
// It owns the buckets account, address, tally, ticket and tries. Neither a
// response nor the amount of work reveals whether an address has an account. It
// calls the packages above it through the functions of Others. Packages
// session, domain and secret use it, and handlers call its services.
package account
