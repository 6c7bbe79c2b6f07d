package domain

import (
	"context"
	"errors"
	"time"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// BucketImage has domain id ‖ kind (1) -> imageRecord.
const BucketImage = "image"

// ImageKind is the kind of a domain's image. The numbers are stored.
type ImageKind byte

// The kinds of images.
const (
	ImageLogo ImageKind = 1 // for the header of its pages
	ImageIcon ImageKind = 2 // the small one
)

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

func (r *imageRecord) encode() []byte {
	w := make(rows.Writer, 0, 32+len(r.content))
	w.Byte(imageVersion)
	w.Time(r.updated)
	w.Uint32(r.width)
	w.Uint32(r.height)
	w.Sized(r.content)
	return w
}

func decodeImage(data []byte) (*imageRecord, error) {
	in := rows.NewReader(data)
	var r imageRecord
	in.Version(imageVersion)
	r.updated, r.width, r.height, r.content = in.Time(), in.Uint32(), in.Uint32(), in.Sized()
	return &r, in.End()
}

func (r *imageRecord) facts() imageFacts {
	return imageFacts{updated: r.updated, width: r.width, height: r.height, size: uint64(len(r.content))}
}

func imageKey(id domainID, kind ImageKind) []byte { return append(id[:], byte(kind)) }

// UpdateDomainLogo stores a PNG, JPEG or GIF file of at most ImageSize as an
// image of a domain of the caller's account. It replaces an earlier one. It
// returns ErrDomainNotFound, ErrInvalid, ErrTooLarge and ErrBusy.
func (ds *Domains) UpdateDomainLogo(ctx context.Context, c caller.Caller, name string, kind ImageKind, content []byte) (Domain, Image, error) {
	if err := kind.check(); err != nil {
		return Domain{}, Image{}, err
	}
	if _, err := ds.seeDomain(ctx, c, name); err != nil {
		return Domain{}, Image{}, err
	}
	if err := ds.store.CheckDiskSpace(); err != nil {
		return Domain{}, Image{}, err
	}
	kept, err := ds.images.convert(ctx, content)
	if err != nil {
		return Domain{}, Image{}, err
	}
	record := &imageRecord{
		updated: ds.clock.Now(), width: uint32(kept.width), height: uint32(kept.height), content: kept.content,
	}
	d, err := ds.changeDomain(ctx, c, name, func(tx storage.Tx, d *ownedDomain) error {
		*d.record.facts(kind) = record.facts()
		return tx.Put(BucketImage, imageKey(d.id(), kind), record.encode())
	})
	if err != nil {
		return Domain{}, Image{}, err
	}
	return d, record.show(kind), nil
}

// GetDomainLogo returns an image of a domain of the caller's account, or
// ErrDomainNotFound, or ErrNotFound if the domain has none.
func (ds *Domains) GetDomainLogo(ctx context.Context, c caller.Caller, name string, kind ImageKind) (Image, error) {
	d, err := ds.seeDomain(ctx, c, name)
	if err != nil {
		return Image{}, err
	}
	return ds.getImage(ctx, d.id(), kind)
}

// DeleteDomainLogo deletes an image of a domain of the caller's account. It
// returns the errors of GetDomainLogo.
func (ds *Domains) DeleteDomainLogo(ctx context.Context, c caller.Caller, name string, kind ImageKind) (Domain, error) {
	if err := kind.check(); err != nil {
		return Domain{}, err
	}
	return ds.changeDomain(ctx, c, name, func(tx storage.Tx, d *ownedDomain) error {
		facts := d.record.facts(kind)
		if facts.size == 0 {
			return refusal.ErrNotFound
		}
		*facts = imageFacts{}
		return tx.Delete(BucketImage, imageKey(d.id(), kind))
	})
}

// GetPublicImage returns an image of a verified domain by the domain's id to
// every caller, or ErrNotFound. Images of unverified domains are visible only
// to their account.
func (ds *Domains) GetPublicImage(ctx context.Context, domainID string, kind ImageKind) (Image, error) {
	id, ok := parseDomainID(domainID)
	if !ok {
		return Image{}, refusal.ErrNotFound
	}
	err := ds.store.View(ctx, func(tx storage.Tx) error {
		owner, name, err := domainByID(tx, domainID)
		if err != nil {
			return err
		}
		holder, err := VerifiedHolder(tx, name)
		if err == nil && holder != owner {
			err = refusal.ErrNotFound
		}
		return err
	})
	if err != nil {
		return Image{}, err
	}
	return ds.getImage(ctx, id, kind)
}

func (ds *Domains) getImage(ctx context.Context, id domainID, kind ImageKind) (Image, error) {
	var record *imageRecord
	err := ds.store.View(ctx, func(tx storage.Tx) error {
		data, err := tx.Get(BucketImage, imageKey(id, kind))
		if errors.Is(err, storage.ErrNotFound) {
			return refusal.ErrNotFound
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
		return &refusal.InvalidError{Field: "kind", Text: "must be logo or icon"}
	}
	return nil
}
