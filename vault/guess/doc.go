// Package guess keeps guessing slow: queues for slow hashes, in which no
// network takes more than its share, and counters of wrong tries with the
// pauses that follow them.
//
// It owns no bucket: whoever counts tries keeps the counter. Packages account
// and secret use it.
package guess
