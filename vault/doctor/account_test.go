package doctor_test

import (
	"slices"
	"testing"

	"hush/vault/account"
	"hush/vault/challenge"
	"hush/vault/counter"
	"hush/vault/credential"
	"hush/vault/domain"
	"hush/vault/exam"
	"hush/vault/feedback"
	"hush/vault/rows"
	"hush/vault/sweep"
	"hush/vault/ticket"
)

// first returns the first row of a bucket.
func (f folder) first(t *testing.T, bucket string) row {
	t.Helper()
	return f.rows(t, bucket)[0]
}

// lose deletes the first row of a bucket.
func lose(bucket string) func(*testing.T, *folder) {
	return func(t *testing.T, f *folder) {
		t.Helper()
		f.put(t, bucket, f.first(t, bucket).key, nil)
	}
}

// move gives the first row of a bucket another key.
func move(bucket string, change func(key []byte) []byte) func(*testing.T, *folder) {
	return func(t *testing.T, f *folder) {
		t.Helper()
		r := f.first(t, bucket)
		f.put(t, bucket, r.key, nil, change(slices.Clone(r.key)), r.value)
	}
}

// spoil changes the last byte of the first row of a bucket.
func spoil(bucket string) func(*testing.T, *folder) {
	return func(t *testing.T, f *folder) {
		t.Helper()
		r := f.first(t, bucket)
		r.value[len(r.value)-1] ^= 1
		f.put(t, bucket, r.key, r.value)
	}
}

// loseDue deletes the rows of a kind in the index of what is due.
func loseDue(kind sweep.DueKind) func(*testing.T, *folder) {
	return func(t *testing.T, f *folder) {
		t.Helper()
		for _, r := range f.rows(t, sweep.BucketDue) {
			if sweep.DueKind(r.key[8]) == kind {
				f.put(t, sweep.BucketDue, r.key, nil)
			}
		}
	}
}

// count changes a counter.
func count(c counter.Counter) func(*testing.T, *folder) {
	return func(t *testing.T, f *folder) {
		t.Helper()
		f.edit(t, rows.Plain(func(tx *rows.Tx) error { return counter.Add(tx, counter.Change{Counter: c, By: 1}) }))
	}
}

func flipFirst(key []byte) []byte {
	key[0] ^= 1
	return key
}

func flipLast(key []byte) []byte {
	key[len(key)-1] ^= 1
	return key
}

// accountDamages are those of accounts and of what belongs to them.
func accountDamages() []damage {
	return []damage{
		{"address lost", lose(account.BucketAddress), codes(exam.CodeAccountAddress)},
		{"address of nobody", func(t *testing.T, f *folder) {
			r := f.first(t, account.BucketAddress)
			f.put(t, account.BucketAddress, flipFirst(slices.Clone(r.key)), r.value)
		}, codes(exam.CodeAddressStray)},
		{"address row to another account", spoil(account.BucketAddress), codes(exam.CodeAddressStray, exam.CodeAccountAddress)},
		{"account lost", lose(account.BucketAccount), codes(
			exam.CodeAccountMissing, exam.CodeAddressStray, exam.CodeCounter, exam.CodeTallyStray, exam.CodeTicket)},
		{"mailed link lost", lose(ticket.BucketTicket), codes(exam.CodeTicket)},
		{"tally of nobody", move(account.BucketTally, flipFirst), codes(exam.CodeTallyStray)},
		{"tries that never end", loseDue(sweep.DueTries), codes(exam.CodeDueMissing)},
		{"pair missing", func(t *testing.T, f *folder) {
			for _, r := range f.rows(t, credential.BucketPair) {
				if r.value[41] == 1 { // the main one
					f.put(t, credential.BucketPair, r.key, nil)
				}
			}
		}, codes(exam.CodePairMissing)},
		{"pair that nothing holds", func(t *testing.T, f *folder) {
			r := f.first(t, credential.BucketPair)
			r.value[41] = 0
			f.put(t, credential.BucketPair, flipLast(slices.Clone(r.key)), r.value)
		}, codes(exam.CodePairUnheld)},
		{"pair of nobody", func(t *testing.T, f *folder) {
			r := f.first(t, credential.BucketPair)
			f.put(t, credential.BucketPair, flipFirst(slices.Clone(r.key)), r.value)
		}, codes(exam.CodeAccountMissing)},
		{"token without account", func(t *testing.T, f *folder) {
			r := f.first(t, credential.BucketToken)
			r.value[1] ^= 1
			f.put(t, credential.BucketToken, r.key, r.value)
		}, codes(exam.CodeAccountMissing, exam.CodeListMissing, exam.CodeListStray)},
		{"token lost", lose(credential.BucketToken), codes(exam.CodeListStray)},
		{"token that no list has", lose(credential.BucketTokens), codes(exam.CodeListMissing)},
		{"token that never expires", loseDue(sweep.DueToken), codes(exam.CodeDueMissing)},
		{"session lost", lose(credential.BucketSession), codes(exam.CodeListStray, exam.CodeCounter)},
		{"session that no list has", lose(credential.BucketSessions), codes(exam.CodeListMissing)},
		{"session count", count(counter.Sessions), codes(exam.CodeCounter)},
		{"session that never ends", loseDue(sweep.DueSession), codes(exam.CodeDueMissing)},
		{"domain lost", lose(domain.BucketDomain), codes(exam.CodeDomainID, exam.CodeDomainVerified, exam.CodeRecheckStray)},
		{"domain without its id", lose(domain.BucketDomainID), codes(exam.CodeDomainID, exam.CodeDomainImage)},
		{"domain that is not held", lose(domain.BucketVerified), codes(exam.CodeDomainVerified, exam.CodeCounter)},
		{"name held by another account", spoil(domain.BucketVerified), codes(exam.CodeDomainVerified)},
		{"domain that is never checked", lose(domain.BucketRecheck), codes(exam.CodeDomainRecheck)},
		{"check of no domain", func(t *testing.T, f *folder) {
			r := f.first(t, domain.BucketRecheck)
			f.put(t, domain.BucketRecheck, flipFirst(slices.Clone(r.key)), []byte{})
		}, codes(exam.CodeRecheckStray)},
		{"image lost", lose(domain.BucketImage), codes(exam.CodeDomainImage)},
		{"feedback that does not open", spoil(feedback.BucketFeedback), codes(exam.CodeField)},
		{"report that does not open", spoil(feedback.BucketException), codes(exam.CodeField)},
		{"feedback lost", lose(feedback.BucketFeedback), codes(exam.CodeCounter)},
		{"spent challenge that never ends", loseDue(sweep.DueSpent), codes(exam.CodeDueMissing)},
		{"spent challenge with a content", func(t *testing.T, f *folder) {
			f.put(t, challenge.BucketSpent, f.first(t, challenge.BucketSpent).key, []byte("content"))
		}, codes(exam.CodeRow)},
		{"due row of another release", func(t *testing.T, f *folder) {
			r := f.first(t, sweep.BucketDue)
			r.key[8] = 200
			f.put(t, sweep.BucketDue, r.key, []byte{})
		}, codes(exam.CodeDueKind)},
	}
}
