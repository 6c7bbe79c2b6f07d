package request

import (
	"bytes"
	"slices"

	"hush/seal"
	"hush/vault/answer"
	"hush/vault/caller"
	"hush/vault/claim"
	"hush/vault/exam"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/sweep"
)

// The codes of findings about requests.
const (
	CodeIndex      exam.Code = "request-index"
	CodeIndexStray exam.Code = "request-index-stray"
	CodeCollection exam.Code = "request-collection"
)

// Invariants returns those of the buckets of this package, and of answers.
func Invariants(x *exam.Exam) []exam.Invariant {
	i := &invariants{x}
	return append([]exam.Invariant{
		{Bucket: BucketRequest, Row: i.request},
		{Bucket: BucketCollection, Row: i.collection},
		{Bucket: BucketRequests, Row: i.listed},
	}, answer.Invariants(x, secret.Holding().Name, claim.Holding().Name, BucketRequest)...)
}

// invariants is an examination of this package's buckets.
type invariants struct{ *exam.Exam }

func (i *invariants) request(key, value []byte) error {
	row := seal.RowKey(key)
	r, err := decode(value)
	if err != nil {
		return err
	}
	i.WantDue(sweep.DueRequest, BucketRequest, key)
	for _, list := range r.listKeys(row) {
		there, err := i.Has(BucketRequests, list)
		if err != nil {
			return err
		}
		if !there {
			i.Report(CodeIndex, BucketRequest, key)
		}
	}
	there, err := i.Has(answer.RowOf(row))
	if err != nil {
		return err
	}
	if !there {
		i.Report(answer.CodeTally, BucketRequest, key)
	}
	led, err := rows.LoadOr(i.Tx, BucketCollection, r.collect[:], decodeCollection, seal.RowKey{})
	if rows.IsDamage(err) {
		return nil // its row is reported
	}
	if err == nil && led != row {
		i.Report(CodeCollection, BucketRequest, key)
	}
	if id, ok := caller.ParseAccountID(r.owner); err == nil && ok && r.state == storedOpen {
		err = i.WantAccount(exam.CodeAccountMissing, BucketRequest, key, id[:])
	}
	return err
}

func (i *invariants) collection(key, value []byte) error {
	row, err := decodeCollection(value)
	if err != nil {
		return err
	}
	r, there, err := i.load(row)
	if err == nil && (!there || r != nil && r.collect != seal.RowKey(key)) {
		i.Report(CodeCollection, BucketCollection, key)
	}
	return err
}

func (i *invariants) listed(key, _ []byte) error {
	row, err := listedRow(key)
	if err != nil {
		return err
	}
	r, there, err := i.load(row)
	lists := func() bool {
		return r == nil || slices.ContainsFunc(r.listKeys(row), func(own []byte) bool { return bytes.Equal(own, key) })
	}
	if err == nil && (!there || !lists()) {
		i.Report(CodeIndexStray, BucketRequests, key)
	}
	return err
}

// load returns a request, and false if it is missing. One that cannot be read is there and
// nil: its own row is reported.
func (i *invariants) load(row seal.RowKey) (r *Record, there bool, err error) {
	r, err = rows.LoadOr(i.Tx, BucketRequest, row[:], decode, nil)
	if rows.IsDamage(err) {
		return nil, true, nil
	}
	return r, r != nil, err
}
