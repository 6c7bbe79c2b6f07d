package chunked_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"testing"
	"testing/iotest"

	"hush/seal/chunked"
)

// hexBytes are bytes that a vector has in hexadecimal.
type hexBytes []byte

func (h *hexBytes) UnmarshalText(text []byte) (err error) {
	*h, err = hex.DecodeString(string(text))
	return err
}

// vectors are those of testdata/cobblestone-256.json. They were made with an
// independent implementation, which passes the public vectors of
// c2sp.org/chunked-encryption.
type vectors struct {
	Key, Salt hexBytes
	Valid     []validVector
	Invalid   []invalidVector
}

type validVector struct {
	Name             string
	MessageLength    int
	Message          string
	Context          hexBytes
	CiphertextLength int64
	Header           hexBytes
	LastChunk        hexBytes
	CiphertextSHA256 hexBytes
}

type invalidVector struct {
	Name              string
	Fault             string
	WholeChunksBefore int
	CiphertextLength  int
	CiphertextSHA256  hexBytes
}

func readVectors(t *testing.T) vectors {
	t.Helper()
	content, err := os.ReadFile("testdata/cobblestone-256.json")
	var v vectors
	if err = errors.Join(err, json.Unmarshal(content, &v)); err != nil {
		t.Fatal(err)
	}
	if len(v.Valid) == 0 || len(v.Invalid) == 0 {
		t.Fatalf("vectors: got %d valid and %d invalid ones, want some", len(v.Valid), len(v.Invalid))
	}
	return v
}

// counted returns the SHA-256 of 0, 1, 2 and so on, in a row.
func counted(n int) []byte {
	var message []byte
	for i := uint64(0); len(message) < n; i++ {
		sum := sha256.Sum256(binary.BigEndian.AppendUint64(nil, i))
		message = append(message, sum[:]...)
	}
	return message[:n]
}

func encrypt(t *testing.T, v vectors, context, message []byte) []byte {
	t.Helper()
	var sealed bytes.Buffer
	w, err := chunked.NewWriterWithSalt(&sealed, v.Key, bytes.Clone(v.Salt), context)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(message); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return sealed.Bytes()
}

// readers are the ways to decrypt. Each returns what is good and the fault.
func readers(key, context, sealed []byte) map[string]func() ([]byte, error) {
	stream := func(src io.Reader) ([]byte, error) {
		r, err := chunked.NewReader(src, key, context)
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	}
	return map[string]func() ([]byte, error){
		"Reader":           func() ([]byte, error) { return stream(bytes.NewReader(sealed)) },
		"Reader of halves": func() ([]byte, error) { return stream(iotest.HalfReader(bytes.NewReader(sealed))) },
		"Reader with EOF":  func() ([]byte, error) { return stream(iotest.DataErrReader(bytes.NewReader(sealed))) },
		"Open":             func() ([]byte, error) { return chunked.Open(key, context, sealed) },
		"ReaderAt": func() ([]byte, error) {
			r, err := chunked.NewReaderAt(bytes.NewReader(sealed), int64(len(sealed)), key, context)
			if err != nil {
				return nil, err
			}
			return io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
		},
	}
}

