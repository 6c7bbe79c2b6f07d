// Package memory keeps Hush's data in memory, for tests and for measuring what
// a disk costs.
//
// Promise: the same semantics as every other backend, serializable updates and
// consistent snapshots included. Policy: nothing is durable, and nothing is
// made slower or faster to look like a disk.
package memory
