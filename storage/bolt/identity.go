package bolt

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"

	"go.etcd.io/bbolt"

	"hush/storage"
	"hush/storage/sharefile"
)

// A copy of a folder has the same rows and shares, so whatever waits there opens once in
// the folder and once in the copy. What a copy does not have is the inode numbers and the
// times of birth of the files. The database has those on record. It does not have the
// number of the device, which can change with each start of the machine and each mount.
//
// A file keeps both when it is renamed or moved within its file system. So a file that
// takes the place of another is recorded before it gets its name.

const (
	// filesKey is the row of the store's own bucket with the record of the files, a
	// filesRecord. It is missing in folders that only earlier releases have opened, and
	// where files have no lasting numbers. No backup has it.
	filesKey = "files"

	filesVersion = 1
	identitySize = 16
)

// identity stands for the inode number and the time of birth of a file. It is a hash, from
// which neither can be read.
type identity [identitySize]byte

// numbers are what a file system says of a file for as long as the file exists.
type numbers struct {
	inode       uint64
	seconds     int64 // of the time of birth
	nanoseconds uint32
}

// facts are what the system says of a file.
type facts struct {
	numbers
	born       bool   // whether the time of birth is known
	fileSystem uint32 // the magic number of its kind
}

func (n numbers) identity(id sharefile.StoreID, name string) identity {
	text := append([]byte("hush file\x00"), id[:]...)
	text = append(append(text, name...), 0)
	text = binary.BigEndian.AppendUint64(text, n.inode)
	text = binary.BigEndian.AppendUint64(text, uint64(n.seconds))
	text = binary.BigEndian.AppendUint32(text, n.nanoseconds)
	sum := sha256.Sum256(text)
	return identity(sum[:identitySize])
}

// filesRecord says which files are those of a folder. It is stored as
//
//	version (1) | identity of hush.db (16) | identity of shares (16)
type filesRecord struct{ database, shares identity }

func (r filesRecord) encode() []byte {
	return append(append([]byte{filesVersion}, r.database[:]...), r.shares[:]...)
}

// decodeFiles returns what encode has made, and false for everything else.
func decodeFiles(raw []byte) (r filesRecord, ok bool) {
	if len(raw) != 1+2*identitySize || raw[0] != filesVersion {
		return r, false
	}
	copy(r.database[:], raw[1:])
	copy(r.shares[:], raw[1+identitySize:])
	return r, true
}

// CopiedError reports that files of a folder are others than those on record: the folder
// is a copy, or a file was put into it.
type CopiedError struct {
	Database, Shares bool // which files are others
	// FileSystem is the name of the file system that the files are on, if it gives
	// them no lasting numbers; those on record were on another one.
	FileSystem string
}

// Error implements error.
func (e *CopiedError) Error() string {
	var others []string
	if e.Database {
		others = append(others, DatabaseName)
	}
	if e.Shares {
		others = append(others, SharesName)
	}
	if e.FileSystem != "" {
		return "the files on record were on another file system than " + e.FileSystem
	}
	return "not the files on record: " + strings.Join(others, ", ")
}

// IsFilesRow reports whether a row is the record of the files, which no two databases
// have in common.
func IsFilesRow(bucket, key []byte) bool {
	return string(bucket) == OwnBucket && string(key) == filesKey
}

// foundFiles is what the file system says of the files of a folder.
type foundFiles struct {
	record filesRecord
	known  bool // otherwise there is no record
	// foreign reports whether the file system gives files no lasting numbers.
	foreign    bool
	fileSystem string // its name
}

// identify identifies two files.
func (f *Folder) identify(id sharefile.StoreID, database, shares string) (found foundFiles) {
	found.known = true
	for _, file := range []struct {
		path, name string
		as         *identity
	}{{database, DatabaseName, &found.record.database}, {shares, SharesName, &found.record.shares}} {
		is, ok := f.factsOf(file.path)
		if !ok {
			return foundFiles{fileSystem: "an unknown one"}
		}
		if lasting := isLasting(is.fileSystem); !is.born || !lasting {
			return foundFiles{foreign: !lasting, fileSystem: fileSystemName(is.fileSystem)}
		}
		*file.as = is.identity(id, file.name)
	}
	return found
}

