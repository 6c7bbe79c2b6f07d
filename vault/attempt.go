package vault

import (
	"context"
	"errors"
	"time"

	"hush/seal"
	"hush/storage"
)

// The limits on wrong passphrases of one secret.
const (
	// NetworkTries lock one network out.
	NetworkTries = 5
	// AllTries lock everybody out.
	AllTries = 20
	// TriesWindow is how long tries add up.
	TriesWindow = 10 * time.Minute
	// LockTime is how long a lock holds.
	LockTime = 30 * time.Minute
)

// try turns the passphrase into what the key needs, if the secret has one. The
// attempt is reserved durably before the slow hash begins, so that neither a
// crash nor a hundred parallel guesses buy more tries. A missing passphrase is
// not a try.
func (v *Vault) try(ctx context.Context, c Caller, s *seen, passphrase Text, now time.Time) (hash [32]byte, triesLeft int, err error) {
	if s.record.passphrase == nil {
		return hash, 0, nil
	}
	if passphrase == "" {
		return hash, 0, &PassphraseError{Missing: true}
	}
	leave, err := v.hasher.turn(ctx)
	if err != nil {
		return hash, 0, err
	}
	defer leave()
	if triesLeft, err = v.reserve(ctx, c, s, now); err != nil {
		return hash, 0, err
	}
	return s.record.passphrase.Hash(string(passphrase)), triesLeft, nil
}

// reserve counts an attempt, or returns ErrLocked or ErrNotFound.
func (v *Vault) reserve(ctx context.Context, c Caller, s *seen, now time.Time) (triesLeft int, err error) {
	network := v.keys.NetworkID(c.Network.bytes())
	err = v.store.Update(ctx, func(tx storage.Tx) error {
		if _, err := getSecret(tx, s.row, now); err != nil {
			return err
		}
		mine, err := getAttempts(tx, attemptKey(s.row, 'n', network[:]), now)
		if err != nil {
			return err
		}
		all, err := getAttempts(tx, attemptKey(s.row, 'g', nil), now)
		if err != nil {
			return err
		}
		if wait := max(mine.locked.Sub(now), all.locked.Sub(now)); wait > 0 {
			return &LockedError{RetryAfter: wait}
		}
		triesLeft = min(mine.count1(NetworkTries, now), all.count1(AllTries, now))
		if err := tx.Put(bucketAttempt, attemptKey(s.row, 'n', network[:]), mine.encode()); err != nil {
			return err
		}
		if err := tx.Put(bucketAttempt, attemptKey(s.row, 'g', nil), all.encode()); err != nil {
			return err
		}
		if err := addEvent(tx, s.record.metadata, EventPassphrase, c.Network.Masked(), now); err != nil {
			return err
		}
		return audit(tx, now, AuditPassphrase, s.record.metadata)
	})
	if err == nil {
		v.watches.tell(s.record.metadata)
	}
	return triesLeft, err
}

// count1 adds one attempt, locks when the most is reached, and returns how
// many are left.
func (r *attemptRecord) count1(most uint32, now time.Time) int {
	if r.count == 0 {
		r.began = now
	}
	r.count++
	if r.count >= most {
		r.locked = now.Add(LockTime)
	}
	return int(most - r.count)
}

// getAttempts loads a counter; one whose window or lock is over starts anew.
func getAttempts(tx storage.Tx, key []byte, now time.Time) (attemptRecord, error) {
	data, err := tx.Get(bucketAttempt, key)
	if errors.Is(err, storage.ErrNotFound) {
		return attemptRecord{}, nil
	}
	if err != nil {
		return attemptRecord{}, err
	}
	r, err := decodeAttempt(data)
	if err != nil {
		return attemptRecord{}, err
	}
	over := now.Sub(r.began) >= TriesWindow
	if !r.locked.IsZero() {
		over = !now.Before(r.locked)
	}
	if over {
		return attemptRecord{}, nil
	}
	return r, nil
}

func attemptKey(row seal.RowKey, kind byte, network []byte) []byte {
	key := make([]byte, 0, len(row)+1+len(network))
	key = append(key, row[:]...)
	key = append(key, kind)
	return append(key, network...)
}
