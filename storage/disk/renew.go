package disk

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Writer is how a store writes and syncs its files. Tests have one that loses what a
// failed sync was to write.
type Writer interface {
	WriteAt(file *os.File, data []byte, at int64) error
	// Sync makes the file's bytes and length durable.
	Sync(file *os.File) error
}

// System is the system's own Writer.
type System struct{}

// WriteAt implements Writer.
func (System) WriteAt(file *os.File, data []byte, at int64) error {
	_, err := file.WriteAt(data, at)
	return err
}

// Sync implements Writer.
func (System) Sync(file *os.File) error { return DataSync(file) }

// ErrLied reports that a disk has lost what programs still read.
var ErrLied = errors.New("the disk does not hold what it was given, and is too full to be given it again: " +
	"free some space and start again")

// renewBlock is how many bytes Renew reads and writes at a time.
const renewBlock = 1 << 20

// Renew writes a part of a file over itself, so that the next sync makes durable what
// is read there.
//
// A sync alone does not do that. Where one has failed, Linux keeps in memory what it
// could not write and counts it as written: every program reads it, later syncs
// succeed, and the disk does not get it. So a process that begins after another one
// must not rely on what it reads before it has written that itself.
//
// A power cut meanwhile does no harm: each sector holds what it held, or what was
// read, and both may be there without Renew as well.
//
// Only a file system that copies on write needs room for this. If it has none, Renew
// makes the system forget what it has in memory, as far as it does, and returns
// ErrLied if the disk then shows something else.
func Renew(w Writer, file *os.File, at, size int64) error {
	block := make([]byte, min(size, renewBlock))
	for end := at + size; at < end; {
		part := block[:min(end-at, renewBlock)]
		if _, err := file.ReadAt(part, at); err != nil {
			return fmt.Errorf("reading what is to be written again: %w", err)
		}
		err := w.WriteAt(file, part, at)
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
			err = compare(w, file, part, at)
		}
		if err != nil {
			return err
		}
		at += int64(len(part))
	}
	return nil
}

// compare returns ErrLied if the disk is known to hold something else than want.
func compare(w Writer, file *os.File, want []byte, at int64) error {
	if err := w.Sync(file); err != nil { // what is not written yet cannot be forgotten
		return err
	}
	if err := forget(file, at, int64(len(want))); err != nil {
		return err
	}
	got := make([]byte, len(want))
	if _, err := file.ReadAt(got, at); err != nil {
		return fmt.Errorf("reading what the disk holds: %w", err)
	}
	if !bytes.Equal(got, want) {
		return ErrLied
	}
	return nil
}
