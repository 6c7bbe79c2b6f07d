// Package spent writes what ends into a log on another disk, so that a restored
// backup does not bring it back to life.
//
// An end is logged after its transaction is durable and before it is answered. In
// between, the list of shares to be destroyed has the ends of secrets, and the
// bucket pending those of everything else: what a crash leaves there is logged by
// the next start. A row is struck off only when its entry is durable in the log.
// So the log has every end that was answered.
//
// It owns the bucket pending, and the rows of the log in the bucket system.
// Packages shares, credential, session and account tell it what ends; package
// vault runs it, and package restoration replays the log.
package spent
