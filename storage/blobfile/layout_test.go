package blobfile

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"hush/storage"
	"hush/testtier/property"
)

// The parts of a blob fill it, none shares a block with another or with the header, and
// the file ends where the last one does.
func TestLayout(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		partSize := rapid.Int64Range(1, 5*blockSize).Draw(t, "part size")
		l, err := newLayout(storage.BlobID{}, rapid.Int64Range(1, 20*partSize).Draw(t, "size"), partSize)
		if err != nil {
			t.Fatalf("newLayout: got %v, want nil", err)
		}
		sum, end := int64(0), int64(blockSize)
		for part := range l.parts() {
			at, length := l.offset(part), l.length(part)
			if at%blockSize != 0 || at < end || length < 1 || length > partSize {
				t.Errorf("part %d of %+v: got %d bytes at %d, want them in blocks of their own from %d on", part, l, length, at, end)
			}
			sum, end = sum+length, at+length
			if err := l.check(part, int(length)); err != nil {
				t.Errorf("check(part %d, %d bytes): got %v, want nil", part, length, err)
			}
		}
		if sum != l.size || l.fileSize() != end {
			t.Errorf("layout %+v: got %d bytes in a file of %d, want %d in %d", l, sum, l.fileSize(), l.size, end)
		}
	})
}

// The largest blobs overflow nothing.
func TestLargestLayouts(t *testing.T) {
	t.Parallel()
	for _, partSize := range []int64{1, blockSize, 8<<20 + 28, sizeMost - 1, sizeMost} {
		l, err := newLayout(storage.BlobID{}, sizeMost, partSize)
		if last := l.parts() - 1; err != nil || l.offset(last) < blockSize || l.length(last) < 1 || l.fileSize() <= sizeMost {
			t.Errorf("newLayout(%d, %d): got the last part at %d and %v, want it in a file of more than %d bytes", int64(sizeMost), partSize, l.offset(last), err, int64(sizeMost))
		}
	}
	for _, size := range [][2]int64{{sizeMost + 1, 1}, {1, sizeMost + 1}} {
		if _, err := newLayout(storage.BlobID{}, size[0], size[1]); !errors.Is(err, errSize) {
			t.Errorf("newLayout(%d, %d): got %v, want %v", size[0], size[1], err, errSize)
		}
	}
}

// A header that is accepted is that of its layout, byte for byte.
func FuzzDecodeLayout(f *testing.F) {
	id := storage.BlobID{1, 2, 3}
	for _, l := range []layout{{id, 1, 1}, {id, 20 << 30, 8<<20 + 28}} {
		raw := l.encode()
		f.Add(raw[:])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var raw rawHeader
		copy(raw[:], data)
		l, err := decodeLayout(&raw, id)
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("decodeLayout(%x): got %v, want %v", raw, err, ErrDamaged)
		}
		if err == nil && l.encode() != raw {
			t.Errorf("decodeLayout(%x): got %+v, whose header is %x", raw, l, l.encode())
		}
	})
}
