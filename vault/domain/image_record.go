package domain

import (
	"time"

	"hush/vault/refusal"
	"hush/vault/rows"
)

// BucketImage has domain id ‖ kind (1) -> imageRecord.
const BucketImage = "image"

const imageVersion = 1

// ImageKind is the kind of a domain's image. The numbers are stored.
type ImageKind byte

// The kinds of images.
const (
	ImageLogo ImageKind = 1 // for the header of its pages
	ImageIcon ImageKind = 2 // the small one
)

func (k ImageKind) check() error {
	if k != ImageLogo && k != ImageIcon {
		return &refusal.InvalidError{Field: "kind", Text: "must be logo or icon"}
	}
	return nil
}

// Image is an image of at most 512 by 512 pixels.
type Image struct {
	Kind ImageKind
	// Content is a PNG file without metadata; nil if only the domain is shown.
	Content []byte
	// Width and Height are in pixels, Size is the bytes of the file.
	Width, Height int
	Size          int64
	Updated       time.Time
}

// imageRecord is an image of a domain.
//
//	version 1 │ updated 8 │ width 4 │ height 4 │ PNG file (4, bytes)
type imageRecord struct {
	updated       time.Time
	width, height uint32
	content       []byte
}

func (r *imageRecord) fields(c *rows.Codec) {
	c.Version(imageVersion)
	c.Time(&r.updated)
	c.Uint32(&r.width)
	c.Uint32(&r.height)
	c.Sized(&r.content)
}

func (r *imageRecord) encode() []byte {
	return rows.Encode(32+len(r.content), r, (*imageRecord).fields)
}

func decodeImage(data []byte) (*imageRecord, error) {
	r := new(imageRecord)
	return r, rows.Decode(data, r, (*imageRecord).fields)
}

func (r *imageRecord) show(kind ImageKind) Image {
	return Image{
		Kind: kind, Content: r.content, Width: int(r.width), Height: int(r.height),
		Size: int64(len(r.content)), Updated: r.updated,
	}
}

func (r *imageRecord) facts() imageFacts {
	return imageFacts{updated: r.updated, width: r.width, height: r.height, size: uint64(len(r.content))}
}

func imageKey(id domainID, kind ImageKind) []byte { return append(id[:], byte(kind)) }

// imageFacts describes an image without its content; size is 0 if there is
// none.
type imageFacts struct {
	updated       time.Time
	width, height uint32
	size          uint64
}

// fields carries the facts in the record of a domain.
func (f *imageFacts) fields(c *rows.Codec) {
	c.Time(&f.updated)
	c.Uint32(&f.width)
	c.Uint32(&f.height)
	c.Uint64(&f.size)
}

func (f imageFacts) show(kind ImageKind) *Image {
	if f.size == 0 {
		return nil
	}
	return &Image{Kind: kind, Width: int(f.width), Height: int(f.height), Size: int64(f.size), Updated: f.updated}
}
