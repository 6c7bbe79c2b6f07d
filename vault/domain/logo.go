package domain

import (
	"context"

	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

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
	d, err := ds.changeDomain(ctx, c, name, func(tx *rows.Tx, d *ownedDomain) error {
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
	return ds.changeDomain(ctx, c, name, func(tx *rows.Tx, d *ownedDomain) error {
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
	err := ds.store.View(ctx, func(tx *rows.Tx) error {
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
	err := ds.store.View(ctx, func(tx *rows.Tx) (err error) {
		record, err = rows.Load(tx, BucketImage, imageKey(id, kind), decodeImage)
		return err
	})
	if err != nil {
		return Image{}, err
	}
	return record.show(kind), nil
}
