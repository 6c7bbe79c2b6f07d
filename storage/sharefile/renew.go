package sharefile

import (
	"os"

	"hush/storage/disk"
)

// renewEnd is how much of the end of the shares file a start writes again: what
// the last growth has added. It must not be all. Each writing leaves another copy
// of living shares in the cells of a flash disk, which destroying them later does
// not reach.
const renewEnd = growth * SlotSize

// Renew writes the header of a shares file and its end again.
func Renew(w disk.Writer, file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	if err := disk.Renew(w, file, 0, min(SlotSize, size)); err != nil {
		return err
	}
	end := max(size-renewEnd, 0)
	return disk.Renew(w, file, end, size-end)
}
