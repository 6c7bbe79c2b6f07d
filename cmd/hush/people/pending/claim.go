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
	"regexp"
	"syscall"
	"time"

	"hush/client"
)

// Claim is the claim of one secret, which this process has taken. It prints no
// claim, since client.Claim does not.
type Claim struct {
	now         func() time.Time
	path        string
	fingerprint [32]byte
	file        *os.File // locked; nil for a claim in memory only
	reason      error    // why it is in memory only
	claim       client.Claim
	answer      string // the name of the answer that the secret is; empty for none

	temporaries          []temporary // those that earlier runs noted
	have                 fetchedBytes
	haveAt               [2]int64 // where the lines are that have it; zero without
	haveNext             int
	found, hasPassphrase bool
	savedTo              string
	until                time.Time
}

// Claim returns what a reveal sends.
func (c *Claim) Claim() client.Claim { return c.claim }

// Found reports whether an earlier run kept the claim, and may have revealed the
// secret with it.
func (c *Claim) Found() bool { return c.found }

// Saved reports whether an earlier run had passed the content on.
func (c *Claim) Saved() bool { return c.savedTo != "" }

// SavedTo reports whether an earlier run had passed the content on to a place, as
// MarkSaved named it.
func (c *Claim) SavedTo(place string) bool { return c.savedTo == nameOf(place) }

// HasPassphrase reports whether the secret of a claim that was found has a
// passphrase: its server no longer says so.
func (c *Claim) HasPassphrase() bool { return c.hasPassphrase }

// IsPersisted reports whether a later run will find the claim.
func (c *Claim) IsPersisted() bool { return c.file != nil && !c.until.IsZero() }

// record is the first line of a file: a claim, and nothing that opens a secret
// without its link. A line behind it says that the content was passed on, and has
// SHA-256 of where to. Others have the paths of temporary files, and of the file for
// the content once the temporary one has all of it:
//
//	{"claim":"…","fingerprint":"…","until":"2026-11-23T18:04:00Z","passphrase":false}
//	temporary {"file":"/home/me/.hush-open-…"}
//	temporary {"file":"/home/me/.hush-open-…","to":"/home/me/notes.txt"}
//	temporary {"file":"/home/me/.hush-open-…","fetch":{"device":1,"inode":2}}
//	have 00000000000000000000 00000000 00000000
//	have 00000000000008388608 5f3a01c2 9a0b1c2d
//	saved e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
//
// A file that is fetched in parts has two lines that say how many of its bytes are on
// the disk, with the sum of these and of the line. They take turns to be overwritten.
type record struct {
	Claim       string    `json:"claim"`
	Fingerprint string    `json:"fingerprint"`
	Until       time.Time `json:"until"`
	Passphrase  bool      `json:"passphrase"`
	// Answer is what AnswerName returns for an answer to a request.
	Answer string `json:"answer,omitempty"`

	claim       client.Claim
	savedTo     string
	temporaries []temporary
	have        fetchedBytes
	haveOf      fetchedInode
}

var savedPattern = regexp.MustCompile(`^saved ([0-9a-f]{64})$`)

func nameOf(place string) string {
	sum := sha256.Sum256([]byte(place))
	return hex.EncodeToString(sum[:])
}

// decode parses a file. It returns false for one that was not written to its end.
func decode(text []byte) (r record, ok bool) {
	line, rest, ok := bytes.Cut(text, []byte("\n"))
	if !ok || json.Unmarshal(line, &r) != nil {
		return record{}, false
	}
	r.claim, ok = client.ParseClaim(r.Claim)
	lines := bytes.Split(rest, []byte("\n"))
	for _, line := range lines[:len(lines)-1] { // a last one without an end was cut off
		if saved := savedPattern.FindSubmatch(line); saved != nil {
			r.savedTo = string(saved[1])
		}
		if text, found := bytes.CutPrefix(line, []byte("temporary ")); found {
			r.addTemporary(text)
		}
		r.addHave(line)
	}
	return r, ok
}

// maxRecord bounds what is read of a file: paths may be long.
const maxRecord = 64 << 10

// read takes over what an earlier run kept.
func (c *Claim) read() {
	text, err := io.ReadAll(io.LimitReader(c.file, maxRecord))
	if err != nil {
		return
	}
	r, ok := decode(text)
	if !ok || r.Fingerprint != hex.EncodeToString(c.fingerprint[:]) || !c.now().Before(r.Until) {
		return
	}
	c.claim, c.found, c.until, c.hasPassphrase, c.savedTo = r.claim, true, r.Until, r.Passphrase, r.savedTo
	c.temporaries, c.answer, c.have = r.temporaries, r.Answer, r.have
}

// AnswerName returns what names an answer to a request, of its number and the fingerprint
// of the collect link, and reveals neither.
func AnswerName(collect [sha256.Size]byte, number client.AnswerNumber) string {
	return nameOf("hush answer\x00" + string(collect[:]) + string(number[:]))
}

// OfAnswer says which answer to a request the secret is, so that TakeAnswer finds the claim
// once the server has no link of the answer any more. Call it before Persist.
func (c *Claim) OfAnswer(name string) { c.answer = name }

// Persist writes the claim to its file, and returns once a power cut would not undo
// that. Call it before the secret is revealed. It returns why the claim is in
// memory only if it is; the claim can be used all the same.
func (c *Claim) Persist(hasPassphrase bool) error {
	if c.reason != nil {
		return c.reason
	}
	if err := c.write(hasPassphrase); err != nil {
		c.forget()
		c.reason = err
		return err
	}
	return nil
}

// write writes the record in one go, and shortens the file after that, so that a
// kill in between leaves a whole record.
func (c *Claim) write(hasPassphrase bool) error {
	until := c.now().Add(recordTime).UTC().Truncate(time.Second)
	text, err := json.Marshal(record{
		Claim: c.claim.Expose(), Fingerprint: hex.EncodeToString(c.fingerprint[:]), Until: until, Passphrase: hasPassphrase,
		Answer: c.answer,
	})
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if _, err := c.file.WriteAt(text, 0); err != nil {
		return err
	}
	if err := c.file.Truncate(int64(len(text))); err != nil {
		return err
	}
	if err := c.file.Sync(); err != nil {
		return err
	}
	c.until, c.hasPassphrase = until, hasPassphrase
	return SyncFolder(filepath.Dir(c.path))
}

// MarkSaved notes that the content was passed on and where to, so that a later run
// knows what became of it if this one ends before Remove. A claim that lacks the note
// is good all the same.
func (c *Claim) MarkSaved(place string) {
	if c.file == nil || c.Saved() {
		return
	}
	if info, err := c.file.Stat(); err == nil {
		_, _ = c.file.WriteAt([]byte("saved "+nameOf(place)+"\n"), info.Size())
	}
}

// Release lets other processes have the claim. A later run finds it if it was kept.
func (c *Claim) Release() {
	if c.file == nil {
		return
	}
	if c.until.IsZero() {
		c.forget()
		return
	}
	_ = c.file.Close()
	c.file = nil
}

// Remove removes the claim: it was acknowledged, or nothing was revealed with it.
func (c *Claim) Remove() {
	if c.file != nil {
		c.forget()
	}
}

// forget removes the file while it is locked.
func (c *Claim) forget() {
	_ = os.Remove(c.path)
	_ = c.file.Close()
	c.file, c.until = nil, time.Time{}
}

// SyncFolder makes the names in a folder last.
func SyncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	err = folder.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil // this file system syncs no folders
	}
	return err
}
