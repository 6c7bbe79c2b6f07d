package pending

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// Fetch is a file that an earlier run fetched in parts, and was cut off from.
type Fetch struct {
	// File is the temporary file, and To the one that it is for; empty until File has all
	// of the content.
	File, To string
	// Have is how many bytes of the content File has for sure.
	Have int64

	inode fetchedInode
	sum   uint32
}

// fetchedInode tells a temporary file from others, whatever its name is.
type fetchedInode struct {
	Device uint64 `json:"device"`
	Inode  uint64 `json:"inode"`
}

func inodeOf(info os.FileInfo) (inode fetchedInode) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		inode = fetchedInode{uint64(stat.Dev), uint64(stat.Ino)} //nolint:unconvert // their types differ by system
	}
	return inode
}

// fetchedBytes is how many bytes of a content are on the disk, and their sum.
type fetchedBytes struct {
	bytes int64
	sum   uint32
}

// FetchSum adds bytes to the sum of those before: CRC-32C. It finds what a power cut took
// from a disk that had promised to keep it.
func FetchSum(sum uint32, content []byte) uint32 {
	return crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), content)
}

// encode returns the line of a record.
func (b fetchedBytes) encode() []byte {
	line := fmt.Appendf(nil, "have %020d %08x", b.bytes, b.sum)
	return fmt.Appendf(line, " %08x\n", FetchSum(0, line))
}

// haveLength is the length of such a line.
const haveLength = len("have 00000000000000000000 00000000 00000000\n")

// decodeHave is the inverse of encode, without the line end. It returns false for a line
// that was not written to its end.
func decodeHave(line []byte) (b fetchedBytes, ok bool) {
	if len(line) != haveLength-1 || !bytes.HasPrefix(line, []byte("have ")) {
		return b, false
	}
	n, err := strconv.ParseInt(string(line[5:25]), 10, 64)
	sum, sumErr := hex.DecodeString(string(line[26:34]))
	if err != nil || sumErr != nil || n < 0 {
		return b, false
	}
	b = fetchedBytes{n, uint32(sum[0])<<24 | uint32(sum[1])<<16 | uint32(sum[2])<<8 | uint32(sum[3])}
	return b, bytes.Equal(b.encode()[:haveLength-1], line)
}

// addHave adds what a line says of a file that is fetched.
func (r *record) addHave(line []byte) {
	if bytes.HasPrefix(line, []byte("temporary ")) {
		var t temporary
		if t.decode(line[len("temporary "):]) == nil && t.Fetch != nil && *t.Fetch != r.haveOf {
			r.have, r.haveOf = fetchedBytes{}, *t.Fetch
		}
		return
	}
	if b, ok := decodeHave(line); ok && b.bytes > r.have.bytes {
		r.have = b
	}
}

// NoteFetch notes a temporary file for a content that is fetched in parts, which has so many
// bytes of it, with their sum, before it gets more. It returns once a power cut would not
// undo that. It does nothing for a claim in memory.
func (c *Claim) NoteFetch(file *os.File, have int64, sum uint32) error {
	if !c.IsPersisted() {
		return nil
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	t := temporary{Fetch: new(inodeOf(info))}
	if t.File, err = filepath.Abs(file.Name()); err != nil {
		return err
	}
	line, err := t.encode()
	if err != nil {
		return err
	}
	text := append(append([]byte("temporary "), line...), '\n')
	record, err := c.file.Stat()
	if err != nil {
		return err
	}
	lines := string(fetchedBytes{have, sum}.encode())
	c.haveAt[0] = record.Size() + int64(len(text))
	c.haveAt[1] = c.haveAt[0] + int64(haveLength)
	c.haveNext = 0
	return c.append(string(text) + lines + lines)
}

// NoteHave notes that the first bytes of a content are in the file of NoteFetch, where they
// last, and their sum. It returns once a power cut would not undo that.
func (c *Claim) NoteHave(have int64, sum uint32) error {
	if !c.IsPersisted() || c.haveAt[0] == 0 {
		return nil
	}
	if _, err := c.file.WriteAt(fetchedBytes{have, sum}.encode(), c.haveAt[c.haveNext]); err != nil {
		return err
	}
	c.haveNext = 1 - c.haveNext
	return syncData(c.file)
}

// Fetch returns the file that an earlier run fetched; false for none.
func (c *Claim) Fetch() (Fetch, bool) {
	for i := len(c.temporaries) - 1; i >= 0; i-- {
		if t := c.temporaries[i]; t.Fetch != nil {
			return Fetch{File: t.File, To: t.To, Have: c.have.bytes, inode: *t.Fetch, sum: c.have.sum}, true
		}
	}
	return Fetch{}, false
}

// Is reports whether a path names the very file.
func (f Fetch) Is(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() && inodeOf(info) == f.inode
}

// Verify reports whether a file still has the first Have bytes of the content.
func (f Fetch) Verify(file io.ReaderAt) bool {
	sum, buffer := uint32(0), make([]byte, 1<<20)
	for at := int64(0); at < f.Have; {
		n, err := file.ReadAt(buffer[:min(int64(len(buffer)), f.Have-at)], at)
		if n == 0 && err != nil {
			return false
		}
		sum = FetchSum(sum, buffer[:n])
		at += int64(n)
	}
	return sum == f.sum
}

// Sum returns the sum of the first Have bytes.
func (f Fetch) Sum() uint32 { return f.sum }

// KeepsTemporary reports whether a claim that is of use notes a temporary file: a later run
// goes on with it.
func (s *Store) KeepsTemporary(file string) bool {
	file, err := filepath.Abs(file)
	if s.reason != nil || err != nil {
		return false
	}
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		return false
	}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(s.folder, entry.Name()))
		if err != nil || !s.isOfUse(text) {
			continue
		}
		r, _ := decode(text)
		for _, t := range r.temporaries {
			if t.Fetch != nil && t.File == file {
				return true
			}
		}
	}
	return false
}
