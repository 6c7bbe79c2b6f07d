package chunked_test

import (
	"bytes"
	"testing"

	"hush/seal/chunked"
)

// What was encrypted opens, each reader agrees, and a changed byte or a missing
// end is refused.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("otter"), []byte("context"), uint32(3), byte(1))
	f.Add(make([]byte, 16384), []byte{}, uint32(16456), byte(0x80))
	f.Add(make([]byte, 40_000), []byte{0}, uint32(39_999), byte(0))
	f.Fuzz(func(t *testing.T, message, context []byte, at uint32, change byte) {
		key := newKey(t)
		sealed, err := chunked.Seal(key, context, message)
		if err != nil {
			t.Fatal(err)
		}
		for name, read := range readers(key, context, sealed) {
			if got, err := read(); err != nil || !bytes.Equal(got, message) {
				t.Fatalf("%s: got %d bytes, %v, want the message of %d", name, len(got), err, len(message))
			}
		}
		place := int(at) % len(sealed)
		spoiled := bytes.Clone(sealed[:place])
		if change != 0 {
			spoiled = bytes.Clone(sealed)
			spoiled[place] ^= change
		}
		for name, read := range readers(key, context, spoiled) {
			got, err := read()
			if name == "ReaderAt" && err != nil && got == nil || err != nil && bytes.HasPrefix(message, got) {
				continue
			}
			t.Fatalf("%s with byte %d changed by %#x: got %d bytes, %v, want an error after what is good", name, place, change, len(got), err)
		}
	})
}

// What is accepted has the one form that its length has.
func FuzzOpen(f *testing.F) {
	key := bytes.Repeat([]byte{7}, chunked.KeySize)
	sealed, err := chunked.Seal(key, nil, []byte("otter"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sealed)
	f.Add(sealed[:chunked.HeaderSize])
	f.Fuzz(func(t *testing.T, sealed []byte) {
		message, err := chunked.Open(key, nil, sealed)
		if err == nil && chunked.SealedSize(int64(len(message))) != int64(len(sealed)) {
			t.Errorf("Open: got %d bytes of %d, want a length that SealedSize knows", len(message), len(sealed))
		}
	})
}
