package datafolder

import (
	"errors"
	"log/slog"

	"hush/server/settings"
	"hush/storage"
	"hush/storage/blobfile"
	"hush/storage/bolt"
	"hush/storage/disk"
)

// Files returns where the parts of files lie. It is nil if the data is not in a folder, or
// if the disk had no room for a folder of files when the data was opened.
func (d *Data) Files() storage.Blobs { return d.files }

// openFiles opens the folder of files in a data folder, and makes it if it is missing. A
// disk that is too full for that does not keep secrets from being opened.
func openFiles(folder *bolt.Folder, s *settings.Settings, fault func(error), log *slog.Logger) (storage.Blobs, func() error, error) {
	files, err := blobfile.Open(folder.Path(FilesName), blobfile.Options{Fault: disk.NewFault(fault), Spare: s.MinFree})
	if errors.Is(err, storage.ErrFull) {
		log.Warn("the disk is full: no files are accepted before a start with more space", "cause", err)
		return nil, func() error { return nil }, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return files, files.Close, nil
}
