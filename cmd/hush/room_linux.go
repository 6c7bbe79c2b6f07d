package main

import (
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// roomIn tells whether the disk below folder has more than least bytes free.
// It asks the system once a second at most.
func roomIn(folder string, least int64) func() bool {
	var asked atomic.Int64
	var full atomic.Bool
	return func() bool {
		now := time.Now().UnixNano()
		last := asked.Load()
		if now-last < int64(time.Second) || !asked.CompareAndSwap(last, now) {
			return !full.Load()
		}
		var stat unix.Statfs_t
		if unix.Statfs(folder, &stat) == nil {
			full.Store(stat.Bavail*uint64(stat.Bsize) < uint64(least))
		}
		return !full.Load()
	}
}
