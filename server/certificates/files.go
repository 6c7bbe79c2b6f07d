package certificates

import (
	"context"
	"crypto/tls"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// lookInterval is how often files are looked at.
	lookInterval = 5 * time.Second
	// warnInterval is how often a certificate that soon expires is logged.
	warnInterval = 24 * time.Hour
	// nearExpiry is the time before its end in which a certificate soon expires, or
	// a third of its lifetime if that is less. Tools renew earlier.
	nearExpiry = 14 * 24 * time.Hour
)

// Files is a certificate that an operator keeps in two files. It is safe for
// concurrent use.
type Files struct {
	cert, key Named
	log       *slog.Logger
	now       func() time.Time

	current  atomic.Pointer[tls.Certificate]
	unusable atomic.Bool // the files have changed and cannot be served

	mu     sync.Mutex
	stamp  [2]stamp // of the files when they were last read
	warned time.Time
}

// stamp is the state of a file, or the error of looking at it.
type stamp struct {
	info fs.FileInfo
	err  string
}

// Named is a file and the flag that names it.
type Named struct{ Flag, Path string }

// Pair is a certificate chain and its private key, as they were read from two files.
type Pair struct {
	cert, key Named
	read      tls.Certificate
	stamp     [2]stamp // of the files, from before they were read
}

// ReadPair reads a certificate chain and its private key, both in PEM format. Each file
// is read once, so that it may be a pipe, for which ReadPair waits. Errors have the
// flags.
func ReadPair(cert, key Named) (*Pair, error) {
	p := &Pair{cert: cert, key: key, stamp: [2]stamp{stampOf(cert.Path), stampOf(key.Path)}}
	var err error
	if p.read, err = load(cert, key); err != nil {
		return nil, err
	}
	return p, nil
}

// OpenFiles begins to keep a pair that was read current.
func OpenFiles(pair *Pair, log *slog.Logger, now func() time.Time) *Files {
	f := &Files{cert: pair.cert, key: pair.key, log: log, now: now, stamp: pair.stamp}
	f.current.Store(&pair.read)
	f.warn()
	return f
}

// TLSConfig returns the configuration of a server that uses the certificate. It
// always uses the present one.
func (f *Files) TLSConfig() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return f.current.Load(), nil },
	}
}

// Watch reads the files again when they have changed, until ctx ends. It keeps
// the certificate if the new one is not usable, and logs that once.
func (f *Files) Watch(ctx context.Context) {
	ticker := time.NewTicker(lookInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			f.Refresh()
		}
	}
}

// Refresh reads the files if they have changed.
func (f *Files) Refresh() {
	f.mu.Lock()
	defer f.mu.Unlock()
	defer f.warn()
	seen := f.look()
	if seen[0].same(f.stamp[0]) && seen[1].same(f.stamp[1]) || seen[0].isPipe() || seen[1].isPipe() {
		return
	}
	f.readAgain(seen)
}

// Reload reads the files, whether they have changed or not.
func (f *Files) Reload() {
	f.mu.Lock()
	defer f.mu.Unlock()
	defer f.warn()
	seen := f.look()
	if seen[0].isPipe() || seen[1].isPipe() {
		f.log.Warn("the certificate came from a pipe, which is read only once: restart the service for another one", "file", f.cert.Path)
		return
	}
	f.readAgain(seen)
}

// readAgain reads files that were seen, and logs what became of it.
func (f *Files) readAgain(seen [2]stamp) {
	f.stamp = seen // before they are read: a change from now on is seen next time
	err := f.read()
	f.unusable.Store(err != nil)
	if err != nil {
		f.log.Warn("the changed certificate is not usable; still serving the one before", "file", f.cert.Path, "cause", err)
		return
	}
	f.warned = time.Time{}
	f.log.Info("read the certificate again", "file", f.cert.Path, "expires", f.current.Load().Leaf.NotAfter.UTC())
}

func (f *Files) look() [2]stamp { return [2]stamp{stampOf(f.cert.Path), stampOf(f.key.Path)} }

func stampOf(name string) stamp {
	info, err := os.Stat(name)
	if err != nil {
		return stamp{err: err.Error()}
	}
	return stamp{info: info}
}

// isPipe reports whether a file gives its content only once.
func (s stamp) isPipe() bool { return s.info != nil && s.info.Mode().Type() != 0 }

// same reports whether a file has not changed.
func (s stamp) same(other stamp) bool {
	if s.info == nil || other.info == nil {
		return s == other
	}
	return s.info.ModTime().Equal(other.info.ModTime()) && s.info.Size() == other.info.Size() &&
		s.info.Mode() == other.info.Mode() && os.SameFile(s.info, other.info)
}

// read reads both files. A pair of which only one is new does not fit together.
func (f *Files) read() error {
	pair, err := load(f.cert, f.key)
	if err == nil {
		f.current.Store(&pair)
	}
	return err
}

func load(cert, key Named) (tls.Certificate, error) {
	if info, err := os.Stat(key.Path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o007 != 0 {
		return tls.Certificate{}, fmt.Errorf("every user of this machine may read the private key %s of %s: run chmod 0400 on it", key.Path, key.Flag)
	}
	pair, err := tls.LoadX509KeyPair(cert.Path, key.Path)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("reading the certificate of %s and %s: %w", cert.Flag, key.Flag, err)
	}
	return pair, nil
}

// warn logs once a day that the certificate soon expires, or has.
func (f *Files) warn() {
	leaf, now := f.current.Load().Leaf, f.now()
	expires := leaf.NotAfter
	left := expires.Sub(now)
	if left > min(nearExpiry, expires.Sub(leaf.NotBefore)/3) || now.Sub(f.warned) < warnInterval {
		return
	}
	f.warned = now
	if left <= 0 {
		f.log.Error("the certificate has expired: browsers refuse it", "expired", expires.UTC(), "file", f.cert.Path)
		return
	}
	f.log.Warn("the certificate soon expires", "expires", expires.UTC(), "file", f.cert.Path)
}
