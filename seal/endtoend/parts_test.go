package endtoend_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hush/seal/chunked"
	"hush/seal/endtoend"
)

// randomBody returns a body whose parts differ.
func randomBody(size int) []byte {
	body := make([]byte, size)
	source := rand.NewChaCha8([32]byte{byte(size)})
	_, _ = source.Read(body)
	return body
}

func sealedParts(t testing.TB, keys endtoend.Keys, h endtoend.Header, salt chunked.Salt, body []byte, after endtoend.Part) (parts []endtoend.Part) {
	t.Helper()
	s, err := keys.SealParts(h, salt, bytes.NewReader(body), after)
	if err != nil {
		t.Fatalf("SealParts: got %v, want no error", err)
	}
	for {
		if want := after.Number + uint32(min(after.Chunks, 1)) + uint32(len(parts)); s.Number() != want {
			t.Errorf("Number: got %d, want %d", s.Number(), want)
		}
		part, err := s.Next(nil)
		if errors.Is(err, io.EOF) {
			return parts
		}
		if err != nil {
			t.Fatalf("Next: got %v, want no error", err)
		}
		parts = append(parts, part)
	}
}

func joined(parts []endtoend.Part) []byte {
	var content [][]byte
	for _, part := range parts {
		content = append(content, part.Content)
	}
	return slices.Concat(content...)
}

func file(size int) endtoend.Header {
	return endtoend.Header{Kind: endtoend.KindFile, FileName: "disk.img", Size: uint64(size)}
}

// The parts are one content in the format of Seal, and who goes on behind any of them makes
// the same parts.
func TestPartsAreOneContent(t *testing.T) {
	keys := derive(t, "")
	for _, size := range []int{0, 1, 16384 - 18, endtoend.PartSize - 20_000, endtoend.PartSize, 2*endtoend.PartSize + 77} {
		h, body, salt := file(size), randomBody(size), chunked.NewSalt()
		parts := sealedParts(t, keys, h, salt, body, endtoend.Part{})
		whole := joined(parts)
		if want, _ := endtoend.SealedSize(h); int64(len(whole)) != want || endtoend.Parts(uint64(want)) != uint32(len(parts)) {
			t.Errorf("%d bytes: got %d bytes in %d parts, want %d in %d", size, len(whole), len(parts), want, endtoend.Parts(uint64(want)))
		}
		if got, read, err := opened(keys, whole); err != nil || got != h || !bytes.Equal(read, body) {
			t.Errorf("%d bytes: got %v, %d bytes, %v, want the content", size, got, len(read), err)
		}
		for i, part := range parts {
			if want := endtoend.PartLength(uint64(len(whole)), part.Number); len(part.Content) != want {
				t.Errorf("%d bytes: got part %d of %d bytes, want %d", size, i, len(part.Content), want)
			}
			part.Content = nil // is not needed to go on
			rest := sealedParts(t, keys, h, salt, body, part)
			if want := whole[min(len(whole), (i+1)*endtoend.PartSize):]; !bytes.Equal(joined(rest), want) {
				t.Errorf("%d bytes, behind part %d: got other parts than without a break", size, i)
			}
		}
	}
}

// A file that gets shorter under way has no content.
func TestPartsOfAShorterBody(t *testing.T) {
	keys := derive(t, "")
	s, err := keys.SealParts(file(100_000), chunked.NewSalt(), strings.NewReader("short"), endtoend.Part{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := s.Next(nil); !errors.Is(err, endtoend.ErrSize) {
			t.Errorf("Next: got %v, want %v", err, endtoend.ErrSize)
		}
	}
}

// Who has the first bytes of a body reads the others alone.
func TestSkip(t *testing.T) {
	keys := derive(t, "")
	const size = 100_000
	body := randomBody(size)
	for _, h := range []endtoend.Header{file(size), text(size)} {
		content := sealed(t, keys, h, body)
		for _, have := range []int{0, 1, 16000, 16384 - 18, 16384, 16385, 49_152, 99_999, size} {
			c, err := keys.Open(bytes.NewReader(content))
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Skip(uint64(have), func(offset int64) io.Reader { return bytes.NewReader(content[offset:]) }); err != nil {
				t.Errorf("Skip(%d): got %v, want no error", have, err)
			}
			if rest, err := io.ReadAll(c); err != nil || !bytes.Equal(rest, body[have:]) {
				t.Errorf("behind %d: got %d bytes, %v, want the other %d", have, len(rest), err, size-have)
			}
		}
		c, err := keys.Open(bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Skip(size+1, nil); !errors.Is(err, endtoend.ErrSize) {
			t.Errorf("Skip(%d): got %v, want %v", size+1, err, endtoend.ErrSize)
		}
	}
}

func TestKeysAreExposed(t *testing.T) {
	keys := derive(t, "")
	again := endtoend.KeysOf(keys.Expose())
	if again.Proof() != keys.Proof() || again.LinkProof() != keys.LinkProof() || !bytes.Equal(endtoend.ContentKey(again), endtoend.ContentKey(keys)) {
		t.Error("KeysOf: got other keys, want those of Expose")
	}
}
