package vaulttest

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/seal"
	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/postgres/postgrestest"
)

// FlipShare changes one bit of the share in its store, and undo changes it back.
func FlipShare(t testing.TB, k *Kit, slot storage.Slot) (undo func()) {
	t.Helper()
	flip := func() { flipInFolder(t, k.Dir, slot) }
	switch {
	case k.schema != "":
		flip = func() {
			err := postgrestest.FlipShare(t.Context(), postgrestest.Shared(), k.schema, slot.Number)
			Want(t, "FlipShare()", err, nil)
		}
	case k.memory != nil:
		flip = func() { k.memory.shares.Flip(slot) }
	}
	flip()
	return flip
}

func flipInFolder(t testing.TB, dir string, slot storage.Slot) {
	t.Helper()
	path := filepath.Join(dir, "shares")
	content, err := os.ReadFile(path)
	Want(t, "ReadFile(shares)", err, nil)
	share, err := os.OpenFile(path, os.O_WRONLY, 0)
	Want(t, "OpenFile(shares)", err, nil)
	defer share.Close()
	at := int64(slot.Number) * 64
	_, err = share.WriteAt([]byte{content[at] ^ 1}, at)
	Want(t, "WriteAt(shares)", err, nil)
}

// WantShareGone fails the test if a share's bytes are stored anywhere.
func WantShareGone(t testing.TB, k *Kit, share [storage.ShareSize]byte) {
	t.Helper()
	Want(t, "share is stored", k.Holds(t, share[:]), false)
}

// Holds reports whether data is stored anywhere.
func (k *Kit) Holds(t testing.TB, data []byte) bool {
	t.Helper()
	return bytes.Contains(k.Stored(t), data)
}

// Stored returns everything that is stored: the bytes of all files, or in memory
// and on PostgreSQL those of all rows, as in a logical backup. The kit may be closed.
func (k *Kit) Stored(t testing.TB) []byte {
	t.Helper()
	switch {
	case k.memory != nil:
		return append(k.memory.store.Dump(), k.memory.shares.Dump()...)
	case k.schema == "":
		return FolderBytes(t, k.Dir)
	}
	content, err := postgrestest.Dump(t.Context(), postgrestest.Shared(), k.schema)
	Want(t, "Dump(schema)", err, nil)
	return content
}

// LastingDir returns a folder of the test on a file system that gives files lasting
// numbers, so that copies of a data folder are told.
func LastingDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if isLasting(t, dir) {
		return dir
	}
	dir, err := os.MkdirTemp("/dev/shm", "hush-test-") //nolint:usetesting // t.TempDir is on the other file system
	if err == nil {
		t.Cleanup(func() { Want(t, "RemoveAll()", os.RemoveAll(dir), nil) })
	}
	if err != nil || !isLasting(t, dir) {
		t.Skip("needs a file system with lasting numbers: not mounted")
	}
	return dir
}

func isLasting(t testing.TB, dir string) bool {
	t.Helper()
	folder, err := bolt.OpenFolder(filepath.Join(dir, "probe"))
	if err == nil {
		_, _, err = folder.Open(bolt.Options{Small: true})
	}
	Want(t, "opening a folder", err, nil)
	lasting := folder.Unrecorded() == ""
	Want(t, "removing a folder", errors.Join(folder.Close(), os.RemoveAll(filepath.Join(dir, "probe"))), nil)
	return lasting
}

// FolderBytes returns the contents of the files in dir and below, one after the other.
func FolderBytes(t testing.TB, dir string) (content []byte) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		content = append(append(content, data...), 0)
		return err
	})
	Want(t, "WalkDir(data folder)", err, nil)
	return content
}

// ShareOf returns a live secret's share as it is stored. It fails the test if it
// cannot be found there.
func ShareOf(t testing.TB, k *Kit, key seal.Token) [storage.ShareSize]byte {
	t.Helper()
	share, err := k.Shares.Get(t.Context(), SlotOf(t, k, key))
	Want(t, "Get(share of a live secret)", err, nil)
	Want(t, "share is stored", k.Holds(t, share[:]), true)
	return share
}

// What tests conceal and look for afterwards in files and logs.
const (
	Plaintext  = "plaintext-canary-7f3a"
	Passphrase = "passphrase-canary-91be"
)

// Spellings returns the forms in which s may stand in a file or a log.
func Spellings(s string) []string {
	return []string{
		s, hex.EncodeToString([]byte(s)), strings.ToUpper(hex.EncodeToString([]byte(s))),
		base64.StdEncoding.EncodeToString([]byte(s))[:len(s)], base64.URLEncoding.EncodeToString([]byte(s))[:len(s)],
	}
}