// factsOf asks the system about a file; ok is false if it does not say.
func (f *Folder) factsOf(path string) (is facts, ok bool) {
	if f.facts != nil {
		return f.facts(path)
	}
	return factsOf(path)
}

// compare returns a CopiedError unless the files are those on record, as far as their file
// system tells.
func (found foundFiles) compare(on filesRecord) error {
	switch {
	case found.foreign:
		return &CopiedError{Database: true, Shares: true, FileSystem: found.fileSystem}
	case !found.known || found.record == on:
		return nil
	}
	return &CopiedError{Database: found.record.database != on.database, Shares: found.record.shares != on.shares}
}

// write records files, or that nothing is known of them.
func (found foundFiles) write(b *bbolt.Bucket) error {
	if !found.known {
		return b.Delete([]byte(filesKey))
	}
	return b.Put([]byte(filesKey), found.record.encode())
}

// readRecord returns the record of the files; ok is false if it is missing, or in a form
// that this release does not know.
func readRecord(btx *bbolt.Tx) (on filesRecord, ok bool) {
	if b := btx.Bucket([]byte(OwnBucket)); b != nil {
		return decodeFiles(b.Get([]byte(filesKey)))
	}
	return on, false
}

// Copied returns a CopiedError if the record of the database of the folder names other
// files than the folder has.
func (f *Folder) Copied(db *bbolt.DB) error {
	id, err := ReadStoreID(db)
	if err != nil {
		return err
	}
	return db.View(func(btx *bbolt.Tx) error {
		on, ok := readRecord(btx)
		if !ok {
			return nil
		}
		return f.identify(id, f.Path(DatabaseName), f.Path(SharesName)).compare(on)
	})
}

// RecordFiles records two new files, by their paths, in a transaction of the database.
func (f *Folder) RecordFiles(btx *bbolt.Tx, id sharefile.StoreID, database, shares string) error {
	return f.identify(id, database, shares).write(btx.Bucket([]byte(OwnBucket)))
}

// RecordOfRenamed returns the record for a new database at path that takes the place of the one that is
// open; nil if its record, or the lack of one, stays as it is: no compaction makes a copy
// one that is served.
func (f *Folder) RecordOfRenamed(db *bbolt.DB, path string) ([]byte, error) {
	id, err := ReadStoreID(db)
	if err != nil {
		return nil, err
	}
	var on filesRecord
	recorded := false
	err = db.View(func(btx *bbolt.Tx) error {
		on, recorded = readRecord(btx)
		return nil
	})
	now := f.identify(id, f.Path(DatabaseName), f.Path(SharesName))
	then := f.identify(id, path, f.Path(SharesName))
	if err != nil || !recorded || !now.known || !then.known || now.record != on {
		return nil, err
	}
	return then.record.encode(), nil
}

// KeepFiles records which files are those of the open folder, if that is not on record:
// from then on a copy of the folder differs. If the folder has moved, its files take the
// place of those on record, whatever these are. A service calls it before it serves. An
// ErrFull leaves the record as it is.
func (f *Folder) KeepFiles(ctx context.Context, moved bool) error {
	f.mu.Lock()
	store := f.store
	f.mu.Unlock()
	if store == nil {
		return errFolderClosed
	}
	id, err := store.ID()
	if err != nil {
		return err
	}
	found := f.identify(id, f.Path(DatabaseName), f.Path(SharesName))
	err = store.UpdateReserved(ctx, func(t storage.Tx) error {
		own, ok := t.(*Tx)
		if !ok {
			return errTxDone // not reached: the store gives no others
		}
		b := own.bolt.Bucket([]byte(OwnBucket))
		before := b.Get([]byte(filesKey))
		switch {
		case before != nil && !moved, before == nil && !found.known, found.known && bytes.Equal(before, found.record.encode()):
			return nil
		}
		own.writes++
		return found.write(b)
	})
	if err != nil {
		return fmt.Errorf("recording the files of the data folder: %w", err)
	}
	return nil
}

// Unrecorded returns the name of the file system of an open folder if it gives files no
// lasting numbers, so that a copy is not told from the folder; otherwise it returns
// nothing.
func (f *Folder) Unrecorded() (fileSystem string) {
	if found := f.identify(sharefile.StoreID{}, f.Path(DatabaseName), f.Path(SharesName)); !found.known {
		return found.fileSystem
	}
	return ""
}
