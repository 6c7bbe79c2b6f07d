package passphrase

import (
	"time"

	"hush/seal"
	"hush/vault/exam"
	"hush/vault/guess"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// BucketAttempt has secret row (22) ‖ 'n' network (8) or 'g' -> Tries.
const BucketAttempt = "attempt"

// The limits on wrong passphrases of one secret, counted for as long as it
// lives.
const (
	// NetworkTries is the number of tries that a network has before its first
	// pause.
	NetworkTries = 5
	// AllTries is the number of tries that all networks together have before
	// the first pause for everyone.
	AllTries = 20
	// MostTries is the number of tries in all. After them no passphrase is
	// accepted, and the sender can only burn the secret.
	MostTries = 100
)

// Bucket returns the bucket of this package.
func Bucket() rows.Bucket {
	return rows.Bucket{Name: BucketAttempt, Check: rows.CheckRow(0, guess.DecodeTries), Version: guess.TriesVersion}
}

// Invariants returns those of the bucket of this package: each row belongs to one of the
// bucket secrets.
func Invariants(x *exam.Exam, secrets string) []exam.Invariant {
	return []exam.Invariant{{Bucket: BucketAttempt, Row: func(key, _ []byte) error {
		return x.Follows(BucketAttempt, key, secrets, len(seal.RowKey{}), exam.CodeAttemptStray)
	}}}
}

// Try holds the keys of the two counters of a try.
type Try struct{ mine, all []byte }

// NewTry returns a network's try at the secret in a row.
func NewTry(row seal.RowKey, network [8]byte) Try {
	return Try{attemptKey(row, 'n', network[:]), attemptKey(row, 'g', nil)}
}

// Admit returns LockedError while no try is accepted.
func (t Try) Admit(tx *rows.Tx, now time.Time) error {
	_, _, err := t.open(tx, now)
	return err
}

// Count counts the try and returns the error to report if the passphrase is wrong. It
// returns LockedError, and counts nothing, while no try is accepted.
func (t Try) Count(tx *rows.Tx, now time.Time) (wrong *refusal.PassphraseError, err error) {
	mine, all, err := t.open(tx, now)
	if err != nil {
		return nil, err
	}
	wrong = countTry(&mine, &all, now)
	if err := tx.Put(BucketAttempt, t.mine, mine.Encode()); err != nil {
		return nil, err
	}
	return wrong, tx.Put(BucketAttempt, t.all, all.Encode())
}

// open loads both counters. It returns LockedError while no try is accepted.
func (t Try) open(tx *rows.Tx, now time.Time) (mine, all guess.Tries, err error) {
	if mine, err = getAttempts(tx, t.mine); err != nil {
		return mine, all, err
	}
	if all, err = getAttempts(tx, t.all); err != nil {
		return mine, all, err
	}
	if all.Count >= MostTries {
		return mine, all, &refusal.LockedError{ForGood: true}
	}
	if wait := max(mine.Locked.Sub(now), all.Locked.Sub(now)); wait > 0 {
		return mine, all, &refusal.LockedError{RetryAfter: wait}
	}
	return mine, all, nil
}

// countTry adds one attempt to both counters and returns the error to report if
// the passphrase is wrong. The last try has no pause, since none follows.
func countTry(mine, all *guess.Tries, now time.Time) *refusal.PassphraseError {
	wrong := &refusal.PassphraseError{TriesLeft: min(mine.Add(NetworkTries, now), all.Add(AllTries, now))}
	if all.Count < MostTries {
		wrong.RetryAfter = max(0, mine.Locked.Sub(now), all.Locked.Sub(now))
	}
	return wrong
}

// UsedUp reports whether all tries at the secret in a row are used up.
func UsedUp(tx *rows.Tx, row seal.RowKey) (bool, error) {
	all, err := getAttempts(tx, attemptKey(row, 'g', nil))
	return all.Count >= MostTries, err
}

// Forget deletes the counters of the secret in a row.
func Forget(tx *rows.Tx, row seal.RowKey) error { return rows.DeletePrefix(tx, BucketAttempt, row[:]) }

// getAttempts loads a counter of wrong passphrases.
func getAttempts(tx *rows.Tx, key []byte) (guess.Tries, error) {
	return rows.LoadOr(tx, BucketAttempt, key, guess.DecodeTries, guess.Tries{})
}

func attemptKey(row seal.RowKey, kind byte, network []byte) []byte {
	key := make([]byte, 0, len(row)+1+len(network))
	key = append(key, row[:]...)
	key = append(key, kind)
	return append(key, network...)
}
