// Package sweep ends what is due, in batches between which others get to the store: the
// index of what ends when, and the rounds of the sweeper. It owns the bucket due.
package sweep
