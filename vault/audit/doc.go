// Package audit is the trail of who changed what, by which nothing can be opened: rows
// that are written in the transaction of the change, read by time, and pruned when they
// are old. It owns the bucket audit, and in the bucket system the numbers of its rows.
package audit
