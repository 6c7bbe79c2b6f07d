package pending

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"hush/client"
)

// ErrUploading says that another process is sending the same file.
var ErrUploading = errors.New("another run of hush is sending this file now")

// FileID tells a file from all others, and from itself after a change.
type FileID struct {
	Path     string
	Size     int64
	Modified time.Time
	Device   uint64
	Inode    uint64
}

// FileIDOf returns the identity of an open file with a path.
func FileIDOf(file *os.File, path string) (FileID, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return FileID{}, err
	}
	info, err := file.Stat()
	if err != nil {
		return FileID{}, err
	}
	id := FileID{Path: path, Size: info.Size(), Modified: info.ModTime()}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		id.Device, id.Inode = uint64(stat.Dev), uint64(stat.Ino) //nolint:unconvert // their types differ by system
	}
	return id, nil
}

// IsSame reports whether nothing says that the file changed.
func (f FileID) IsSame(other FileID) bool {
	return f.Path == other.Path && f.Size == other.Size && f.Modified.Equal(other.Modified) && f.Device == other.Device && f.Inode == other.Inode
}

// UploadRecord is what is kept of an upload, so that a later run goes on with it. It is a
// line of a file, and the last whole line counts. It opens the file that is sent, and so
// only its owner may read it:
//
//	{"upload":"…","path":"L2hvbWUv…","size":1,"modified":"…","device":1,"inode":2,"options":"…","receipt":"https://…","restarting":true}
type UploadRecord struct {
	Upload client.Upload
	File   FileID
	// Options are those that the file is shared with, in any form.
	Options string
	// Receipt is the link of the receipt.
	Receipt client.Text
	// Expires is when the link ends.
	Expires time.Time
	// Restarting reports whether the server may still have parts under another salt: then
	// client.Files.RestartFile comes first.
	Restarting bool
}

// uploadLine is an UploadRecord as it is written.
type uploadLine struct {
	Upload     string    `json:"upload"`
	Path       []byte    `json:"path"`
	Size       int64     `json:"size"`
	Modified   time.Time `json:"modified"`
	Device     uint64    `json:"device"`
	Inode      uint64    `json:"inode"`
	Options    string    `json:"options"`
	Receipt    string    `json:"receipt"`
	Expires    time.Time `json:"expires"`
	Restarting bool      `json:"restarting,omitempty"`
}

func (r UploadRecord) encode() ([]byte, error) {
	line, err := json.Marshal(uploadLine{
		Upload: r.Upload.Expose(), Path: []byte(r.File.Path), Size: r.File.Size, Modified: r.File.Modified, Device: r.File.Device,
		Inode: r.File.Inode, Options: r.Options, Receipt: r.Receipt.Expose(), Expires: r.Expires, Restarting: r.Restarting,
	})
	return append(line, '\n'), err
}

// decodeUpload returns the record in the last whole line of a file; false for none.
func decodeUpload(text []byte) (r UploadRecord, ok bool) {
	lines := bytes.Split(text, []byte("\n"))
	for _, one := range lines[:len(lines)-1] { // a last one without an end was cut off
		var line uploadLine
		if json.Unmarshal(one, &line) != nil {
			continue
		}
		upload, whole := client.ParseUpload(line.Upload)
		if !whole {
			continue
		}
		r, ok = UploadRecord{
			Upload: upload, Options: line.Options, Receipt: client.Hide(line.Receipt), Expires: line.Expires, Restarting: line.Restarting,
			File: FileID{Path: string(line.Path), Size: line.Size, Modified: line.Modified, Device: line.Device, Inode: line.Inode},
		}, true
	}
	return r, ok
}

// Upload is what is kept of the upload of one file to one server, which this process has
// taken.
type Upload struct {
	path   string
	file   *os.File // locked; nil where nothing can be kept
	reason error
	record UploadRecord
	found  bool
	// began reports whether an earlier run may have sent parts of the record.
	began bool
	spool *spool
}

