// Package memory stores Hush's data in memory, for tests and for measuring the
// cost of a disk.
//
// Promise: the same semantics as every other backend, including serializable
// updates and consistent snapshots. Policy: nothing is durable, and nothing
// imitates the speed of a disk.
package memory
