package pending

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hush/client"
)

// requestTime is how long the file of a collect link is kept: no request takes answers for
// more than 30 days, and no answer waits for more than 7 after it came.
const requestTime = (30 + 7) * 24 * time.Hour

// suffixLength is how many random characters keep the names of such files apart.
const suffixLength = 8

// KeepRequest writes the collect link of a request to a new file for its owner only, and
// returns its path once a power cut would not undo that: with the link a later run
// collects the answers that this one is cut off from. The file has the link alone, and its
// name begins with name. It removes the files of requests that are long forgotten.
func (s *Store) KeepRequest(name string, collect client.Text) (path string, err error) {
	if s.reason != nil {
		return "", s.reason
	}
	folder := s.requests()
	if err := makeFolder(folder); err != nil {
		return "", err
	}
	s.sweepRequests(folder)
	path = filepath.Join(folder, name+"-"+strings.ToLower(rand.Text()[:suffixLength]))
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	if _, err = file.WriteString(collect.Expose() + "\n"); err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = SyncFolder(folder)
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(path))
	}
	return path, nil
}

// requests is the folder of collect links.
func (s *Store) requests() string { return filepath.Join(filepath.Dir(s.folder), "requests") }

// KeptRequest returns the path of an argument that reads a file of KeepRequest, as in
// @/home/me/.local/state/hush/requests/NAME-…; empty for any other.
func (s *Store) KeptRequest(argument string) (path string) {
	path, ok := strings.CutPrefix(argument, "@")
	if !ok || s.reason != nil {
		return ""
	}
	path, err := filepath.Abs(path)
	if err != nil || filepath.Dir(path) != s.requests() {
		return ""
	}
	return path
}

// overMode marks the file of a request that seemed over once.
const overMode = 0o400

// sweepRequests removes the files of requests that no server knows any more. The clock may be
// wrong: a file that seems old is marked, dated now, and removed only when it seems as old
// once more.
func (s *Store) sweepRequests(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || s.now().Sub(info.ModTime()) <= requestTime {
			continue
		}
		path := filepath.Join(folder, entry.Name())
		if info.Mode().Perm() == overMode {
			_ = os.Remove(path)
		} else if os.Chtimes(path, time.Time{}, s.now()) == nil {
			_ = os.Chmod(path, overMode)
		}
	}
}
