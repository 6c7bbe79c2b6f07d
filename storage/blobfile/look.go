package blobfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"hush/storage"
)

// Lens looks at the blobs in the folder that it names, changes nothing, and needs no lock:
// the folder may be in use. The folder may be missing.
type Lens string

var _ storage.BlobViewer = Lens("")

// Look returns the lengths of a blob and of its parts, as Begin was told them. It returns
// storage.ErrNotFound if there is no such blob, and ErrDamaged for a file that Begin has not
// made whole, or that was cut or changed since. Of the parts it reads nothing.
func (l Lens) Look(id storage.BlobID) (size, partSize int64, err error) {
	file, info, err := openPlain(filepath.Join(string(l), id.String()), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, fmt.Errorf("blob %s: %w", id, storage.ErrNotFound)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("looking at a blob: %w", err)
	}
	defer file.Close()
	b := &blob{layout: layout{id: id}, file: file}
	var raw rawHeader
	if _, err := file.ReadAt(raw[:], 0); err != nil {
		return 0, 0, b.cut(err)
	}
	if b.layout, err = decodeLayout(&raw, id); err != nil {
		return 0, 0, err
	}
	if info.Size() != b.fileSize() {
		if err := b.exists(); err != nil {
			return 0, 0, err
		}
		return 0, 0, fmt.Errorf("%w: %s has %d bytes, not %d", ErrDamaged, id, info.Size(), b.fileSize())
	}
	return b.size, b.partSize, nil
}

// Each calls fn for each blob, in any order, also for what an interrupted Begin has left. An
// error of fn ends the walk and is returned.
func (l Lens) Each(fn func(storage.BlobID) error) error {
	err := Walk(string(l), func(id storage.BlobID, _ int64) error { return fn(id) }, func(string) error { return nil })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
