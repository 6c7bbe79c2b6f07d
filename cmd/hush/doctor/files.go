package doctor

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

	"hush/certificates"
	"hush/cmd/hush/data"
	"hush/seal"
	"hush/storage"
	"hush/storage/bolt"
	"hush/vault/doctor"
)

// files examines the files of a data folder.
type files struct {
	folder string
	found  *doctor.Findings
	owner  uint32 // uid of the folder
	there  map[string]bool
}

// newSuffix ends the names of what is not complete.
const newSuffix = ".new"

func (f *files) examine(folder *bolt.Inspection) error {
	f.there = map[string]bool{}
	facts, err := factsOf(f.folder)
	if err != nil {
		return err
	}
	f.owner = facts.uid
	if facts.mode.Perm()&0o077 != 0 {
		f.found.Note(doctor.CodeFolderMode, modeText(f.folder, facts))
	}
	entries, err := folder.Files()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := f.file(e.Name()); err != nil {
			return err
		}
	}
	for _, name := range []string{data.DatabaseName, data.SharesName} {
		if !f.there[name] {
			f.found.Note(doctor.CodeFileMissing, name)
		}
	}
	for _, warning := range folder.Warnings() {
		f.found.Note(doctor.CodeFileSystem, warning)
	}
	return nil
}

// file examines a file by its name in the folder.
func (f *files) file(name string) error {
	if storage.IsOfDisk(name) {
		return nil
	}
	f.there[name] = true
	facts, err := factsOf(filepath.Join(f.folder, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	kind := fs.FileMode(0)
	switch name {
	case data.RootKeyName: // see rootKey
	case data.DatabaseName, data.SharesName, data.BallastName:
	case data.CertificatesName:
		kind = fs.ModeDir
	case data.SocketName:
		kind = fs.ModeSocket
		f.found.Note(doctor.CodeFileLeft, name)
	case data.DatabaseName + newSuffix, data.SharesName + newSuffix, data.RootKeyName + newSuffix:
		f.found.Note(doctor.CodeFileLeft, name)
	default:
		f.found.Note(doctor.CodeFileUnknown, name)
		return nil
	}
	if facts.mode.Type() != kind {
		f.found.Note(doctor.CodeFileType, name)
		return nil
	}
	if facts.mode.Perm()&0o077 != 0 && name != data.RootKeyName {
		f.found.Note(doctor.CodeFileMode, modeText(name, facts))
	}
	if facts.uid != f.owner {
		f.found.Note(doctor.CodeFileOwner, fmt.Sprintf("%s belongs to user %d, the folder to user %d", name, facts.uid, f.owner))
	}
	return nil
}

// rootKey examines the root key, and returns the keys of it, or nil. One that is
// elsewhere may be readable for a group, which some ways to hand over files need.
func (f *files) rootKey(ctx context.Context, path string, elsewhere bool) *seal.Keys {
	facts, err := factsOf(path)
	if errors.Is(err, fs.ErrNotExist) {
		f.found.Note(doctor.CodeKeyMissing, path)
		return nil
	}
	others := fs.FileMode(0o077)
	if elsewhere {
		others = 0o007
	}
	if err == nil && facts.mode.IsRegular() && facts.mode.Perm()&others != 0 {
		f.found.Note(doctor.CodeKeyMode, modeText(path, facts))
	}
	keys, err := data.ExamineKeys(ctx, path)
	if err != nil {
		f.found.Note(doctor.CodeKeyFormat, err.Error())
		return nil
	}
	f.certificates(keys)
	return keys
}

// certificates examines the folder of certificates.
func (f *files) certificates(keys *seal.Keys) {
	root := filepath.Join(f.folder, data.CertificatesName)
	if !f.there[data.CertificatesName] {
		return
	}
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		key := path.Clean(filepath.ToSlash(relative))
		if strings.HasSuffix(key, newSuffix) {
			f.found.Note(doctor.CodeFileLeft, path.Join(data.CertificatesName, key))
			return nil
		}
		content, err := readQuietly(name)
		if err != nil {
			return err
		}
		if !certificates.Opens(key, content, data.FileOpener(keys)) {
			f.found.Note(doctor.CodeCertificate, path.Join(data.CertificatesName, key))
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

// fileFacts is what is known of a file without opening it.
type fileFacts struct {
	mode fs.FileMode
	uid  uint32
}

func factsOf(name string) (facts fileFacts, err error) {
	var stat unix.Stat_t
	info, err := os.Lstat(name)
	if err != nil {
		return facts, err
	}
	if err := unix.Lstat(name, &stat); err != nil {
		return facts, &os.PathError{Op: "stat", Path: name, Err: err}
	}
	return fileFacts{info.Mode(), stat.Uid}, nil
}

func modeText(name string, facts fileFacts) string {
	return fmt.Sprintf("%s has mode %04o", name, facts.mode.Perm())
}
