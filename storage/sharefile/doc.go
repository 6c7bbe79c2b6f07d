// Package sharefile stores shares of 32 bytes in one file, in slots that are overwritten
// in place when their share is destroyed.
//
// Promise: when Put or Destroy returns nil, the change is on the disk. A share that was
// destroyed cannot be read from the file again, and its slot is not used before Release
// or Reclaim.
//
// Policy: slots are written when the sync begins that makes them durable, and callers who
// wait at the same time share it. After a failed sync nothing is written any more; see
// disk.Fault. A record names its share by the number of a slot and a generation, which is
// higher for each later share of the slot, until the slot is cut off.
package sharefile
