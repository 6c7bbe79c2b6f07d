//go:build !linux

package main

// roomIn says yes where the free space is not known.
func roomIn(string, int64) func() bool { return nil }
