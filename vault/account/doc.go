// Package account keeps who one is: accounts with their addresses, roles, settings
// and tallies, the tickets that they hold, and how they end.
//
// It owns the buckets account, address, tally and ticket. An account's record and its
// tickets point at each other, so both are here; what tickets are mailed for is the
// business of package signup. Whether a password is right is that of package password.
//
// What changes one account in a transaction is a function that takes it, for the
// packages above: destroying an account ends what several of them keep, which package
// vault puts together.
package account
