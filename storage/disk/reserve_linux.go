package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// reserve allocates space for a file without writing it.
func reserve(file *os.File, size int64) error {
	return unix.Fallocate(int(file.Fd()), 0, 0, size)
}
