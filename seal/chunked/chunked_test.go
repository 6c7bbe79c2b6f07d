package chunked_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	mathrand "math/rand/v2"
	"runtime"
	"testing"

	"hush/seal/chunked"
)

func newKey(t testing.TB) []byte {
	t.Helper()
	key := make([]byte, chunked.KeySize)
	if _, err := rand.Read(key); err != nil {
		t.Fatal(err)
	}
	return key
}

// Each message has a salt of its own, so equal ones differ when encrypted.
func TestMessagesDiffer(t *testing.T) {
	key := newKey(t)
	first, err := chunked.Seal(key, nil, []byte("otter"))
	second, again := chunked.Seal(key, nil, []byte("otter"))
	if err = errors.Join(err, again); err != nil || bytes.Equal(first[:24], second[:24]) || bytes.Equal(first[24:], second[24:]) {
		t.Errorf("Seal twice: got equal messages or %v, want two that differ", err)
	}
}

// However a message is cut into writes and reads, it is the same.
func TestAnyWritesAndReads(t *testing.T) {
	random := mathrand.New(mathrand.NewPCG(1, 2))
	key := newKey(t)
	for range 50 {
		message := make([]byte, random.IntN(80_000))
		_, _ = rand.Read(message)
		var sealed bytes.Buffer
		w, err := chunked.NewWriter(&sealed, key, []byte("test"))
		if err != nil {
			t.Fatal(err)
		}
		for rest := message; len(rest) > 0; {
			n := min(len(rest), random.IntN(40_000))
			if written, err := w.Write(rest[:n]); written != n || err != nil {
				t.Fatalf("Write of %d bytes: got %d, %v", n, written, err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		r, err := chunked.NewReader(bytes.NewReader(sealed.Bytes()), key, []byte("test"))
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if _, err := io.CopyBuffer(struct{ io.Writer }{&got}, r, make([]byte, 1+random.IntN(20_000))); err != nil || !bytes.Equal(got.Bytes(), message) {
			t.Fatalf("Reader: got %d bytes, %v, want the message of %d", got.Len(), err, len(message))
		}
	}
}

func TestReadAtAnyPlace(t *testing.T) {
	random := mathrand.New(mathrand.NewPCG(3, 4))
	key, message := newKey(t), counted(5*16384+77)
	sealed, err := chunked.Seal(key, nil, message)
	if err != nil {
		t.Fatal(err)
	}
	r, err := chunked.NewReaderAt(bytes.NewReader(sealed), int64(len(sealed)), key, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 500 {
		from, p := random.IntN(len(message)+10), make([]byte, random.IntN(40_000))
		want := message[min(from, len(message)):min(from+len(p), len(message))]
		n, err := r.ReadAt(p, int64(from))
		if !bytes.Equal(p[:n], want) || (n < len(p)) != errors.Is(err, io.EOF) {
			t.Fatalf("ReadAt(%d bytes, %d): got %d bytes, %v, want %d", len(p), from, n, err, len(want))
		}
	}
	if _, err := r.ReadAt(make([]byte, 1), -1); !errors.Is(err, chunked.ErrOffset) {
		t.Errorf("ReadAt(-1): got %v, want %v", err, chunked.ErrOffset)
	}
}

// A message whose writer was not closed has no end, so readers refuse it.
func TestUnclosedMessageIsTruncated(t *testing.T) {
	key := newKey(t)
	for _, size := range []int{0, 1, 16383, 16384, 16385, 3 * 16384} {
		var sealed bytes.Buffer
		w, err := chunked.NewWriter(&sealed, key, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		for name, read := range readers(key, nil, sealed.Bytes()) {
			if _, err := read(); !errors.Is(err, chunked.ErrTruncated) {
				t.Errorf("%s of %d bytes: got %v, want %v", name, size, err, chunked.ErrTruncated)
			}
		}
	}
}

func TestKeysOfAWrongLength(t *testing.T) {
	for _, n := range []int{0, 31, 33} {
		key := make([]byte, n)
		if _, err := chunked.Seal(key, nil, nil); !errors.Is(err, chunked.ErrKey) {
			t.Errorf("Seal with %d bytes: got %v, want %v", n, err, chunked.ErrKey)
		}
		for name, read := range readers(key, nil, make([]byte, 100)) {
			if _, err := read(); !errors.Is(err, chunked.ErrKey) {
				t.Errorf("%s with %d bytes: got %v, want %v", name, n, err, chunked.ErrKey)
			}
		}
	}
}

var errDisk = errors.New("disk")

// after fails once n bytes went through it.
type after struct {
	n    int
	next interface {
		io.Writer
		io.Reader
	}
}

func (a *after) Write(p []byte) (int, error) {
	if a.n -= len(p); a.n < 0 {
		return 0, errDisk
	}
	return a.next.Write(p)
}

func (a *after) Read(p []byte) (int, error) {
	if a.n <= 0 {
		return 0, errDisk
	}
	n, err := a.next.Read(p[:min(len(p), a.n)])
	a.n -= n
	return n, err
}

// The error of what is below comes through, and stays.
func TestErrorsFromBelow(t *testing.T) {
	key, message := newKey(t), counted(40_000)
	for _, n := range []int{0, 55, 56, 16456, 32856} {
		w, err := chunked.NewWriter(&after{n, &bytes.Buffer{}}, key, nil)
		if err == nil {
			_, err = w.Write(message)
		}
		if err == nil {
			err = w.Close()
		}
		if !errors.Is(err, errDisk) {
			t.Errorf("writer that fails after %d bytes: got %v, want %v", n, err, errDisk)
		}
		if w != nil && !errors.Is(w.Close(), errDisk) {
			t.Errorf("Close after the error: got %v, want %v", w.Close(), errDisk)
		}
	}
	sealed, err := chunked.Seal(key, nil, message)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 55, 56, 16456, 32856, len(sealed) - 1} {
		r, err := chunked.NewReader(&after{n, bytes.NewBuffer(bytes.Clone(sealed))}, key, nil)
		if err == nil {
			_, err = io.ReadAll(r)
		}
		if !errors.Is(err, errDisk) {
			t.Errorf("reader that fails after %d bytes: got %v, want %v", n, err, errDisk)
		}
	}
}

func TestClosedWriter(t *testing.T) {
	w, err := chunked.NewWriter(io.Discard, newKey(t), nil)
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte{1}); !errors.Is(err, chunked.ErrClosed) {
		t.Errorf("Write after Close: got %v, want %v", err, chunked.ErrClosed)
	}
	if err := w.Close(); !errors.Is(err, chunked.ErrClosed) {
		t.Errorf("second Close: got %v, want %v", err, chunked.ErrClosed)
	}
}

func TestSizesThatNoMessageHas(t *testing.T) {
	for n, want := range map[int64]error{
		-1: chunked.ErrHeader, 55: chunked.ErrHeader, 56: chunked.ErrTruncated, 71: chunked.ErrTruncated, 72: nil,
		56 + 16399: nil, 56 + 16400: chunked.ErrTruncated, 56 + 16400 + 15: chunked.ErrTruncated, 56 + 16400 + 16: nil,
		chunked.SealedSize(chunked.MaxSize): nil, chunked.SealedSize(chunked.MaxSize + 1): chunked.ErrSize,
	} {
		if _, err := chunked.Size(n); !errors.Is(err, want) {
			t.Errorf("Size(%d): got %v, want %v", n, err, want)
		}
	}
}

// A stream takes the same memory for 256 MiB as for nothing.
func TestStreamsTakeConstantMemory(t *testing.T) {
	key := newKey(t)
	in, out := io.Pipe()
	go func() {
		w, err := chunked.NewWriter(out, key, nil)
		if err == nil {
			_, err = io.CopyN(w, zeros{}, 256<<20)
		}
		if err == nil {
			err = w.Close()
		}
		_ = out.CloseWithError(err)
	}()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := chunked.NewReader(in, key, nil)
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, r)
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; n != 256<<20 || err != nil || allocated > 1<<20 {
		t.Errorf("256 MiB: got %d bytes, %v, and %d bytes allocated, want at most 1 MiB", n, err, allocated)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
