// Package tables lists every bucket of a store with what its owner says of it. What
// handles all buckets alike reads this list: a copy to another store, an examination, and
// what seals with another root key. A package that gets a bucket says so in its Buckets
// or its Holding, or it is named in local below, and a new owner is added here. Package passphrase is not: its bucket has a place in
// the order of receipt's.
//
// It owns no bucket.
package tables

import (
	"slices"

	"hush/vault/account"
	"hush/vault/answer"
	"hush/vault/audit"
	"hush/vault/budget"
	"hush/vault/challenge"
	"hush/vault/claim"
	"hush/vault/cluster"
	"hush/vault/credential"
	"hush/vault/domain"
	"hush/vault/exam"
	"hush/vault/feedback"
	"hush/vault/file"
	"hush/vault/keylist"
	"hush/vault/outbox"
	"hush/vault/password"
	"hush/vault/place"
	"hush/vault/quota"
	"hush/vault/receipt"
	"hush/vault/request"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/shares"
	"hush/vault/spent"
	"hush/vault/sweep"
	"hush/vault/ticket"
)

// owner is what a package says of its buckets. Every field may be nil.
type owner struct {
	// buckets are copied to another store row by row, and hold no shares.
	buckets func() []rows.Bucket
	// holding is the bucket whose records hold shares, which are copied with them.
	holding func() shares.Holding
	// local are not copied: their rows belong to the processes that serve a store, or to
	// its shares, or follow from what is copied.
	local []string
	// sealed says what root keys made.
	sealed func() []keylist.Sealed
	// invariants say what must hold.
	invariants func(*exam.Exam) []exam.Invariant
	// system are the rows of the bucket system.
	system func() []exam.SystemRow
}

// owners returns the owners in the order of a copy, by which an interrupted one goes on,
// and of an examination: one that others look into comes before them, and the slots of
// shares after all that own some.
func owners() []owner {
	return []owner{
		{system: exam.SystemRows, local: []string{cluster.BucketNode}},
		{buckets: audit.Buckets},
		{buckets: sweep.Buckets},
		{buckets: account.Buckets, invariants: account.Invariants, sealed: account.Sealed},
		{buckets: ticket.Buckets, sealed: ticket.Sealed}, // account has the invariants
		{buckets: password.Buckets, invariants: password.Invariants},
		{buckets: budget.Buckets, invariants: budget.Invariants},
		{buckets: challenge.Buckets, invariants: challenge.Invariants},
		{buckets: credential.Buckets, invariants: credential.Invariants, sealed: credential.Sealed},
		{buckets: domain.Buckets, invariants: domain.Invariants},
		{buckets: feedback.Buckets, invariants: feedback.Invariants, sealed: feedback.Sealed, system: feedback.SystemRows},
		{buckets: place.Buckets, invariants: place.Invariants},
		{buckets: outbox.Buckets, holding: outbox.Holding, invariants: outbox.Invariants, sealed: outbox.Sealed},
		{buckets: request.Buckets, invariants: request.Invariants, sealed: request.Sealed},
		{buckets: answer.Buckets, sealed: answer.Sealed},                       // request has the invariants
		{buckets: file.Buckets, holding: file.Holding, sealed: file.Sealed},    // secret has the invariants
		{buckets: claim.Buckets, holding: claim.Holding, sealed: claim.Sealed}, // secret has the invariants
		{buckets: receipt.Buckets, sealed: receipt.Sealed},                     // secret has the invariants
		{holding: secret.Holding, invariants: secret.Invariants, sealed: secret.Sealed},
		{local: []string{quota.BucketUsage}}, // secret has the invariants
		{local: []string{shares.BucketShred, shares.BucketEpoch}, invariants: shares.Invariants, sealed: shares.Sealed},
		{local: spent.BucketNames(), invariants: spent.Invariants, system: spent.SystemRows},
	}
}

// Copied returns the buckets that are copied to another store, in their order, which is
// stored. With mails, claims and secrets, which come last, come their shares. The others
// have no Find.
func Copied() []shares.Holding {
	var all []shares.Holding
	for _, o := range owners() {
		if o.buckets == nil {
			continue
		}
		for _, b := range o.buckets() {
			all = append(all, shares.Holding{Bucket: b})
		}
	}
	return append(all, Holdings()...)
}

// Holdings returns the buckets whose records hold shares.
func Holdings() []shares.Holding {
	var all []shares.Holding
	for _, o := range owners() {
		if o.holding != nil {
			all = append(all, o.holding())
		}
	}
	return all
}

// Names returns the names of all buckets.
func Names() []string {
	names := []string{rows.BucketSystem}
	for _, o := range owners() {
		names = append(names, o.local...)
	}
	for _, b := range Copied() {
		names = append(names, b.Name)
	}
	return names
}

// Sealed returns what all buckets have of root keys.
func Sealed() []keylist.Sealed {
	var all []keylist.Sealed
	for _, o := range owners() {
		if o.sealed != nil {
			all = append(all, o.sealed()...)
		}
	}
	return all
}

// SystemRows returns the rows of the bucket system that the packages write.
func SystemRows() []exam.SystemRow {
	var all []exam.SystemRow
	for _, o := range owners() {
		if o.system != nil {
			all = append(all, o.system()...)
		}
	}
	return all
}

// Invariants returns the invariants of all buckets, in the order in which they are
// examined. Each has a Check.
func Invariants(x *exam.Exam) []exam.Invariant {
	all := append(exam.Invariants(x), x.SystemInvariant(SystemRows()))
	for _, o := range owners() {
		if o.invariants != nil {
			all = append(all, o.invariants(x)...)
		}
	}
	copied := Copied()
	for n := range all {
		at := slices.IndexFunc(copied, func(b shares.Holding) bool { return b.Name == all[n].Bucket })
		if at >= 0 && all[n].Check == nil {
			all[n].Check = copied[at].Check
		}
	}
	for _, b := range copied { // a bucket without an invariant is read all the same
		if !slices.ContainsFunc(all, func(i exam.Invariant) bool { return i.Bucket == b.Name }) {
			all = append(all, exam.Invariant{Bucket: b.Name, Check: b.Check})
		}
	}
	return all
}
