package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// DataSync makes the file's bytes and length durable, but not its times.
func DataSync(file *os.File) error {
	for {
		// An interrupted sync has not checked for errors yet.
		if err := unix.Fdatasync(int(file.Fd())); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
