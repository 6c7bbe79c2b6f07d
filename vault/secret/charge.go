package secret

import (
	"hush/vault/claim"
	"hush/vault/quota"
)

// charge returns what the secret counts for, without its receipt.
func (r *Record) charge() quota.Charge {
	return quota.Charge{Owner: r.owner, Network: r.network, Wide: r.wide, Secret: int64(len(r.sealed))}
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

// charge returns what the receipt counts for.
func (r *MetadataRecord) charge() quota.Charge {
	return quota.Charge{Owner: r.Custid, Network: r.network, Wide: r.wide, Receipt: quota.ReceiptSize(len(r.recipients), len(r.sealedMemo))}
}

// ChargeOfReceipt returns what the receipt of a row counts for, or rows.ErrDamaged.
func ChargeOfReceipt(value []byte) (quota.Charge, error) {
	r, err := decodeMetadata(value)
	if err != nil {
		return quota.Charge{}, err
	}
	return r.charge(), nil
}

// claimCharge returns what a claim counts for.
func claimCharge(r *claim.Record) quota.Charge {
	return quota.Charge{Owner: r.Owner, Network: r.Network, Wide: r.Wide, Secret: r.Bytes()}
}
