package endtoend

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	hushv1 "hush/gen/hush/v1"
	"hush/seal/chunked"
)

const previewContext = "hush.v1 preview"

// NoteMax is the maximum number of characters of a note.
const NoteMax = 500

// previewMax is the maximum number of bytes of a message hush.v1.Preview: servers take
// 4,096 bytes of what SealPreview returns. That is more than the fields of this version
// can have.
const previewMax = 3964

// Preview is what the recipient of a file sees before opening it. Its sender wrote it, as
// the header: what is opened is as the header says.
type Preview struct {
	Kind Kind
	// FileName is that of the header.
	FileName string
	// Size is the length of the content in bytes, as in the header.
	Size uint64
	// Count is how many files an archive packs; 0 for a file that is no archive.
	Count uint32
	// Note is the sender's note to the recipient; see IsNote. It is shown as quoted plain
	// text, and never as links.
	Note string
}

// check reports whether a device may write the preview.
func (p Preview) check() bool {
	return Header{Kind: p.Kind, FileName: p.FileName, Size: p.Size}.check() && IsNote(p.Note)
}

// IsNote reports whether a device may show the note line by line: at most NoteMax
// characters in lines that end with a line feed and are clean. The empty note is one.
func IsNote(note string) bool {
	if utf8.RuneCountInString(note) > NoteMax {
		return false
	}
	for line := range strings.SplitSeq(note, "\n") {
		if !IsClean(line, NoteMax) {
			return false
		}
	}
	return true
}

// SealPreview encrypts a preview under the secret of a link alone, so that it can be shown
// before a passphrase is known. It returns ErrHeader for a preview that no device writes.
//
//	preview key = HKDF-Expand(base, "preview", 32)
//	Cobblestone-256(preview key, "hush.v1 preview", length (4) ‖ preview ‖ zeros)
//
// The whole has the length Padded(n) for the length n of what comes before the zeros.
func SealPreview(secret LinkSecret, p Preview) ([]byte, error) {
	if !p.check() {
		return nil, ErrHeader
	}
	plain := make([]byte, lengthSize, Padded(lengthSize+previewMax))
	plain, err := proto.MarshalOptions{Deterministic: true}.MarshalAppend(plain, &hushv1.Preview{
		Kind: hushv1.ContentHeader_Kind(p.Kind), FileName: p.FileName, Size: p.Size, Count: p.Count, Note: p.Note,
	})
	if err != nil || len(plain) > lengthSize+previewMax {
		return nil, ErrHeader
	}
	binary.BigEndian.PutUint32(plain, uint32(len(plain)-lengthSize))
	plain = plain[:Padded(uint64(len(plain)))]
	return chunked.Seal(previewKey(secret), []byte(previewContext), plain)
}

// OpenPreview returns the preview within a result of SealPreview with the same secret. It
// returns ErrContent, ErrHeader or ErrSize, and then nothing of it may be shown.
func OpenPreview(secret LinkSecret, sealed []byte) (Preview, error) {
	if len(sealed) > int(chunked.SealedSize(int64(Padded(lengthSize+previewMax)))) {
		return Preview{}, ErrSize
	}
	plain, err := chunked.Open(previewKey(secret), []byte(previewContext), sealed)
	if err != nil {
		return Preview{}, refused(err)
	}
	if len(plain) < lengthSize {
		return Preview{}, ErrSize
	}
	size := binary.BigEndian.Uint32(plain)
	if size > previewMax {
		return Preview{}, ErrHeader
	}
	used := lengthSize + int(size)
	if len(plain) != int(Padded(uint64(used))) || len(bytes.Trim(plain[used:], "\x00")) > 0 {
		return Preview{}, ErrSize
	}
	return parsePreview(plain[lengthSize:used])
}

// parsePreview reads the message of a preview. Fields that this version does not know are
// ignored, as those of headers.
func parsePreview(bytes []byte) (Preview, error) {
	var message hushv1.Preview
	if err := proto.Unmarshal(bytes, &message); err != nil {
		return Preview{}, ErrHeader
	}
	p := Preview{
		Kind: Kind(message.GetKind()), FileName: message.GetFileName(),
		Size: message.GetSize(), Count: message.GetCount(), Note: message.GetNote(),
	}
	if !p.check() {
		return Preview{}, ErrHeader
	}
	return p, nil
}

// previewKey derives the key of a link's preview.
func previewKey(secret LinkSecret) []byte {
	k := secret.bytes()
	return expand(extract(saltBase, k[:]), infoPreview, chunked.KeySize)
}
