package vault

import (
	"context"
	"errors"
	"time"

	"hush/storage"
)

// ImageKind tells a domain's images apart. The numbers are stored.
type ImageKind byte

// The images of a domain.
const (
	ImageLogo ImageKind = 1 // for the head of its pages
	ImageIcon ImageKind = 2 // the small one
)

// Image is a picture of at most 512 by 512 pixels.
type Image struct {
	Kind ImageKind
	// Content is a PNG file of pixels and nothing else; nil where a domain is
	// shown.
	Content []byte
	// Width and Height are pixels, Size the bytes of the file.
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

func (r *imageRecord) encode() []byte {
	w := make(writer, 0, 32+len(r.content))
	w.byte(imageVersion)
	w.time(r.updated)
	w.uint32(r.width)
	w.uint32(r.height)
	w.sized(r.content)
	return w
}

func decodeImage(data []byte) (*imageRecord, error) {
	in := reader{rest: data}
	var r imageRecord
	in.version(imageVersion)
	r.updated, r.width, r.height, r.content = in.time(), in.uint32(), in.uint32(), in.sized()
	return &r, in.end()
}

func (r *imageRecord) facts() imageFacts {
	return imageFacts{updated: r.updated, width: r.width, height: r.height, size: uint64(len(r.content))}
}

func imageKey(id domainID, kind ImageKind) []byte { return append(id[:], byte(kind)) }

// UpdateDomainLogo keeps a PNG, JPEG or GIF file of at most ImageSize as an
// image of a domain of the caller's account, in place of the one it had. It
// returns ErrDomainNotFound, ErrInvalid, ErrTooLarge and ErrBusy.
func (v *Vault) UpdateDomainLogo(ctx context.Context, c Caller, name string, kind ImageKind, content []byte) (Domain, Image, error) {
	if err := kind.check(); err != nil {
		return Domain{}, Image{}, err
	}
	if _, err := v.seeDomain(ctx, c, name); err != nil {
		return Domain{}, Image{}, err
	}
	if err := v.checkRoom(); err != nil {
		return Domain{}, Image{}, err
	}
	kept, err := v.images.convert(ctx, content)
	if err != nil {
		return Domain{}, Image{}, err
	}
	record := &imageRecord{
		updated: v.clock.now(), width: uint32(kept.width), height: uint32(kept.height), content: kept.content,
	}
	d, err := v.changeDomain(ctx, c, name, func(tx storage.Tx, d *ownedDomain) error {
		*d.record.facts(kind) = record.facts()
		return tx.Put(bucketImage, imageKey(d.id(), kind), record.encode())
	})
	if err != nil {
		return Domain{}, Image{}, err
	}
	return d, record.show(kind), nil
}

// GetDomainLogo returns an image of a domain of the caller's account, or
// ErrDomainNotFound, or ErrNotFound if the domain has none.
func (v *Vault) GetDomainLogo(ctx context.Context, c Caller, name string, kind ImageKind) (Image, error) {
	d, err := v.seeDomain(ctx, c, name)
	if err != nil {
		return Image{}, err
	}
	return v.getImage(ctx, d.id(), kind)
}

// DeleteDomainLogo removes an image of a domain of the caller's account. Its
// errors are those of GetDomainLogo.
func (v *Vault) DeleteDomainLogo(ctx context.Context, c Caller, name string, kind ImageKind) (Domain, error) {
	if err := kind.check(); err != nil {
		return Domain{}, err
	}
	return v.changeDomain(ctx, c, name, func(tx storage.Tx, d *ownedDomain) error {
		facts := d.record.facts(kind)
		if facts.size == 0 {
			return ErrNotFound
		}
		*facts = imageFacts{}
		return tx.Delete(bucketImage, imageKey(d.id(), kind))
	})
}

// GetPublicImage returns to anybody an image of a verified domain by the
// domain's id, or ErrNotFound. What an account uploads for a name that it did
// not prove is its own to see.
func (v *Vault) GetPublicImage(ctx context.Context, domainID string, kind ImageKind) (Image, error) {
	id, ok := parseDomainID(domainID)
	if !ok {
		return Image{}, ErrNotFound
	}
	err := v.store.View(ctx, func(tx storage.Tx) error {
		owner, name, err := domainByID(tx, domainID)
		if err != nil {
			return err
		}
		holder, err := verifiedHolder(tx, name)
		if err == nil && holder != owner {
			err = ErrNotFound
		}
		return err
	})
	if err != nil {
		return Image{}, err
	}
	return v.getImage(ctx, id, kind)
}

func (v *Vault) getImage(ctx context.Context, id domainID, kind ImageKind) (Image, error) {
	var record *imageRecord
	err := v.store.View(ctx, func(tx storage.Tx) error {
		data, err := tx.Get(bucketImage, imageKey(id, kind))
		if errors.Is(err, storage.ErrNotFound) {
			return ErrNotFound
		}
		if err != nil {
			return err
		}
		record, err = decodeImage(data)
		return err
	})
	if err != nil {
		return Image{}, err
	}
	return record.show(kind), nil
}

func (r *imageRecord) show(kind ImageKind) Image {
	return Image{
		Kind: kind, Content: r.content, Width: int(r.width), Height: int(r.height),
		Size: int64(len(r.content)), Updated: r.updated,
	}
}

func (k ImageKind) check() error {
	if k != ImageLogo && k != ImageIcon {
		return &InvalidError{Field: "kind", Text: "must be logo or icon"}
	}
	return nil
}
