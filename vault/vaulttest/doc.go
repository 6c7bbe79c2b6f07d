// Package vaulttest gives tests a real vault: bbolt and share files in a folder
// of the test, real cryptography, and a clock that only the test moves.
//
// Nothing is faked, so a test's result holds for the program. A test that needs
// a fault wraps the store or the shares by Options. Helpers that begin with
// Must end the test if the vault returns an error.
package vaulttest
