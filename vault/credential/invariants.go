package credential

import (
	"bytes"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/counter"
	"hush/vault/exam"
	"hush/vault/rows"
	"hush/vault/sweep"
)

// Invariants returns those of the buckets of this package.
func Invariants(x *exam.Exam) []exam.Invariant {
	i := invariants{x}
	return []exam.Invariant{
		{Bucket: BucketSession, Row: i.session, Counters: []counter.Counter{counter.Sessions}},
		{Bucket: BucketSessions, Row: func(key, value []byte) error {
			return lists(i, BucketSessions, BucketSession, key, value, decodeSession, (*SessionRecord).sessionsKey)
		}},
		{Bucket: BucketToken, Row: i.token},
		{Bucket: BucketTokens, Row: func(key, value []byte) error {
			return lists(i, BucketTokens, BucketToken, key, value, decodeToken, (*TokenRecord).tokensKey)
		}},
		{Bucket: BucketPair, Row: i.pair},
	}
}

// invariants is an examination of this package's buckets.
type invariants struct{ *exam.Exam }

// HasMainPair reports whether an account has the pair that its password holds.
func HasMainPair(tx storage.Tx, id caller.AccountID) (bool, error) {
	main, err := getMainPair(tx, id)
	return main != nil, err
}

func (i invariants) session(key, value []byte) error {
	i.Count(counter.Sessions)
	i.WantDue(sweep.DueSession, BucketSession, key)
	r, err := decodeSession(value)
	if err != nil {
		return err
	}
	if err := i.WantAccount(exam.CodeAccountMissing, BucketSession, key, r.Account[:]); err != nil {
		return err
	}
	return i.listed(BucketSessions, r.sessionsKey(), BucketSession, key)
}

func (i invariants) token(key, value []byte) error {
	r, err := decodeToken(value)
	if err != nil {
		return err
	}
	if !r.expires.IsZero() {
		i.WantDue(sweep.DueToken, BucketToken, key)
	}
	if err := i.WantAccount(exam.CodeAccountMissing, BucketToken, key, r.Account[:]); err != nil {
		return err
	}
	return i.listed(BucketTokens, r.tokensKey(), BucketToken, key)
}

// listed checks that an account's list has a session or a token: what is not in
// it is not ended with the others.
func (i invariants) listed(list string, at []byte, bucket string, row []byte) error {
	value, err := rows.LoadOr(i.Tx, list, at, func(value []byte) ([]byte, error) { return value, nil }, nil)
	if err == nil && !bytes.Equal(value, row) {
		i.Report(exam.CodeListMissing, bucket, row)
	}
	return err
}

// lists checks that a row of an account's list leads to what it lists.
func lists[T any](i invariants, list, bucket string, key, row []byte, decode func([]byte) (*T, error), listKey func(*T) []byte) error {
	r, err := rows.LoadOr(i.Tx, bucket, row, decode, nil)
	if rows.IsDamage(err) {
		return nil // its row is reported
	}
	if err == nil && (r == nil || !bytes.Equal(listKey(r), key)) {
		i.Report(exam.CodeListStray, list, key)
	}
	return err
}

func (i invariants) pair(key, value []byte) error {
	var id caller.AccountID
	if len(key) != len(id)+len(caller.PairID{}) {
		return rows.ErrDamaged
	}
	id = caller.AccountID(key[:len(id)])
	if err := i.WantAccount(exam.CodeAccountMissing, BucketPair, key, id[:]); err != nil {
		return err
	}
	r, err := decodePair(value)
	if err != nil || r.main {
		return err
	}
	held, err := isHeld(i.Tx, id, caller.PairID(key[len(id):]))
	if rows.IsDamage(err) {
		return nil
	}
	if err == nil && !held {
		i.Report(exam.CodePairUnheld, BucketPair, key)
	}
	return err
}
