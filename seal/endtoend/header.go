package endtoend

import (
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	hushv1 "hush/gen/hush/v1"
	"hush/seal/chunked"
)

// Kind is the kind of a content.
type Kind int

// The kinds of content.
const (
	KindText Kind = iota + 1
	KindFile
)

// Limits of a header.
const (
	fileNameMax  = 255 // characters
	mediaTypeMax = 127 // characters
	headerMax    = 2044
	lengthSize   = 4
	contentMin   = 256 // bytes of the padded content
)

// Header describes a content.
type Header struct {
	Kind Kind
	// FileName is the name of a file, at most 255 characters, without a folder.
	FileName string
	// MediaType is what the sender's device named a file, at most 127 characters.
	// It must not decide how the content is shown.
	MediaType string
	// Size is the length of the content in bytes.
	Size uint64
}

// check reports whether a device may write the header.
func (h Header) check() bool {
	return (h.Kind == KindText || h.Kind == KindFile) && h.Size <= maxSize &&
		IsFileName(h.FileName) && IsClean(h.MediaType, mediaTypeMax)
}

// IsFileName reports whether a device may show the name of a file and save under it: at
// most 255 clean characters, without a folder. The empty name is one.
func IsFileName(name string) bool {
	return IsClean(name, fileNameMax) && !strings.ContainsAny(name, `/\`) && name != "." && name != ".."
}

// IsClean reports whether text is valid, at most longest characters long, and safe to
// show: nothing in it controls a terminal or turns the direction of text.
func IsClean(text string, longest int) bool {
	if !utf8.ValidString(text) || utf8.RuneCountInString(text) > longest {
		return false
	}
	return !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
	})
}

// marshal returns the length of the header and the header.
func (h Header) marshal() ([]byte, error) {
	if !h.check() {
		return nil, ErrHeader
	}
	message := &hushv1.ContentHeader{Kind: hushv1.ContentHeader_Kind(h.Kind), FileName: h.FileName, MediaType: h.MediaType, Size: h.Size}
	bytes, err := proto.MarshalOptions{Deterministic: true}.MarshalAppend(make([]byte, lengthSize), message)
	if err != nil || len(bytes) > lengthSize+headerMax {
		return nil, ErrHeader
	}
	binary.BigEndian.PutUint32(bytes, uint32(len(bytes)-lengthSize))
	return bytes, nil
}

// parseHeader is the inverse of marshal, for the bytes after the length. Fields
// that this version does not know are ignored: the kind says what must be known.
func parseHeader(bytes []byte) (Header, error) {
	var message hushv1.ContentHeader
	if err := proto.Unmarshal(bytes, &message); err != nil {
		return Header{}, ErrHeader
	}
	h := Header{Kind: Kind(message.GetKind()), FileName: message.GetFileName(), MediaType: message.GetMediaType(), Size: message.GetSize()}
	if !h.check() {
		return Header{}, ErrHeader
	}
	return h, nil
}

// Padded returns the length that n bytes are padded to with zeros before they are
// encrypted, so that the length of a message says little: 256 at least.
func Padded(n uint64) uint64 { return max(contentMin, chunked.Padme(n)) }
