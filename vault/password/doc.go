// Package password keeps the proof of who one is: which passwords are accepted, how
// they are hashed and checked, how many tries there are, and how they are changed.
//
// Promise: the work of a sign-in does not reveal whether an address has an account, and
// a try is counted durably before it is checked.
//
// It owns the bucket tries, which also counts the mails to an address. The verifier of
// a password is in the record of its account.
package password
