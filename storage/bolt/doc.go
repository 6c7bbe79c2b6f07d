// Package bolt stores Hush's data in one folder of one machine: a bbolt
// database for records and, beside it, a file of shares that are destroyed by
// overwriting them in place.
//
// Promise: when Update, Put or Destroy returns nil, the change is on the disk.
// When it returns storage.ErrUnknownOutcome, the outcome is unknown; from then
// on every operation on both files is refused, until the process starts again
// and reads what the disk really holds. A full disk is neither: it fails the
// current requests and affects nothing else.
//
// Policy: one process owns the folder by a lock on the folder itself. Only the
// owner may access the folder and its files. No call waits for a timer: calls
// that arrive during a sync share the next one. A View may see a commit a
// moment before its sync ends; only Update reports what is durable.
package bolt
