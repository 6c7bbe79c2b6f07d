package domain

import (
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// The buckets of this file.
const (
	BucketDomain   = "domain"    // account id ‖ name -> domainRecord
	BucketDomainID = "domain id" // domain id -> account id ‖ name
	BucketVerified = "verified"  // name -> account id of the owner
	BucketRecheck  = "recheck"   // time in ms (8) ‖ account id ‖ name -> nothing
)

const domainVersion = 2

// State is the state of a claim. The numbers are stored.
type State byte

// The states of a domain.
const (
	DomainPending State = 1 // the TXT record has not been found yet
	// DomainVerified: the TXT record was found, and no other account holds the
	// name.
	DomainVerified State = 2
	// DomainSuspended: the TXT record has been missing for seven days. Secrets
	// on the domain are locked, and another account may verify the name.
	DomainSuspended State = 3
)

// domainRecord is a claim.
//
//	version 2 │ state 1 │ resolving? 1 │ created 8 │ updated 8 │ verified 8
//	│ checked 8 │ asked 8 │ failing 8 │ next 8 │ tries 4 │ value 16
//	│ logo (updated 8 │ width 4 │ height 4 │ size 8) │ icon likewise
//	│ number of checks 4 │ each: kind 1 │ passed? 1 │ time 8 │ name │ problem
//	  │ expected │ found
//	│ brand: each field in order: set? 1 [ │ text or flag 1 ]
//
// "Asked" is when the account last requested a check. "Failing" is the first
// failed check since the last good one of a verified domain, and "tries" the
// number of failed checks. "Next" is the domain's time in the index of checks,
// zero if it has none. A missing image is all zeros. Version 1 has the same
// fields; a TXT value in it may come from another zone: see hideOutside.
type domainRecord struct {
	state                               State
	resolving                           bool
	created, updated, verified, checked time.Time
	asked, failing, next                time.Time
	tries                               uint32
	value                               [16]byte
	logo, icon                          imageFacts
	checks                              []Check
	brand                               Brand
}

func (r *domainRecord) fields(c *rows.Codec) {
	version := c.VersionUpTo(domainVersion, domainVersion)
	rows.Byte(c, &r.state)
	c.Bool(&r.resolving)
	c.Time(&r.created)
	c.Time(&r.updated)
	c.Time(&r.verified)
	c.Time(&r.checked)
	c.Time(&r.asked)
	c.Time(&r.failing)
	c.Time(&r.next)
	c.Uint32(&r.tries)
	c.Bytes(r.value[:])
	r.logo.fields(c)
	r.icon.fields(c)
	for check := range rows.List(c, &r.checks) {
		rows.Byte(c, &check.Kind)
		c.Bool(&check.Passed)
		c.Time(&check.Time)
		c.Text(&check.Name)
		c.Text(&check.Problem)
		c.Texts(&check.Expected)
		c.Texts(&check.Found)
	}
	r.brand.storedFields(c)
	if version < 2 {
		r.hideOutside()
	}
}

func (r *domainRecord) encode() []byte { return rows.Encode(512, r, (*domainRecord).fields) }

func decodeDomain(data []byte) (*domainRecord, error) {
	r := new(domainRecord)
	return r, rows.Decode(data, r, (*domainRecord).fields)
}

// hideOutside removes from the checks of a version 1 record what may come from
// outside the domain: that version did not record whether an alias led there.
// The expected value stays, and whether it was found. Other values are not
// shown, and look the same as no value.
func (r *domainRecord) hideOutside() {
	for i := range r.checks {
		c := &r.checks[i]
		if c.Kind != CheckTXT {
			continue
		}
		c.Found = slices.DeleteFunc(c.Found, func(value string) bool { return !slices.Contains(c.Expected, value) })
		if c.Problem == problemNoTXT || c.Problem == problemOtherTXT {
			c.Problem = problemNotFound
		}
	}
}

// facts returns the imageFacts of a kind.
func (r *domainRecord) facts(kind ImageKind) *imageFacts {
	if kind == ImageIcon {
		return &r.icon
	}
	return &r.logo
}

// ownedDomain is a stored domain with its account and name.
type ownedDomain struct {
	owner  caller.AccountID
	name   string
	record *domainRecord
}

func (d *ownedDomain) id() domainID { return domainIDOf(d.owner, d.name) }
func (d *ownedDomain) key() []byte  { return domainKey(d.owner, d.name) }

// value returns the required value of the TXT record.
func (d *ownedDomain) value() string { return hex.EncodeToString(d.record.value[:]) }

// challenge returns the first label of the TXT record's name.
func (d *ownedDomain) challenge() string { return "_onetime-challenge-" + d.id().String()[:7] }

func (d *ownedDomain) put(tx *rows.Tx) error {
	return tx.Put(BucketDomain, d.key(), d.record.encode())
}

// domainKey returns the row of a domain, which in the index of checks follows a
// time.
func domainKey(owner caller.AccountID, name string) []byte { return append(owner[:], name...) }

// splitDomainKey is the inverse of domainKey.
func splitDomainKey(key []byte) (owner caller.AccountID, name string, ok bool) {
	if len(key) <= len(owner) {
		return owner, "", false
	}
	return caller.AccountID(key[:len(owner)]), string(key[len(owner):]), true
}

// getDomain loads a domain, or returns ErrNotFound.
func getDomain(tx *rows.Tx, owner caller.AccountID, name string) (*ownedDomain, error) {
	record, err := rows.Load(tx, BucketDomain, domainKey(owner, name), decodeDomain)
	if err != nil {
		return nil, err
	}
	return &ownedDomain{owner, name, record}, nil
}

// findDomain loads a domain of an account by its name or id, or returns
// DomainError.
func findDomain(tx *rows.Tx, owner caller.AccountID, text string) (*ownedDomain, error) {
	name, ok := canonicalDomain(text)
	if !ok {
		var err error
		if _, name, err = domainByID(tx, text); err != nil && !errors.Is(err, refusal.ErrNotFound) {
			return nil, err
		}
	}
	d, err := getDomain(tx, owner, name)
	if errors.Is(err, refusal.ErrNotFound) {
		return nil, &refusal.DomainError{Domain: text}
	}
	return d, err
}

// domainByID finds the owner and the name of a domain id, or returns
// ErrNotFound.
func domainByID(tx *rows.Tx, text string) (owner caller.AccountID, name string, err error) {
	id, ok := parseDomainID(text)
	if !ok {
		return owner, "", refusal.ErrNotFound
	}
	key, err := tx.Get(BucketDomainID, id[:])
	if errors.Is(err, storage.ErrNotFound) {
		return owner, "", refusal.ErrNotFound
	}
	if err != nil {
		return owner, "", err
	}
	if owner, name, ok = splitDomainKey(key); !ok {
		return owner, "", rows.ErrDamaged
	}
	return owner, name, nil
}

// domainNames returns the names of an account's domains, sorted.
func domainNames(tx *rows.Tx, owner caller.AccountID) (names []string, err error) {
	// No name contains the byte 0xff.
	err = tx.Range(BucketDomain, owner[:], append(owner[:], 0xff), func(key, _ []byte) error {
		_, name, ok := splitDomainKey(key)
		if !ok {
			return rows.ErrDamaged
		}
		names = append(names, name)
		return nil
	})
	return names, err
}
