package answer

import (
	"hush/seal"
	"hush/vault/exam"
	"hush/vault/rows"
)

// The codes of findings about answers.
const (
	CodeRequest exam.Code = "answer-request"
	CodeSecret  exam.Code = "answer-secret"
	CodeTally   exam.Code = "answers-wrong"
	CodeUnnamed exam.Code = "secret-answer"
)

// Invariants returns those of the buckets of this package. The answers come before their
// tallies. secrets is the bucket of secrets, claims that of claims, and requests that of
// requests.
func Invariants(x *exam.Exam, secrets, claims, requests string) []exam.Invariant {
	i := &invariants{Exam: x, secrets: secrets, claims: claims, requests: requests, found: map[seal.RowKey]Tally{}}
	return []exam.Invariant{
		{Bucket: BucketAnswer, Row: i.answer},
		{Bucket: BucketAnswers, Row: i.tally, End: i.untallied},
	}
}

// invariants is an examination of this package's buckets.
type invariants struct {
	*exam.Exam

	secrets, claims, requests string
	found                     map[seal.RowKey]Tally // of requests that have answers
}

// Names reports whether the answer of a name has the secret in a row, and can be opened.
// An answer that cannot be read counts as one: its own row is reported.
func Names(x *exam.Exam, ref Ref, secret seal.RowKey) (bool, error) {
	r, err := rows.LoadOr(x.Tx, BucketAnswer, ref.Key(), decode, nil)
	if rows.IsDamage(err) {
		return true, nil
	}
	return r != nil && r.Secret == secret && r.Openable(), err
}

func (i *invariants) answer(key, value []byte) error {
	ref, err := refOf(key)
	if err != nil {
		return err
	}
	r, err := decode(value)
	if err != nil {
		return err
	}
	tally := i.found[ref.Request]
	tally.Taken++
	if r.State.Live() {
		tally.Waiting++
	}
	i.found[ref.Request] = tally
	if !r.Openable() {
		return nil
	}
	bucket := i.secrets
	if !r.State.Live() {
		bucket = i.claims
	}
	there, err := i.Has(bucket, r.Secret[:])
	if err == nil && !there {
		i.Report(CodeSecret, BucketAnswer, key)
	}
	return err
}

func (i *invariants) tally(key, value []byte) error {
	request := seal.RowKey(key)
	t, err := decodeTally(value)
	if err != nil {
		return err
	}
	if found := i.found[request]; t.Taken != found.Taken || t.Waiting != found.Waiting {
		i.Notef(CodeTally, BucketAnswers, key, "it says %d of %d, and %d of %d wait", t.Waiting, t.Taken, found.Waiting, found.Taken)
	}
	delete(i.found, request)
	return i.Follows(BucketAnswers, key, i.requests, len(request), CodeRequest)
}

// untallied reports the requests whose answers no tally counts.
func (i *invariants) untallied() error {
	for request := range i.found {
		i.Report(CodeRequest, BucketAnswer, request[:])
	}
	return nil
}
