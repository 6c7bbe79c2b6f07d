// Package counter counts what an administrator sees, in the transaction of what it
// counts. It owns the counters in the bucket system.
package counter
