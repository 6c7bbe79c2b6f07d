// Package pending keeps the claims of reveals that may have to be repeated, each in
// a file of its own until the server knows that the content arrived. With such a
// file, and with the link that it does not have, a later run gets a content again
// that an earlier one lost: to a cut connection, a full disk or a kill.
package pending

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"hush/client"
)

// ErrBusy says that another process is opening the same secret.
var ErrBusy = errors.New("another run of hush is opening this secret now")

// recordTime is how long a claim is kept, by a clock that may be set by as much in between,
// forward or back. The server keeps the content for client.ClaimTime, by the time that
// it runs, which no other clock tells: a claim that is tried in vain does no harm, and
// one that is missing does.
const recordTime = 24 * time.Hour

// Another process that only looks for old claims has the lock for a moment.
const (
	lockTries = 10
	lockPause = 10 * time.Millisecond
)

// Store is a folder with claims.
type Store struct {
	folder string
	reason error // there is no folder
	now    func() time.Time
}

// NewStore returns the store of a user: the folder hush/claims in the folder for
// states that the environment names. It creates nothing.
func NewStore(environment []string, now func() time.Time) *Store {
	s := &Store{now: now}
	home := variable(environment, "HOME")
	switch state := variable(environment, "XDG_STATE_HOME"); {
	case filepath.IsAbs(state):
		s.folder = filepath.Join(state, "hush", "claims")
	case filepath.IsAbs(home):
		s.folder = filepath.Join(home, ".local", "state", "hush", "claims")
	default:
		s.reason = errors.New("the environment names no home folder")
	}
	return s
}

// variable returns the value of a variable, the last one as everywhere.
func variable(environment []string, name string) (value string) {
	for _, entry := range environment {
		if text, found := strings.CutPrefix(entry, name+"="); found {
			value = text
		}
	}
	return value
}

// Take returns the claim of a secret, for one process at a time: the one that an
// earlier run kept, or a new one. It returns ErrBusy while another process has it.
// Where the folder cannot be used the claim is in memory only, and Persist says why.
// The caller ends it with Release or Remove.
func (s *Store) Take(link client.Link) (*Claim, error) {
	c := &Claim{now: s.now, fingerprint: link.Fingerprint(), claim: client.NewClaim(), path: s.pathOf(link)}
	if c.reason = s.reason; c.reason == nil {
		c.reason = makeFolder(s.folder)
	}
	if c.reason == nil {
		c.file, c.reason = lock(c.path)
	}
	if errors.Is(c.reason, ErrBusy) {
		return nil, c.reason
	}
	if c.file != nil {
		c.read()
	}
	return c, nil
}

// pathOf returns the file of the claim on a secret.
func (s *Store) pathOf(link client.Link) string {
	fingerprint := link.Fingerprint()
	return filepath.Join(s.folder, hex.EncodeToString(fingerprint[:]))
}

// Keeps reports whether an earlier run, or one that is at work, keeps a claim on a secret.
// It takes none.
func (s *Store) Keeps(link client.Link) bool {
	if s.reason != nil {
		return false
	}
	text, err := os.ReadFile(s.pathOf(link))
	return err == nil && s.isOfUse(text)
}

// TakeAnswer is Take for the claim that an earlier run kept on an answer, by its
// AnswerName. It returns nil if there is none, and while another process has it.
func (s *Store) TakeAnswer(name string) *Claim {
	entries, err := os.ReadDir(s.folder)
	if s.reason != nil || err != nil {
		return nil
	}
	for _, entry := range entries {
		path := filepath.Join(s.folder, entry.Name())
		text, err := os.ReadFile(path)
		r, ok := decode(text)
		if err != nil || !ok || r.Answer != name || !namePattern.MatchString(entry.Name()) {
			continue
		}
		c := &Claim{now: s.now, path: path}
		_, _ = hex.Decode(c.fingerprint[:], []byte(entry.Name()))
		if c.file, err = lock(path); err != nil {
			return nil
		}
		if c.read(); !c.found { // another process was faster, or it has lapsed
			c.forget()
			return nil
		}
		return c
	}
	return nil
}

