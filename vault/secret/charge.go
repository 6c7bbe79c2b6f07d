package secret

import (
	"hush/vault/answer"
	"hush/vault/quota"
)

// charge returns what the secret counts for, without its receipt.
func (r *Record) charge() quota.Charge {
	c := quota.Charge{Owner: r.owner, Network: r.network, Wide: r.wide, Secret: int64(len(r.sealed))}
	if r.answer != nil {
		c.Secret += answer.RowBytes
	}
	c.Secret += int64(r.fileSize)
	return c
}

// ChargeOfSecret returns what the secret of a row counts for, without its receipt, or
// rows.ErrDamaged.
func ChargeOfSecret(value []byte) (quota.Charge, error) {
	r, err := decodeSecret(value)
	if err != nil {
		return quota.Charge{}, err
	}
	return r.charge(), nil
}