// TakeUpload returns what an earlier run kept of the upload of a file to a server, or what
// will be kept of a new one. It returns ErrUploading while another process has it. Where
// nothing can be kept, Keep says why. The caller ends it with Release or Remove.
func (s *Store) TakeUpload(file FileID, server string) (*Upload, error) {
	name := sha256.Sum256([]byte("hush upload\x00" + server + "\x00" + file.Path))
	folder := s.uploads()
	u := &Upload{path: filepath.Join(folder, hex.EncodeToString(name[:]))}
	if u.reason = s.reason; u.reason == nil {
		u.reason = makeFolder(folder)
	}
	if u.reason != nil {
		return u, nil
	}
	s.sweepUploads(folder)
	u.file, u.reason = lock(u.path)
	if errors.Is(u.reason, ErrBusy) {
		return nil, ErrUploading
	}
	if u.file == nil {
		return u, nil
	}
	if text, err := io.ReadAll(io.LimitReader(u.file, maxUpload)); err == nil {
		u.record, u.found = decodeUpload(text)
		u.began = u.found
	}
	return u, nil
}

// maxUpload bounds what is read of a record, in bytes.
const maxUpload = 1 << 20

func (s *Store) uploads() string { return filepath.Join(filepath.Dir(s.folder), "uploads") }

// Found reports whether an earlier run kept an upload, and returns it.
func (u *Upload) Found() (UploadRecord, bool) { return u.record, u.found }

// IsKept reports whether a later run can go on.
func (u *Upload) IsKept() bool { return u.file != nil && u.found }

// Keep writes the record, behind those before it, and returns once a power cut would not
// undo that. A restarted upload is kept before RestartFile is called.
func (u *Upload) Keep(record UploadRecord) error {
	if u.file == nil {
		return u.reason
	}
	line, err := record.encode()
	if err != nil {
		return err
	}
	info, err := u.file.Stat()
	if err != nil {
		return err
	}
	// A line that was cut off must not spoil the next one.
	if _, err := u.file.WriteAt(append([]byte("\n"), line...), info.Size()); err != nil {
		return err
	}
	if err := u.file.Sync(); err != nil {
		return err
	}
	if err := SyncFolder(filepath.Dir(u.path)); err != nil {
		return err
	}
	u.began = u.found && u.began && record.Upload.Facts().Salt == u.record.Upload.Facts().Salt
	u.record, u.found = record, true
	return nil
}

// Spool returns what keeps the encrypted parts of the kept upload, with room for all that
// it will ever have. It returns nil with the reason where there is no such room: a later
// run begins the upload anew then. The Kept of a spool that is gone since an earlier run
// fails: no one knows what that one sent.
func (u *Upload) Spool() (client.Spool, error) {
	if !u.IsKept() {
		return nil, u.reason
	}
	u.closeSpool()
	if _, err := os.Lstat(u.path + spoolSuffix); err != nil && u.began {
		return goneSpool{}, nil
	}
	made, err := openSpool(u.path+spoolSuffix, u.record.Upload.Facts().Salt)
	if err != nil {
		return nil, err
	}
	u.spool = made
	return made, nil
}

const spoolSuffix = ".parts"

func (u *Upload) closeSpool() {
	if u.spool != nil {
		_ = u.spool.file.Close()
		u.spool = nil
	}
}

// Release lets other processes have the upload: a later run goes on with it, if it was kept.
func (u *Upload) Release() {
	switch {
	case u.file == nil:
	case !u.found:
		u.Remove()
	default:
		u.closeSpool()
		_ = u.file.Close()
		u.file = nil
	}
}

// Remove removes all that is kept: the upload is finished, or over.
func (u *Upload) Remove() {
	if u.file == nil {
		return
	}
	u.closeSpool()
	_ = os.Remove(u.path + spoolSuffix)
	_ = os.Remove(u.path)
	_ = u.file.Close()
	u.file, u.found = nil, false
}

// uploadTime is how long an upload is kept to which no run has come back: servers forget one
// to which nothing arrives long before.
const uploadTime = 7 * 24 * time.Hour

// sweepUploads removes what is left of uploads that are over. The clock may be wrong; what
// is lost then is a link that opens nothing yet.
func (s *Store) sweepUploads(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, entry := range entries {
		info, err := entry.Info()
		path := filepath.Join(folder, entry.Name())
		if err != nil || !namePattern.MatchString(entry.Name()) || s.now().Sub(info.ModTime()) < uploadTime {
			continue
		}
		if parts, err := os.Stat(path + spoolSuffix); err == nil && s.now().Sub(parts.ModTime()) < uploadTime {
			continue
		}
		if file, err := lock(path); err == nil {
			(&Upload{path: path, file: file}).Remove()
		}
	}
}