func TestValidVectors(t *testing.T) {
	v := readVectors(t)
	for _, vector := range v.Valid {
		t.Run(vector.Name, func(t *testing.T) {
			message := make([]byte, vector.MessageLength)
			if vector.Message != "zeros" {
				message = counted(vector.MessageLength)
			}
			sealed := encrypt(t, v, vector.Context, message)
			if sum := sha256.Sum256(sealed); !bytes.Equal(sum[:], vector.CiphertextSHA256) {
				t.Errorf("ciphertext: got SHA-256 %x, want %x", sum, []byte(vector.CiphertextSHA256))
			}
			if !bytes.HasPrefix(sealed, vector.Header) {
				t.Errorf("header: got %x, want %x", sealed[:chunked.HeaderSize], []byte(vector.Header))
			}
			if !bytes.HasSuffix(sealed, vector.LastChunk) {
				t.Errorf("last chunk: got another one, want %x", []byte(vector.LastChunk))
			}
			if got := chunked.SealedSize(int64(len(message))); got != vector.CiphertextLength {
				t.Errorf("SealedSize(%d): got %d, want %d", len(message), got, vector.CiphertextLength)
			}
			if got, err := chunked.Size(vector.CiphertextLength); got != int64(len(message)) || err != nil {
				t.Errorf("Size(%d): got %d, %v, want %d", vector.CiphertextLength, got, err, len(message))
			}
			for name, read := range readers(v.Key, vector.Context, sealed) {
				if got, err := read(); err != nil || !bytes.Equal(got, message) {
					t.Errorf("%s: got %d bytes, %v, want the message of %d bytes", name, len(got), err, len(message))
				}
			}
		})
	}
}

// spoiled makes the ciphertext of an invalid vector from the good one.
func spoiled(t *testing.T, v vectors, name string) []byte {
	t.Helper()
	const header, chunk = chunked.HeaderSize, 16400
	good := encrypt(t, v, nil, counted(2*16384+5))
	flip := func(at int) []byte {
		good[at] ^= 1
		return good
	}
	switch name {
	case "flipped salt":
		return flip(3)
	case "flipped commitment":
		return flip(30)
	case "flipped first chunk":
		return flip(header + 4)
	case "flipped second chunk":
		return flip(header + chunk + 9)
	case "flipped last tag":
		return flip(len(good) - 1)
	case "no last chunk":
		return good[:header+2*chunk]
	case "last chunk below a tag":
		return good[:header+2*chunk+15]
	case "cut in the second chunk":
		return good[:header+chunk+100]
	case "header only":
		return good[:header]
	case "55 bytes":
		return good[:55]
	case "nothing":
		return nil
	case "chunks swapped":
		return bytes.Join([][]byte{good[:header], good[header+chunk : header+2*chunk], good[header : header+chunk], good[header+2*chunk:]}, nil)
	case "first chunk twice":
		return bytes.Join([][]byte{good[:header+chunk], good[header : header+chunk], good[header+2*chunk:]}, nil)
	case "trailing byte":
		return append(good, 0)
	case "wrong context":
		return encrypt(t, v, []byte("other"), counted(5))
	}
	t.Fatalf("vector %q: this test does not know how to make it", name)
	return nil
}

func TestInvalidVectors(t *testing.T) {
	v := readVectors(t)
	faults := map[string]error{"header": chunked.ErrHeader, "chunk": chunked.ErrChunk, "truncated": chunked.ErrTruncated}
	for _, vector := range v.Invalid {
		t.Run(vector.Name, func(t *testing.T) {
			sealed := spoiled(t, v, vector.Name)
			if sum := sha256.Sum256(sealed); !bytes.Equal(sum[:], vector.CiphertextSHA256) {
				t.Fatalf("ciphertext: got %d bytes with SHA-256 %x, want %d with %x", len(sealed), sum, vector.CiphertextLength, []byte(vector.CiphertextSHA256))
			}
			good := counted(2*16384 + 5)[:vector.WholeChunksBefore*16384]
			for name, read := range readers(v.Key, nil, sealed) {
				got, err := read()
				if !errors.Is(err, faults[vector.Fault]) {
					t.Errorf("%s: got %v, want %v", name, err, faults[vector.Fault])
				}
				whole := name == "Open" || name == "ReaderAt"
				if !whole && !bytes.Equal(got, good) {
					t.Errorf("%s: got %d bytes before the fault, want the %d good ones", name, len(got), len(good))
				}
				if name == "Open" && got != nil {
					t.Errorf("Open: got %d bytes of a damaged message, want none", len(got))
				}
			}
		})
	}
}
