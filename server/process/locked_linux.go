package process

import "golang.org/x/sys/unix"

// LockedMemory returns zeroed memory outside Go's heap, which no collection
// copies or frees. It is left out of core files, and locked reports whether it is
// kept from swap, too.
func LockedMemory(size int) (memory []byte, locked bool) {
	memory, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return make([]byte, size), false
	}
	_ = unix.Madvise(memory, unix.MADV_DONTDUMP)
	return memory, unix.Mlock(memory) == nil
}
