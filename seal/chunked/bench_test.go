package chunked_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"io"
	"testing"

	"hush/seal/chunked"
)

const benchSize = 4 << 20

// BenchmarkRawGCM is the floor: chunks of 16 KiB with a nonce each, nothing else.
func BenchmarkRawGCM(b *testing.B) {
	block, err := aes.NewCipher(newKey(b))
	if err != nil {
		b.Fatal(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		b.Fatal(err)
	}
	message, nonce, sealed := make([]byte, benchSize), make([]byte, 12), make([]byte, 0, 16400)
	b.SetBytes(benchSize)
	for b.Loop() {
		for chunk := message; len(chunk) > 0; chunk = chunk[16384:] {
			nonce[11]++
			aead.Seal(sealed, nonce, chunk[:16384], nil)
		}
	}
}

func BenchmarkWriter(b *testing.B) {
	key, message := newKey(b), make([]byte, benchSize)
	b.SetBytes(benchSize)
	for b.Loop() {
		w, err := chunked.NewWriter(io.Discard, key, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := w.Write(message); err != nil || w.Close() != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReader(b *testing.B) {
	key := newKey(b)
	sealed, err := chunked.Seal(key, nil, make([]byte, benchSize))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(benchSize)
	for b.Loop() {
		r, err := chunked.NewReader(bytes.NewReader(sealed), key, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSeal is a secret of 1 KiB: most of it derives the keys.
func BenchmarkSeal(b *testing.B) {
	key, message := newKey(b), make([]byte, 1024)
	for b.Loop() {
		if _, err := chunked.Seal(key, nil, message); err != nil {
			b.Fatal(err)
		}
	}
}
