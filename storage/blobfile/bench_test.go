package blobfile_test

import (
	"path/filepath"
	"testing"

	"hush/storage"
)

// benchPart is the length of a part as a service stores it.
const benchPart = 8<<20 + 28

func BenchmarkPut(b *testing.B) {
	f := mustOpen(b, filepath.Join(b.TempDir(), "files"))
	id, data := storage.NewBlobID(), make([]byte, benchPart)
	if err := f.Begin(b.Context(), id, 8*benchPart, benchPart); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(benchPart)
	for n := int64(0); b.Loop(); n++ {
		if err := f.Put(b.Context(), id, n%8, data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGet(b *testing.B) {
	f := mustOpen(b, filepath.Join(b.TempDir(), "files"))
	id := mustStore(b, f, make([]byte, benchPart))
	b.SetBytes(benchPart)
	for b.Loop() {
		if _, err := f.Get(b.Context(), id, 0, benchPart); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkGetSmall is what opening a file for each call costs.
func BenchmarkGetSmall(b *testing.B) {
	f := mustOpen(b, filepath.Join(b.TempDir(), "files"))
	id := mustStore(b, f, make([]byte, 100))
	for b.Loop() {
		if _, err := f.Get(b.Context(), id, 0, 100); err != nil {
			b.Fatal(err)
		}
	}
}
