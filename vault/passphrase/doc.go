// Package passphrase counts the wrong passphrases of each secret, by network and in all,
// for as long as the secret lives, and refuses a try during the pauses that follow. It
// never sees a passphrase.
//
// Package secret counts a try before it knows whether the passphrase is right; a receipt
// shows when none is accepted any more. So the counters are below both.
package passphrase
