package certificates_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hush/server/certificates"
)

// certFiles are a certificate and its key in a folder.
type certFiles struct{ cert, key string }

func (f certFiles) write(t *testing.T, name string, expires time.Time) {
	t.Helper()
	cert, key := makePair(t, name, expires)
	replaceFile(t, f.cert, cert)
	replaceFile(t, f.key, key)
}

func newCertFiles(t *testing.T) certFiles {
	t.Helper()
	dir := t.TempDir()
	return certFiles{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}
}

// read reads the files as those of --tls-cert and --tls-key.
func (f certFiles) read() (*certificates.Pair, error) {
	return certificates.ReadPair(certificates.Named{Flag: "--tls-cert", Path: f.cert}, certificates.Named{Flag: "--tls-key", Path: f.key})
}

func (f certFiles) open(t *testing.T, log *slog.Logger, now func() time.Time) *certificates.Files {
	t.Helper()
	pair, err := f.read()
	if err != nil {
		t.Fatalf("ReadPair(): got %v, want no error", err)
	}
	return certificates.OpenFiles(pair, log, now)
}

func wantServed(t *testing.T, f *certificates.Files, want string) {
	t.Helper()
	leaf, err := served(t, f.TLSConfig(), "any.example")
	if err != nil || leaf.Subject.CommonName != want {
		t.Fatalf("certificate: got %v and %v, want that of %s", leaf, err, want)
	}
}

// A changed pair is served without a restart. While only one file is new, or one
// is half-written, the pair before stays, and the log says so once.
func TestFilesAreReadAgain(t *testing.T) {
	t.Parallel()
	files, log, now := newCertFiles(t), &testLog{}, time.Now()
	files.write(t, "first", now.Add(80*24*time.Hour))
	f := files.open(t, log.logger(), func() time.Time { return now })
	wantServed(t, f, "first")
	f.Refresh()
	if got := log.String(); got != "" {
		t.Errorf("log before a change: got %s, want none", got)
	}
	cert, key := makePair(t, "second", now.Add(80*24*time.Hour))
	replaceFile(t, files.cert, cert)
	for range 3 {
		f.Refresh()
	}
	wantServed(t, f, "first")
	if got := log.count("not usable"); got != 1 {
		t.Errorf("log of a pair that does not fit: got it %d times, want once", got)
	}
	replaceFile(t, files.key, key[:len(key)/2])
	f.Refresh()
	wantServed(t, f, "first")
	if err := os.Remove(files.key); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		f.Refresh()
	}
	wantServed(t, f, "first")
	if got := log.count("not usable"); got != 3 {
		t.Errorf("log of three changes: got %d lines, want 3:\n%s", got, log)
	}
	replaceFile(t, files.key, key)
	f.Refresh()
	wantServed(t, f, "second")
	if got := log.count("read the certificate again"); got != 1 {
		t.Errorf("log of the new pair: got it %d times, want once", got)
	}
}

// A certificate that soon expires, or has, is logged once a day.
func TestExpiryIsLogged(t *testing.T) {
	t.Parallel()
	files, log, now := newCertFiles(t), &testLog{}, time.Now()
	files.write(t, "first", now.Add(20*24*time.Hour))
	f := files.open(t, log.logger(), func() time.Time { return now })
	pass := func(days int, text string, want int) {
		t.Helper()
		for range days * 24 {
			now = now.Add(time.Hour)
			f.Refresh()
		}
		if got := log.count(text); got != want {
			t.Errorf("log of %q: got it %d times, want %d:\n%s", text, got, want, log)
		}
	}
	pass(5, "soon expires", 0)
	pass(3, "soon expires", 3)
	files.write(t, "second", now.Add(90*24*time.Hour+12*time.Hour))
	pass(5, "soon expires", 3)
	pass(75, "soon expires", 7)
	pass(10, "has expired", 0)
	pass(3, "has expired", 3)
}

// The status is that of the pair that is served, and says while the files hold
// another that is not usable.
func TestStatusOfFiles(t *testing.T) {
	t.Parallel()
	files, now := newCertFiles(t), time.Now()
	first, second := now.Add(20*24*time.Hour).Truncate(time.Second), now.Add(80*24*time.Hour).Truncate(time.Second)
	files.write(t, "first", first)
	f := files.open(t, (&testLog{}).logger(), func() time.Time { return now })
	want := func(ends time.Time, failing int) {
		t.Helper()
		got := f.Status()
		if !got.Ends.Equal(ends) || !got.Begins.Equal(ends.Add(-90*24*time.Hour)) || got.Failing != failing {
			t.Errorf("Status(): got %+v, want the end %s and %d failing", got, ends, failing)
		}
	}
	want(first, 0)
	cert, key := makePair(t, "second", second)
	replaceFile(t, files.cert, cert)
	for range 2 {
		f.Refresh()
		want(first, 1)
	}
	replaceFile(t, files.key, key)
	f.Refresh()
	want(second, 0)
}

func TestReadPairRefuses(t *testing.T) {
	t.Parallel()
	files := newCertFiles(t)
	files.write(t, "first", time.Now().Add(time.Hour))
	public := newCertFiles(t)
	public.write(t, "public", time.Now().Add(time.Hour))
	if err := os.Chmod(public.key, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]certFiles{"none": {}, "the key twice": {files.key, files.key}, "a key that all may read": public} {
		if _, err := f.read(); err == nil {
			t.Errorf("ReadPair(%s): got no error, want one", name)
		}
	}
}

// The files are pipes, as of a secret manager: they give their content once. A look at
// them later neither waits nor ends the service's certificate.
func TestPipedFiles(t *testing.T) {
	t.Parallel()
	cert, key := makePair(t, "piped", time.Now().Add(80*24*time.Hour))
	paths := make([]string, 2)
	for i, text := range [][]byte{cert, key} {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer read.Close()
		if _, err := write.Write(text); err != nil {
			t.Fatal(err)
		}
		write.Close()
		paths[i] = fmt.Sprintf("/dev/fd/%d", read.Fd())
	}
	log := &testLog{}
	f := certFiles{paths[0], paths[1]}.open(t, log.logger(), time.Now)
	f.Refresh()
	wantServed(t, f, "piped")
	if got := log.String(); got != "" {
		t.Errorf("log of Refresh(): got %s, want none", got)
	}
	f.Reload()
	wantServed(t, f, "piped")
	if got := log.count("read only once"); got != 1 {
		t.Errorf("log of Reload(): got it %d times, want once:\n%s", got, log)
	}
}

// An operator asks for it, and the files are read although they look the same.
func TestReload(t *testing.T) {
	t.Parallel()
	files, log := newCertFiles(t), &testLog{}
	files.write(t, "first", time.Now().Add(80*24*time.Hour))
	f := files.open(t, log.logger(), time.Now)
	f.Reload()
	wantServed(t, f, "first")
	if got := log.count("read the certificate again"); got != 1 {
		t.Errorf("log of Reload(): got it %d times, want once:\n%s", got, log)
	}
}
