package domain

import (
	"context"

	"hush/vault/caller"
	"hush/vault/rows"
)

// UpdateDomainBrand changes a domain's branding. It deletes the fields named in
// unset, such as primary_color, and then sets those fields of change that are
// not nil. It returns ErrDomainNotFound and ErrInvalid.
func (ds *Domains) UpdateDomainBrand(ctx context.Context, c caller.Caller, name string, change Brand, unset []string) (Domain, error) {
	var clean Brand
	if err := clean.unset(unset); err != nil {
		return Domain{}, err
	}
	if err := clean.set(change); err != nil {
		return Domain{}, err
	}
	if err := ds.store.CheckDiskSpace(); err != nil {
		return Domain{}, err
	}
	return ds.changeDomain(ctx, c, name, func(_ *rows.Tx, d *ownedDomain) error {
		if err := d.record.brand.unset(unset); err != nil {
			return err
		}
		return d.record.brand.set(clean)
	})
}

// GetPublicBrand returns the branding of a verified domain to every caller: id,
// names, brand, and whether there are images. It returns ErrNotFound for a name
// that is not verified.
func (ds *Domains) GetPublicBrand(ctx context.Context, name string) (Domain, error) {
	d, err := ds.verifiedDomain(ctx, name)
	if err != nil {
		return Domain{}, err
	}
	whole := d.show("")
	return Domain{
		ID: whole.ID, Name: whole.Name, Base: whole.Base, Subdomain: whole.Subdomain, TRD: whole.TRD,
		TLD: whole.TLD, SLD: whole.SLD, Apex: whole.Apex, State: whole.State, Brand: whole.Brand,
		Logo: whole.Logo, Icon: whole.Icon,
	}, nil
}
