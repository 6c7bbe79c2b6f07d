package domain

import (
	"bytes"
	"encoding/binary"

	"hush/vault/counter"
	"hush/vault/exam"
	"hush/vault/rows"
)

// Invariants returns those of the buckets of this package.
func Invariants(x *exam.Exam) []exam.Invariant {
	i := invariants{x}
	return []exam.Invariant{
		{Bucket: BucketDomain, Row: i.domain},
		{Bucket: BucketDomainID, Row: i.id},
		{Bucket: BucketVerified, Row: i.verified, Counters: []counter.Counter{counter.Domains}},
		{Bucket: BucketRecheck, Row: i.recheck},
		{Bucket: BucketImage, Row: i.image},
	}
}

// invariants is an examination of this package's buckets.
type invariants struct{ *exam.Exam }

// load returns a domain by its row; there is false if it is missing. A record that
// cannot be read is nil: its own row is reported.
func (i invariants) load(key []byte) (r *domainRecord, there bool, err error) {
	r, err = rows.LoadOr(i.Tx, BucketDomain, key, decodeDomain, nil)
	if rows.IsDamage(err) {
		return nil, true, nil
	}
	return r, r != nil, err
}

func (i invariants) domain(key, value []byte) error {
	owner, name, ok := splitDomainKey(key)
	if !ok {
		return rows.ErrDamaged
	}
	r, err := decodeDomain(value)
	if err != nil {
		return err
	}
	d := &ownedDomain{owner, name, r}
	if err := i.WantAccount(exam.CodeAccountMissing, BucketDomain, key, owner[:]); err != nil {
		return err
	}
	id := d.id()
	if err := i.wantValue(BucketDomainID, id[:], key, exam.CodeDomainID, key); err != nil {
		return err
	}
	if r.state == DomainVerified {
		if err := i.wantValue(BucketVerified, []byte(name), owner[:], exam.CodeDomainVerified, key); err != nil {
			return err
		}
	}
	if !r.next.IsZero() {
		there, err := i.Has(BucketRecheck, recheckKey(r.next, d))
		if err != nil {
			return err
		}
		if !there {
			i.Report(exam.CodeDomainRecheck, BucketDomain, key)
		}
	}
	for _, kind := range []ImageKind{ImageLogo, ImageIcon} {
		there, err := i.Has(BucketImage, imageKey(id, kind))
		if err != nil {
			return err
		}
		if there != (r.facts(kind).size > 0) {
			i.Report(exam.CodeDomainImage, BucketDomain, key)
		}
	}
	return nil
}

// wantValue reports code at a domain unless a row has a value.
func (i invariants) wantValue(bucket string, at, want []byte, code exam.Code, domain []byte) error {
	value, err := rows.LoadOr(i.Tx, bucket, at, func(value []byte) ([]byte, error) { return value, nil }, nil)
	if err == nil && !bytes.Equal(value, want) {
		i.Report(code, BucketDomain, domain)
	}
	return err
}

func (i invariants) id(key, value []byte) error {
	owner, name, ok := splitDomainKey(value)
	if !ok {
		return rows.ErrDamaged
	}
	_, there, err := i.load(value)
	id := domainIDOf(owner, name)
	if err == nil && (!there || !bytes.Equal(id[:], key)) {
		i.Report(exam.CodeDomainID, BucketDomainID, key)
	}
	return err
}

func (i invariants) verified(key, value []byte) error {
	i.Count(counter.Domains)
	owner, err := rows.DecodeAccountID(value)
	if err != nil {
		return err
	}
	r, there, err := i.load(domainKey(owner, string(key)))
	if err == nil && (!there || r != nil && r.state != DomainVerified) {
		i.Report(exam.CodeDomainVerified, BucketVerified, key)
	}
	return err
}

func (i invariants) recheck(key, _ []byte) error {
	r, there, err := i.load(key[8:])
	if err == nil && (!there || r != nil && rows.Millis(r.next) != binary.BigEndian.Uint64(key)) {
		i.Report(exam.CodeRecheckStray, BucketRecheck, key)
	}
	return err
}

func (i invariants) image(key, _ []byte) error {
	if len(key) != len(domainID{})+1 {
		return rows.ErrDamaged
	}
	there, err := i.Has(BucketDomainID, key[:len(domainID{})])
	if err == nil && !there {
		i.Report(exam.CodeDomainImage, BucketImage, key)
	}
	return err
}
