package transfer

import (
	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/budget"
	"hush/vault/challenge"
	"hush/vault/claim"
	"hush/vault/cluster"
	"hush/vault/credential"
	"hush/vault/domain"
	"hush/vault/feedback"
	"hush/vault/outbox"
	"hush/vault/password"
	"hush/vault/place"
	"hush/vault/quota"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/shares"
	"hush/vault/spent"
	"hush/vault/sweep"
	"hush/vault/ticket"
)

// copied returns the buckets that are copied row by row, in their order. The
// order is stored, by the name of the bucket that is being copied. Mails, claims and
// secrets come last: with them come the shares.
func copied() (all []shares.Holding) {
	for _, list := range [][]rows.Bucket{
		audit.Buckets(), sweep.Buckets(), account.Buckets(), ticket.Buckets(), password.Buckets(), budget.Buckets(), challenge.Buckets(), credential.Buckets(), domain.Buckets(),
		feedback.Buckets(), place.Buckets(), outbox.Buckets(), claim.Buckets(), secret.Buckets(),
	} {
		for _, b := range list {
			all = append(all, shares.Holding{Bucket: b})
		}
	}
	return append(all, outbox.Holding(), claim.Holding(), secret.Holding())
}

// left returns the buckets whose rows belong to the processes that serve a
// store, or to its shares, or follow from what is copied.
func left() []string {
	return append(spent.Buckets(), cluster.BucketNode, shares.BucketShred, shares.BucketEpoch, quota.BucketUsage)
}

// Buckets returns the names of all buckets that a copy knows.
func Buckets() []string {
	names := append(left(), rows.BucketSystem)
	for _, b := range copied() {
		names = append(names, b.Name)
	}
	return names
}
