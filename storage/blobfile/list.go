package blobfile

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"hush/storage"
)

// List implements storage.Blobs. It leaves out what is no blob; see Walk.
func (f *Folder) List(ctx context.Context, fn func(id storage.BlobID, bytes int64) error) error {
	if err := f.admits(ctx); err != nil {
		return err
	}
	return Walk(f.path, func(id storage.BlobID, bytes int64) error {
		if err := f.admits(ctx); err != nil {
			return err
		}
		return fn(id, bytes)
	}, func(string) error { return nil })
}

// admits returns an error if no operation may begin. It holds up no Close, for which the
// methods that fn calls would wait.
func (f *Folder) admits(ctx context.Context) error {
	if err := f.enter(ctx); err != nil {
		return err
	}
	f.running.RUnlock()
	return nil
}

// walkNames is how many names are read at a time.
const walkNames = 256

// Walk calls blob for each blob of a folder, with the bytes that it takes on the disk, and
// other for each name that is none: of a file that has no name of a blob, or of anything
// else but a plain file. What the disk's file system makes is left out. Walk changes
// nothing, and may run while the folder is in use. An error of blob or other ends the walk
// and is returned. Without a folder it returns an fs.ErrNotExist.
func Walk(path string, blob func(id storage.BlobID, bytes int64) error, other func(name string) error) error {
	folder, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("reading the folder of blobs: %w", err)
	}
	defer folder.Close()
	for {
		names, err := folder.Readdirnames(walkNames)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading the folder of blobs: %w", err)
		}
		for _, name := range names {
			if err := visit(path, name, blob, other); err != nil {
				return err
			}
		}
	}
}

func visit(path, name string, blob func(id storage.BlobID, bytes int64) error, other func(name string) error) error {
	if storage.IsOfDisk(name) {
		return nil
	}
	id, ok := parseName(name)
	if !ok {
		return other(name)
	}
	info, err := os.Lstat(filepath.Join(path, name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // it was deleted just then
	case err != nil:
		return fmt.Errorf("looking at a blob: %w", err)
	case !info.Mode().IsRegular():
		return other(name)
	}
	return blob(id, bytesOf(info))
}

// parseName returns the id of a blob from the name of its file.
func parseName(name string) (id storage.BlobID, ok bool) {
	if len(name) != hex.EncodedLen(len(id)) {
		return id, false
	}
	raw, err := hex.DecodeString(name)
	if err != nil {
		return id, false
	}
	id = storage.BlobID(raw)
	return id, id.String() == name // and not in capitals
}
