// Package offline works on a data folder that no process serves: it inspects one without a
// trace, rewrites its database without free pages, and builds a folder out of the rows and
// shares of another one.
//
// Promise: whatever ends the process, a folder that is inspected or compacted has all its
// data and can be served. A new database gets its name when it is durable and complete, so
// a folder that is built has none before that.
//
// Policy: the folder is locked as by a service. Nothing here shares a commit with others or
// answers a caller. What runs beside a service, as a snapshot for a backup does, is that of
// bolt.Store.
package offline
