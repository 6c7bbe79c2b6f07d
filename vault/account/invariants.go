package account

import (
	"hush/seal"
	"hush/vault/caller"
	"hush/vault/counter"
	"hush/vault/credential"
	"hush/vault/exam"
	"hush/vault/rows"
	"hush/vault/sweep"
	"hush/vault/ticket"
)

// Invariants returns those of the buckets of this package. They come before those
// of packages whose rows belong to accounts.
func Invariants(x *exam.Exam) []exam.Invariant {
	i := invariants{x}
	x.HasAccount = func(id [16]byte) (bool, error) {
		r, err := rows.LoadOr(x.Tx, BucketAccount, id[:], DecodeAccount, nil)
		if rows.IsDamage(err) {
			return true, nil // its row is reported
		}
		return r != nil && r.Destroyed.IsZero(), err
	}
	return []exam.Invariant{
		{Bucket: BucketAccount, Row: i.account, Counters: []counter.Counter{counter.Accounts}},
		{Bucket: BucketAddress, Row: i.address},
		{Bucket: BucketTally, Row: func(key, _ []byte) error { return x.WantAccount(exam.CodeTallyStray, BucketTally, key, key) }},
		{Bucket: ticket.BucketTicket, Row: i.ticket},
	}
}

// invariants is an examination of this package's buckets.
type invariants struct{ *exam.Exam }

func (i invariants) account(key, value []byte) error {
	id := caller.AccountID(key)
	r, err := DecodeAccount(value)
	if err != nil {
		return err
	}
	if !r.Destroyed.IsZero() {
		i.WantDue(sweep.DueTombstone, BucketAccount, key)
		return nil
	}
	i.Count(counter.Accounts)
	if r.Pending {
		i.WantDue(sweep.DuePending, BucketAccount, key)
	}
	owner, err := rows.LoadOr(i.Tx, BucketAddress, r.AddressID[:], rows.DecodeAccountID, caller.AccountID{})
	if err != nil && !rows.IsDamage(err) {
		return err
	}
	if err == nil && owner != id {
		i.Report(exam.CodeAccountAddress, BucketAccount, key)
	}
	i.sealed(id, r)
	for n, row := range r.Tickets {
		if row == (seal.RowKey{}) {
			continue
		}
		t, err := rows.LoadOr(i.Tx, ticket.BucketTicket, row[:], ticket.Decode, nil)
		if err != nil && !rows.IsDamage(err) {
			return err
		}
		if err == nil && (t == nil || t.Account != id || int(t.Kind) != n+1) {
			i.Report(exam.CodeTicket, BucketAccount, key)
		}
	}
	if r.Password == nil || r.Pending {
		return nil
	}
	there, err := credential.HasMainPair(i.Tx, id)
	if err == nil && !there {
		i.Report(exam.CodePairMissing, BucketAccount, key)
	}
	if rows.IsDamage(err) {
		return nil // the row of the pair is reported
	}
	return err
}

// sealed checks the addresses that an account's record has.
func (i invariants) sealed(id caller.AccountID, r *Record) {
	if i.Keys == nil {
		return
	}
	address, err := i.Keys.OpenField(fieldAddress, id[:], r.address)
	switch {
	case err != nil:
		i.Report(exam.CodeField, BucketAccount, id[:])
	case i.Keys.AddressID(string(address)) != r.AddressID:
		i.Report(exam.CodeAddressIndex, BucketAccount, id[:])
	}
	if len(r.PendingAddress) == 0 {
		return
	}
	if _, err := i.Keys.OpenField(fieldPendingAddress, id[:], r.PendingAddress); err != nil {
		i.Report(exam.CodeField, BucketAccount, id[:])
	}
}

func (i invariants) address(key, value []byte) error {
	id, err := rows.DecodeAccountID(value)
	if err != nil {
		return err
	}
	r, err := rows.LoadOr(i.Tx, BucketAccount, id[:], DecodeAccount, nil)
	if rows.IsDamage(err) {
		return nil
	}
	if err == nil && (r == nil || string(r.AddressID[:]) != string(key)) {
		i.Report(exam.CodeAddressStray, BucketAddress, key)
	}
	return err
}

func (i invariants) ticket(key, value []byte) error {
	i.WantDue(sweep.DueTicket, ticket.BucketTicket, key)
	t, err := ticket.Decode(value)
	if err != nil {
		return err
	}
	if len(key) != len(seal.RowKey{}) {
		i.Report(exam.CodeTicket, ticket.BucketTicket, key)
		return nil
	}
	row := seal.RowKey(key)
	if i.Keys != nil {
		if _, err := (ticket.Ticket{Row: row, Record: t}).BoundTo(i.Keys); err != nil {
			i.Report(exam.CodeField, ticket.BucketTicket, key)
		}
	}
	if !t.Kind.OfAccounts() {
		return nil
	}
	r, err := rows.LoadOr(i.Tx, BucketAccount, t.Account[:], DecodeAccount, nil)
	if rows.IsDamage(err) {
		return nil
	}
	if err == nil && (r == nil || !r.Tickets.Has(t.Kind, row)) {
		i.Report(exam.CodeTicket, ticket.BucketTicket, key)
	}
	return err
}
