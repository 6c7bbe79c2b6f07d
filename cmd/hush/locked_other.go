//go:build !linux

package main

// lockedMemory returns memory that nothing locks.
func lockedMemory(size int) (memory []byte, locked bool) { return make([]byte, size), false }