// RescueFolder returns the folder for contents that reached no other place, and makes it
// for its owner only.
func (s *Store) RescueFolder() (string, error) {
	if s.reason != nil {
		return "", s.reason
	}
	folder := filepath.Join(filepath.Dir(s.folder), "rescued")
	return folder, makeFolders(folder)
}

// makeFolder makes a folder for its owner only.
func makeFolder(path string) error {
	if err := makeFolders(path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return os.Chmod(path, 0o700) //nolint:gosec // a folder needs x
}

// makeFolders makes a folder and those above it that are missing, so that a power
// cut does not undo it.
func makeFolders(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	above := filepath.Dir(path)
	if err := makeFolders(above); err != nil {
		return err
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return SyncFolder(above)
}

// lock opens a file of claims, or creates it, and locks it for this process. It
// returns ErrBusy if another process keeps the lock.
func lock(path string) (*os.File, error) {
	for try := 0; ; try++ {
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
		if err != nil {
			return nil, err
		}
		err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil && isStill(file, path) {
			return file, nil
		}
		_ = file.Close()
		switch {
		case err != nil && !errors.Is(err, unix.EWOULDBLOCK):
			return nil, fmt.Errorf("locking %s: %w", path, err)
		case try == lockTries:
			return nil, ErrBusy
		}
		time.Sleep(lockPause)
	}
}

// isStill reports whether a path still names an open file: another process may
// have removed it before this one had the lock.
func isStill(file *os.File, path string) bool {
	opened, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(path)
	return err == nil && os.SameFile(opened, named)
}

var namePattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

// Sweep removes the files of claims that have lapsed, and what a killed process
// left without a claim in it. It finishes or removes the temporary files of killed
// processes, and returns what to tell of that. Claims that another process has taken
// stay, and those of the links, which the caller is about to take.
func (s *Store) Sweep(links ...client.Link) (messages []string) {
	if s.reason != nil {
		return nil
	}
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		return nil // there is no folder yet, or Persist says what is wrong with it
	}
	taken := map[string]bool{}
	for _, link := range links {
		taken[filepath.Base(s.pathOf(link))] = true
	}
	for _, entry := range entries {
		if entry.Type() == fs.FileMode(0) && namePattern.MatchString(entry.Name()) && !taken[entry.Name()] {
			messages = append(messages, s.sweepFile(filepath.Join(s.folder, entry.Name()))...)
		}
	}
	return messages
}

// sweepFile removes a file unless it has a claim of use, and settles its temporary files.
// It looks first, so that it seldom locks what another process wants.
func (s *Store) sweepFile(path string) (messages []string) {
	if text, err := os.ReadFile(path); err != nil || s.isOfUse(text) && !leavesFiles(text) {
		return nil
	}
	file, err := os.OpenFile(path, os.O_RDWR|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil
	}
	defer file.Close()
	if unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil || !isStill(file, path) {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	r, _ := decode(text)
	for _, t := range r.temporaries {
		if !t.isFetched() || !s.isOfUse(text) {
			messages = append(messages, t.settle()...)
		}
	}
	if !s.isOfUse(text) {
		_ = os.Remove(path)
	}
	return messages
}

// leavesFiles reports whether a temporary file is left of what a record notes.
func leavesFiles(text []byte) bool {
	r, _ := decode(text)
	return slices.ContainsFunc(r.temporaries, func(t temporary) bool { return t.isLeft() && !t.isFetched() })
}

// isOfUse reports whether the text of a file has a claim that has not lapsed. One that
// would last for longer was written while the clock was wrong.
func (s *Store) isOfUse(text []byte) bool {
	r, ok := decode(text)
	left := r.Until.Sub(s.now())
	return ok && left > 0 && left <= 2*recordTime
}
