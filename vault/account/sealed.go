package account

import (
	"hush/seal"
	"hush/vault/rows"
)

// Sealed returns what this package's buckets have of root keys.
func Sealed() []rows.Sealed {
	return []rows.Sealed{
		{Bucket: BucketAccount, Uses: usesOfAccount, Reseal: resealAccount},
		{Bucket: BucketTicket, Uses: usesOfTicket, Reseal: resealTicket},
	}
}

func usesOfAccount(ring seal.Ring, value []byte, use rows.Use) error {
	r, err := DecodeAccount(value)
	if err != nil {
		return err
	}
	rows.UseSealed(ring, rows.SealedFields, r.address, use)
	rows.UseSealed(ring, rows.SealedFields, r.pendingAddress, use)
	if r.Password != nil && r.Password.Keyed {
		use(rows.SealedPasswords, r.Password.KID)
	}
	return nil
}

func resealAccount(keys *seal.Keys, key, value []byte) ([]byte, error) {
	r, err := DecodeAccount(value)
	if err != nil {
		return nil, err
	}
	address, err := rows.ResealField(keys, fieldAddress, key, &r.address)
	if err != nil {
		return nil, err
	}
	pending, err := rows.ResealField(keys, fieldPendingAddress, key, &r.pendingAddress)
	if err != nil || !address && !pending {
		return nil, err
	}
	return r.Encode(), nil
}

func usesOfTicket(ring seal.Ring, value []byte, use rows.Use) error {
	r, err := decodeTicket(value)
	if err == nil {
		rows.UseSealed(ring, rows.SealedFields, r.address, use)
	}
	return err
}

func resealTicket(keys *seal.Keys, key, value []byte) ([]byte, error) {
	r, err := decodeTicket(value)
	if err != nil {
		return nil, err
	}
	changed, err := rows.ResealField(keys, fieldTicketAddress, key, &r.address)
	if err != nil || !changed {
		return nil, err
	}
	return r.encode(), nil
}
