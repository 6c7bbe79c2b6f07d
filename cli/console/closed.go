package console

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// IsClosed reports whether a standard stream was closed when the program began: what
// is written to it would be lost without an error. Go puts /dev/null in its place, open
// for reading, too, which a shell does not do where it is asked for that file.
func IsClosed(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok {
		return false
	}
	null, err := os.Stat(os.DevNull)
	if err != nil {
		return false
	}
	info, err := file.Stat()
	if err != nil || !os.SameFile(info, null) {
		return err != nil
	}
	mode, err := unix.FcntlInt(file.Fd(), unix.F_GETFL, 0)
	return err == nil && mode&unix.O_ACCMODE == unix.O_RDWR
}
