// Package account keeps who one is: accounts with their addresses, roles, settings
// and tallies, and how they end.
//
// It owns the buckets account, address and tally. The record of an account names the
// tickets of package ticket that it holds. What tickets are mailed for is the business
// of package signup, and whether a password is right that of package password.
//
// What changes one account in a transaction is a function that takes it, for the
// packages above: destroying an account ends what several of them keep, which package
// vault puts together.
package account
