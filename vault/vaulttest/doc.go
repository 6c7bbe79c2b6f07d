// Package vaulttest gives tests a real vault: real cryptography, a clock that only the
// test moves, and a store in memory for quick tests, in a folder of the test for others, or
// on PostgreSQL.
//
// Nothing is faked, so a test's result holds for the program. A test that needs
// a fault wraps the store or the shares by Options. Helpers that begin with
// Must end the test if the vault returns an error.
package vaulttest
