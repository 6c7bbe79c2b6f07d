// Package transfer moves a whole service from one store to another: from a data
// folder to a database and back.
//
// Promise: at no time can both stores be served, and a secret opens at most
// once over both. The target refuses to be served until every row in it was
// compared with the source, the source refuses for good from that moment on,
// and the target is released only when no share of the source is left. A copy
// that was interrupted anywhere goes on where it stopped.
//
// Shares get new slots. They are masked with epoch keys of the target where it
// does not overwrite, and stored plainly where it does. Rows that belong to the
// processes that serve a store, such as nodes, leases and lists of shares to be
// destroyed, are not copied. Nothing is held in memory but a batch of rows.
//
// It is no backup that is restored. A backup has all rows, and then the shares by the
// numbers of their slots; a database, which draws numbers of its own, would have to
// find and change each row again, and a folder would get a slot for every number that a
// database ever drew. Nor does an interrupted copy begin anew. Once the source is retired a
// copy can only go on, so both stores must know how far it is in any case; and what
// the first attempt had stored would have to be overwritten, share by share, before a target
// is given up.
//
// It owns no bucket. Only the commands use it.
package transfer
