// Package postgres keeps Hush's data in a PostgreSQL database that any number
// of nodes use at the same time.
//
// Promise: the semantics of storage.Store and storage.Shares hold over all
// nodes together. When Update, Put or Destroy return nil, the change is durable
// on the primary, and on its synchronous standbys where it has some. A commit
// whose connection broke is looked up afterwards, so its outcome is reported
// rather than guessed; storage.ErrUnknownOutcome is left for a database that
// cannot be asked within Options.Patience, and it concerns that update alone.
//
// A share is deleted, not overwritten: the write-ahead log, dead rows and
// backups keep it for as long as the database keeps those.
//
// Updates are serializable by certification. Their functions run on one
// snapshot and their writes are kept in memory. The commit is one call of a
// function in the database, which takes the store's only lock, checks that
// every row that was read is still the same row and that no range gained or
// lost one, and writes. The lock is held until the commit is visible, so all
// commits are in one order, every snapshot shows a beginning of that order, and
// each update ran as if alone at its place in it. The call carries all
// that it needs, so Hush does not compute while it holds the lock, except for a
// batch that others failed three times.
// PostgreSQL's own SERIALIZABLE would do. It tracks reads by index page, and by
// table after some dozens of them, so it fails batches that have no row in
// common: with 64 callers three of ten commits of two nodes, and half of those of
// four. What each costs stands in ADR 0012. One commit order over all nodes means
// that commits wait for the disk, and for standbys, one after the other.
//
// Many updates share a commit. Those that wait while one is made form the next
// batch and run at the same time on its snapshot; their reads share round
// trips. An update that read what an earlier one of its batch writes runs again
// on top of it.
//
// A standby that is promoted may know less than the primary did, even of what was
// in use: writers have random numbers, shares draw theirs where they are stored and
// have random generations, and numbers of buckets count on one timeline. A synchronous
// standby loses nothing that was acknowledged; an asynchronous one does. A database
// that was set back on its timeline is refused.
//
// A server's settings may be reloaded and its schema replaced or upgraded while
// connections are open. So every statement that makes something durable finds out
// anew whether it would be kept, and changes nothing otherwise.
//
// PostgreSQL 14 is the oldest version that is used. The user needs a schema of
// its own, or the right to create it, and nothing else.
package postgres
