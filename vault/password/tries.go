package password

import (
	"errors"
	"time"

	"hush/vault/credential"
	"hush/vault/exam"
	"hush/vault/guess"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/sweep"
)

// BucketTries has address id ‖ kind -> Tries; see triesKey.
const BucketTries = "tries"

// Buckets returns the buckets of this package.
func Buckets() []rows.Bucket {
	return []rows.Bucket{{Name: BucketTries, Check: rows.CheckRow(0, guess.DecodeTries), Version: guess.TriesVersion}}
}

// Invariants returns those of the buckets of this package.
func Invariants(x *exam.Exam) []exam.Invariant {
	return []exam.Invariant{{Bucket: BucketTries, Row: func(key, _ []byte) error {
		x.WantDue(sweep.DueTries, BucketTries, key)
		return nil
	}}}
}

// The limits on wrong passwords of one address, whether or not it has an
// account. The pauses are those of passphrases, but without a final lock.
const (
	// NetworkTries is the number of tries that a network has before its
	// first pause.
	NetworkTries = 5
	// Tries is the number of tries that all networks together have
	// before the first pause for everyone. Networks that the owner recently
	// signed in from are neither counted nor paused by the others.
	Tries = 30
	// TriesKept is how long tries are remembered after the last one.
	TriesKept = 7 * 24 * time.Hour
)

// The kinds of counters of an address. The letters are stored.
const (
	triesNetwork = 'n' // wrong passwords of one network
	triesAll     = 'g' // wrong passwords
	MailsVerify  = 'v' // links that confirm a new account
	MailsReset   = 'r' // links that set a password
	MailsAddress = 'a' // links that confirm a new address of an account
	MailsTaken   = 't' // notices that an address with an account signed up again
)

// How often an address is mailed, regardless of who asks.
const (
	// verifyPause is the minimum time between mailed links that confirm an
	// address.
	verifyPause = 5 * time.Minute
	// mailWindow is the period over which the other mails are counted.
	mailWindow = time.Hour
	// resetMails is the maximum number of links in a window that set a
	// password, and of links that confirm the address as a new one.
	resetMails = 3
)

// triesKey returns the row of a counter: address id 32 ‖ kind 1 ‖ network 8, if
// any.
func triesKey(addressID [32]byte, kind byte, network []byte) []byte {
	key := make([]byte, 0, len(addressID)+1+len(network))
	key = append(key, addressID[:]...)
	key = append(key, kind)
	return append(key, network...)
}

// triesKindAt is the offset of the kind in a counter's row.
const triesKindAt = 32

// triesWindow returns how long a counter of a kind lasts: from the last try for
// passwords, from the first mail for mails.
func triesWindow(kind byte) time.Duration {
	switch kind {
	case MailsVerify:
		return verifyPause
	case MailsReset, MailsAddress, MailsTaken:
		return mailWindow
	}
	return TriesKept
}

// triesEnd returns when a counter of a kind starts anew.
func triesEnd(r guess.Tries, kind byte) time.Time {
	return credential.Later(r.Locked, r.Began.Add(triesWindow(kind)))
}

// getTries loads a counter; an expired one starts anew.
func getTries(tx *rows.Tx, key []byte, now time.Time) (guess.Tries, error) {
	r, err := rows.LoadOr(tx, BucketTries, key, guess.DecodeTries, guess.Tries{})
	if err != nil || !now.Before(triesEnd(r, key[triesKindAt])) {
		return guess.Tries{}, err
	}
	return r, nil
}

// putTries stores a counter, and schedules its end if it is new.
func putTries(tx *rows.Tx, key []byte, r guess.Tries) error {
	if err := tx.Put(BucketTries, key, r.Encode()); err != nil || r.Count != 1 {
		return err
	}
	return sweep.PutDue(tx, triesEnd(r, key[triesKindAt]), sweep.DueTries, key)
}

// EndTries deletes an expired counter.
func EndTries(tx *rows.Tx, key []byte, now time.Time) (time.Time, error) {
	if len(key) <= triesKindAt {
		return time.Time{}, rows.ErrDamaged
	}
	r, err := rows.Load(tx, BucketTries, key, guess.DecodeTries)
	if errors.Is(err, refusal.ErrNotFound) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	if ends := triesEnd(r, key[triesKindAt]); now.Before(ends) {
		return ends, nil
	}
	return time.Time{}, tx.Delete(BucketTries, key)
}

// ClearTries deletes the wrong passwords of an address.
func ClearTries(tx *rows.Tx, addressID [32]byte) error {
	var keys [][]byte
	err := tx.Range(BucketTries, addressID[:], rows.PrefixEnd(addressID[:]), func(key, _ []byte) error {
		if kind := key[triesKindAt]; kind == triesNetwork || kind == triesAll {
			keys = append(keys, append([]byte(nil), key...))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return rows.DeleteAll(tx, BucketTries, keys)
}

// MayMail counts a mail of a kind, such as MailsVerify, to an address and reports
// whether it may be sent. It also counts addresses without an account.
func MayMail(tx *rows.Tx, addressID [32]byte, kind byte, now time.Time) (bool, error) {
	most := uint32(1)
	if kind == MailsReset || kind == MailsAddress {
		most = resetMails
	}
	key := triesKey(addressID, kind, nil)
	r, err := getTries(tx, key, now)
	if err != nil || r.Count >= most {
		return false, err
	}
	if r.Count == 0 {
		r.Began = now
	}
	r.Count++
	return true, putTries(tx, key, r)
}
