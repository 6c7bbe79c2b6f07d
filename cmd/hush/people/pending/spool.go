package pending

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"hush/client"
	"hush/seal/chunked"
	"hush/seal/endtoend"
)

// spool is a file with places for encrypted parts, each of which the next part but three
// takes in turn. Each place has
//
//	"hush part 1\n" ‖ salt (24) ‖ number (4) ‖ chunks (8) ‖ length of content (4) ‖
//	    length of rest (4) ‖ CRC-32C of all else (4) ‖ zeros to 4,096 ‖ content ‖ rest
//
// in big-endian numbers. The sum tells a part that is whole from one whose writing was cut
// off, of which nothing was sent. The salt tells it from parts of an upload that began
// anew since. What is here is what the server gets, and nothing secret.
type spool struct {
	file *os.File
	salt chunked.Salt
}

const (
	spoolMagic = "hush part 1\n"
	spoolHead  = 4096
	// sumAt is where the sum stands in the head of a place.
	sumAt = len(spoolMagic) + 24 + 4 + 8 + 4 + 4
	// placeSize is the length of a place.
	placeSize = spoolHead + (endtoend.PartBuffer+spoolHead-1)/spoolHead*spoolHead
)

// errNoSpool says that the encrypted parts of an upload are gone.
var errNoSpool = errors.New("the encrypted parts are gone")

// goneSpool is one that an earlier run had.
type goneSpool struct{}

// Keep implements client.Spool.
func (goneSpool) Keep(client.SealedPart) error { return errNoSpool }

// Kept implements client.Spool.
func (goneSpool) Kept() ([]client.SealedPart, error) { return nil, errNoSpool }

// openSpool opens a spool, or makes one for its owner only, with room for all of it.
func openSpool(path string, salt chunked.Salt) (*spool, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	s := &spool{file: file, salt: salt}
	if err = Allocate(file, placeSize*client.PartsInFlight); err == nil {
		err = SyncFolder(filepath.Dir(path))
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return s, nil
}

func placeOf(number uint32) int64 { return int64(number%client.PartsInFlight) * placeSize }

// head returns the head of the place of a part.
func (s *spool) head(part client.SealedPart) []byte {
	head := append(make([]byte, 0, spoolHead), spoolMagic...)
	head = append(head, s.salt[:]...)
	head = binary.BigEndian.AppendUint32(head, part.Number)
	head = binary.BigEndian.AppendUint64(head, part.Chunks)
	head = binary.BigEndian.AppendUint32(head, uint32(len(part.Content)))
	head = binary.BigEndian.AppendUint32(head, uint32(len(part.Rest)))
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(crc32.Checksum(head, table), table, part.Content)
	head = binary.BigEndian.AppendUint32(head, crc32.Update(sum, table, part.Rest))
	return head[:spoolHead]
}

// Keep implements client.Spool.
func (s *spool) Keep(part client.SealedPart) error {
	at := placeOf(part.Number)
	for _, bytes := range [][]byte{s.head(part), part.Content, part.Rest} {
		if _, err := s.file.WriteAt(bytes, at); err != nil {
			return err
		}
		at += int64(len(bytes))
	}
	return syncData(s.file)
}

// Kept implements client.Spool.
func (s *spool) Kept() (kept []client.SealedPart, err error) {
	for place := range int64(client.PartsInFlight) {
		part, ok, err := s.read(place * placeSize)
		if err != nil {
			return nil, err
		}
		if ok {
			kept = append(kept, part)
		}
	}
	return kept, nil
}

// read reads the part at a place; false for none of this upload that is whole.
func (s *spool) read(at int64) (part client.SealedPart, ok bool, err error) {
	head := make([]byte, spoolHead)
	if _, err := s.file.ReadAt(head, at); errors.Is(err, io.EOF) {
		return part, false, nil
	} else if err != nil {
		return part, false, fmt.Errorf("reading %s: %w", s.file.Name(), err)
	}
	fields := head[len(spoolMagic)+len(s.salt):]
	part.Number, part.Chunks = binary.BigEndian.Uint32(fields), binary.BigEndian.Uint64(fields[4:])
	content, rest := binary.BigEndian.Uint32(fields[12:]), binary.BigEndian.Uint32(fields[16:])
	if content > endtoend.PartSize || rest > chunked.SealedChunkSize {
		return part, false, nil
	}
	memory := make([]byte, content+rest, endtoend.PartBuffer)
	if _, err := s.file.ReadAt(memory, at+spoolHead); errors.Is(err, io.EOF) {
		return part, false, nil
	} else if err != nil {
		return part, false, fmt.Errorf("reading %s: %w", s.file.Name(), err)
	}
	part.Content, part.Rest = memory[:content], memory[content:]
	isWhole := placeOf(part.Number) == at && bytes.Equal(s.head(part)[:sumAt+4], head[:sumAt+4])
	return part, isWhole, nil
}
