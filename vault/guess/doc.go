// Package guess slows down guessing: it has queues for slow hashes, in which
// every network has a limited share, and counters of wrong tries with the
// pauses that follow.
//
// It owns no bucket: the packages that count tries store the counters. Packages
// password, passphrase and secret use it.
package guess
