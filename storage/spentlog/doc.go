// Package spentlog keeps an append-only log of what has ended, on another disk
// than the data. A restored backup replays it, so that nothing comes back to
// life.
//
// The log is a folder of segments. Each entry has a number, its sequence, which
// is that of the entry before plus one. Append returns after its entries are
// durable; all who wait share one sync. Once a sync has failed, nothing more is
// appended.
//
// Space is reserved ahead: a segment grows in steps of zeros before they are
// needed, so that an append overwrites blocks that the disk has given already.
//
// The log holds numbers of slots and rows of records, but nothing that opens one.
package spentlog
