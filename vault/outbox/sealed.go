package outbox

import (
	"hush/seal"
	"hush/vault/keylist"
)

// Sealed returns what this package's buckets have of root keys. A mail is gone
// within mailLifetime, so none is sealed anew.
func Sealed() []keylist.Sealed {
	return []keylist.Sealed{{Bucket: BucketOutbox, Uses: keylist.Uses(decodeMail, func(r *MailRecord, ring seal.Ring, use keylist.Use) {
		keylist.UseSealed(ring, keylist.SealedMails, r.sealed, use)
	})}}
}
