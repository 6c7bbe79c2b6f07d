// Package bolt keeps Hush's data in one folder of one machine: a bbolt
// database for records and, beside it, a file of shares that are destroyed by
// overwriting them where they lie.
//
// Promise: when Update, Put or Destroy return nil, the change is on the disk.
// When they return storage.ErrUnknownOutcome, nobody can know whether it is;
// from then on every operation is refused, in both files, until the process
// starts again and reads what the disk really holds. A full disk is neither:
// it fails the requests at hand and harms nothing else.
//
// Policy: one process owns the folder, held by a lock on the folder itself.
// The folder and its files are for their owner only. Nobody waits for a timer:
// whoever arrives while a sync runs shares the next one. A View may see a
// commit a moment before its sync ends; only Update reports what is durable.
package bolt
