package endtoend_test

import (
	"io"
	"runtime"
	"testing"

	"hush/seal/endtoend"
)

// streamSize is that of a content which shows that length makes no difference.
const streamSize = 64 << 20

// A content takes the same memory for 64 MiB as for nothing, on both sides, so that a
// file of any size streams through devices of any.
func TestContentsStream(t *testing.T) {
	keys := derive(t, "")
	h := endtoend.Header{Kind: endtoend.KindFile, FileName: "disk.img", Size: streamSize}
	in, out := io.Pipe()
	go func() { _ = out.CloseWithError(keys.Seal(out, h, io.LimitReader(ones{}, streamSize))) }()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	content, err := keys.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(onesAlone{t}, content)
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; n != streamSize || err != nil || content.Header != h || allocated > 1<<20 {
		t.Errorf("%d bytes: got %d bytes, %v, and %d bytes allocated, want at most 1 MiB", int64(streamSize), n, err, allocated)
	}
}

// ones reads bytes of 1 without end.
type ones struct{}

func (ones) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 1
	}
	return len(p), nil
}

// onesAlone fails the test for another byte than 1.
type onesAlone struct{ t *testing.T }

func (w onesAlone) Write(p []byte) (int, error) {
	for _, b := range p {
		if b != 1 {
			w.t.Fatalf("body: got the byte %#x, want 1", b)
		}
	}
	return len(p), nil
}
