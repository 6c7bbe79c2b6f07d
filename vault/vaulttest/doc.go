// Package vaulttest gives tests a real vault: bbolt and share files in a
// folder of the test, real cryptography, and a clock that only the test moves.
//
// Nothing is faked. What a test learns here holds for the program, and a test
// that needs a fault puts a wrapper around the store or the shares by Options.
// Helpers that begin with Must end the test where the vault answers anything
// but success, so they say nothing about the errors of the vault.
package vaulttest
