package admin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"hush/seal"
	"hush/server/certificates"
	"hush/server/datafolder"
	"hush/storage"
	"hush/storage/blobfile"
	"hush/storage/bolt"
	"hush/vault/doctor"
)

// folderFiles examines the files of a data folder.
type folderFiles struct {
	folder  string
	served  bool // a service uses the folder, and makes files that are not complete yet
	found   *doctor.Findings
	owner   uint32 // uid of the folder
	present map[string]bool
}

// newSuffix ends the names of what is not complete.
const newSuffix = ".new"

// examine examines the entries of the folder, and adds what weakens its file system.
func (f *folderFiles) examine(entries []os.DirEntry, warnings []string) error {
	f.present = map[string]bool{}
	info, err := statFile(f.folder)
	if err != nil {
		return err
	}
	f.owner = info.uid
	if info.mode.Perm()&0o077 != 0 {
		f.found.Note(doctor.CodeFolderMode, modeText(f.folder, info))
	}
	for _, e := range entries {
		if err := f.examineFile(e.Name()); err != nil {
			return err
		}
	}
	for _, name := range []string{datafolder.DatabaseName, datafolder.SharesName} {
		if !f.present[name] {
			f.found.Note(doctor.CodeFileMissing, name)
		}
	}
	for _, warning := range warnings {
		f.found.Note(doctor.CodeFileSystem, warning)
	}
	return nil
}

// examineFile examines a file by its name in the folder.
func (f *folderFiles) examineFile(name string) error {
	if storage.IsOfDisk(name) {
		return nil
	}
	f.present[name] = true
	info, err := statFile(filepath.Join(f.folder, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	kind := fs.FileMode(0)
	switch name {
	case datafolder.RootKeyName: // see rootKey
	case datafolder.DatabaseName, datafolder.SharesName, datafolder.BallastName:
	case datafolder.CertificatesName, datafolder.FilesName:
		kind = fs.ModeDir
	case datafolder.SocketName:
		kind = fs.ModeSocket
		f.noteLeftover(name)
	case datafolder.DatabaseName + newSuffix, datafolder.SharesName + newSuffix, datafolder.RootKeyName + newSuffix:
		f.noteLeftover(name)
	default:
		f.found.Note(doctor.CodeFileUnknown, name)
		return nil
	}
	if info.mode.Type() != kind {
		f.found.Note(doctor.CodeFileType, name)
		return nil
	}
	if info.mode.Perm()&0o077 != 0 && name != datafolder.RootKeyName {
		f.found.Note(doctor.CodeFileMode, modeText(name, info))
	}
	if info.uid != f.owner {
		f.found.Note(doctor.CodeFileOwner, fmt.Sprintf("%s belongs to user %d, the folder to user %d", name, info.uid, f.owner))
	}
	if name == datafolder.FilesName {
		return f.files()
	}
	return nil
}

// files looks in the folder of files for what is none.
func (f *folderFiles) files() error {
	return blobfile.Walk(filepath.Join(f.folder, datafolder.FilesName), func(storage.BlobID, int64) error {
		return nil
	}, func(name string) error {
		f.found.Note(doctor.CodeFileUnknown, path.Join(datafolder.FilesName, name))
		return nil
	})
}

// noteLeftover notes a file that a process that was killed left, unless one may use it.
func (f *folderFiles) noteLeftover(name string) {
	if !f.served {
		f.found.Note(doctor.CodeFileLeft, name)
	}
}

// rootKey examines the root key, and returns the keys of it, or nil. One that is
// elsewhere may be readable for a group, which some ways to hand over files need.
func (f *folderFiles) rootKey(ctx context.Context, path string, elsewhere bool) *seal.Keys {
	info, err := statFile(path)
	if errors.Is(err, fs.ErrNotExist) && f.served && !elsewhere {
		f.found.Skipped = append(f.found.Skipped, "the file of the root key, which is not in the data folder: name it with --root-key-file")
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		f.found.Note(doctor.CodeKeyMissing, path)
		return nil
	}
	forbidden := fs.FileMode(0o077)
	if elsewhere {
		forbidden = 0o007
	}
	if err == nil && info.mode.IsRegular() && info.mode.Perm()&forbidden != 0 {
		f.found.Note(doctor.CodeKeyMode, modeText(path, info))
	}
	keys, err := datafolder.ExamineKeys(ctx, path)
	if err != nil {
		f.found.Note(doctor.CodeKeyFormat, err.Error())
		return nil
	}
	f.certificates(keys)
	return keys
}

// certificates examines the folder of certificates.
func (f *folderFiles) certificates(keys *seal.Keys) {
	root := filepath.Join(f.folder, datafolder.CertificatesName)
	if !f.present[datafolder.CertificatesName] {
		return
	}
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if f.served && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		key := path.Clean(filepath.ToSlash(relative))
		if strings.HasSuffix(key, newSuffix) {
			f.noteLeftover(path.Join(datafolder.CertificatesName, key))
			return nil
		}
		content, err := readQuietly(name)
		if f.served && errors.Is(err, fs.ErrNotExist) {
			return nil // it was renewed just then
		}
		if err != nil {
			return err
		}
		if !certificates.Opens(key, content, datafolder.FileOpener(keys)) {
			f.found.Note(doctor.CodeCertificate, path.Join(datafolder.CertificatesName, key))
		}
		return nil
	})
	if err != nil {
		f.found.Note(doctor.CodeCertificate, err.Error())
	}
}

func readQuietly(name string) ([]byte, error) {
	file, err := bolt.OpenQuietly(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// fileInfo is what is known of a file without opening it.
type fileInfo struct {
	mode fs.FileMode
	uid  uint32
}

func statFile(name string) (file fileInfo, err error) {
	var stat unix.Stat_t
	info, err := os.Lstat(name)
	if err != nil {
		return file, err
	}
	if err := unix.Lstat(name, &stat); err != nil {
		return file, &os.PathError{Op: "stat", Path: name, Err: err}
	}
	return fileInfo{info.Mode(), stat.Uid}, nil
}

func modeText(name string, info fileInfo) string {
	return fmt.Sprintf("%s has mode %04o", name, info.mode.Perm())
}
