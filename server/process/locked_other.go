//go:build !linux

package process

// LockedMemory returns memory that nothing locks.
func LockedMemory(size int) (memory []byte, locked bool) { return make([]byte, size), false }
