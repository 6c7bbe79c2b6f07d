package people

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// hasMemoryFiles reports whether there are files in memory that a program can open.
const hasMemoryFiles = true

// memoryFile is a file that is only in memory, and that no one can change. The zero
// memoryFile is none.
type memoryFile struct{ file *os.File }

// newMemoryFile makes a file with a content. The program that is started inherits
// it under the same number, which no file that this process inherited has.
func newMemoryFile(content []byte) (memoryFile, error) {
	fd, err := unix.MemfdCreate("hush", unix.MFD_ALLOW_SEALING|unix.MFD_CLOEXEC|unix.MFD_NOEXEC_SEAL)
	if errors.Is(err, unix.EINVAL) { // before Linux 6.3
		fd, err = unix.MemfdCreate("hush", unix.MFD_ALLOW_SEALING|unix.MFD_CLOEXEC)
	}
	if err != nil {
		return memoryFile{}, fmt.Errorf("making a file in memory: %w", err)
	}
	f := memoryFile{os.NewFile(uintptr(fd), "memory")}
	if err := f.fill(fd, content); err != nil {
		f.close()
		return memoryFile{}, fmt.Errorf("writing a file in memory: %w", err)
	}
	return f, nil
}

// fill writes the content, and seals the file. Programs that look at the mode of a
// key see that it is for its owner only.
func (f memoryFile) fill(fd int, content []byte) error {
	if _, err := f.file.Write(content); err != nil {
		return err
	}
	if err := unix.Fchmod(fd, 0o400); err != nil {
		return err
	}
	const seals = unix.F_SEAL_SEAL | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
		return err
	}
	_, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, 0)
	return err
}

// path is what the program opens.
func (f memoryFile) path() string {
	if f.file == nil {
		return ""
	}
	return "/proc/self/fd/" + strconv.Itoa(int(f.file.Fd()))
}

func (f memoryFile) close() {
	if f.file != nil {
		_ = f.file.Close()
	}
}
