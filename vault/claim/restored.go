package claim

import (
	"time"

	"hush/vault/answer"
	"hush/vault/file"
	"hush/vault/receipt"
	"hush/vault/rows"
)

// Drop ends a claim of a restored store: what was revealed must not be revealed again. The
// receipt says that the claim lapsed at now, and so does the answer if it was on one; damage
// to either keeps nothing from the other. Its share is not restored, and its row in
// BucketDeadline is dropped as well. A claim that cannot be read is deleted.
func Drop(tx *rows.Tx, key []byte, now time.Time) error {
	r, err := rows.Load(tx, BucketClaim, key, decode)
	if err == nil && r.ofAnswer {
		if err := answer.ClaimEnded(tx, r.Answer, false, now); err != nil && !rows.IsDamage(err) {
			return err
		}
	}
	if err == nil && r.ofFile {
		if err := file.Dropped(tx, r.Receipt); err != nil && !rows.IsDamage(err) {
			return err
		}
	}
	if err == nil {
		err = receipt.ClaimEnded(tx, r.Receipt, false, now)
	}
	if err != nil && !rows.IsDamage(err) {
		return err
	}
	return tx.Delete(BucketClaim, key)
}
