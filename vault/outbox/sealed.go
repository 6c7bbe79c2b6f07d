package outbox

import (
	"hush/seal"
	"hush/vault/rows"
)

// Sealed returns what this package's buckets have of root keys. A mail is gone
// within mailLifetime, so none is sealed anew.
func Sealed() []rows.Sealed {
	return []rows.Sealed{{Bucket: BucketOutbox, Uses: rows.Uses(decodeMail, func(r *MailRecord, ring seal.Ring, use rows.Use) {
		rows.UseSealed(ring, rows.SealedMails, r.sealed, use)
	})}}
}
