package secret

import (
	"context"
	"crypto/sha256"
	"time"

	"hush/seal"
	"hush/vault/audit"
	"hush/vault/caller"
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

// try checks what the caller shows, and hashes the passphrase or the proof. If a
// passphrase guards the secret, it reserves the attempt durably before the slow hash
// begins and before anything is compared: neither a crash nor parallel guesses buy
// more tries, and a caller who must pause costs no hash. Neither a missing
// passphrase nor a wrong link counts as a try. The caller returns made.wrong if the
// passphrase turns out to be wrong.
func (se *Secrets) try(ctx context.Context, c caller.Caller, row seal.RowKey, record *Record, o Opening, now time.Time) (hashes [][32]byte, made attempt, err error) {
	switch {
	case record.encryption == EncryptionEndToEnd:
		if err := record.checkLink(o); err != nil {
			return nil, attempt{}, err
		}
	case o.LinkProof != "" || o.Proof != "":
		return nil, attempt{}, &refusal.EncryptionError{}
	case record.guarded() && o.Passphrase == "":
		return nil, attempt{}, &refusal.PassphraseError{Missing: true}
	}
	if !record.guarded() {
		return record.hashes(se.hasher, o), attempt{}, nil
	}
	t := se.newPassphraseTry(c, row)
	// A caller who must pause reaches neither the hash queue nor the writer.
	err = se.store.View(ctx, func(tx *rows.Tx) error {
		_, _, err := t.open(tx, now)
		return err
	})
	if err != nil {
		return nil, attempt{}, err
	}
	if record.passphrase != nil {
		release, err := se.hasher.Enter(ctx, c.Network)
		if err != nil {
			return nil, attempt{}, err
		}
		defer release()
	}
	if made, err = se.reserve(ctx, c, row, record.metadata, t, now); err != nil {
		return nil, attempt{}, err
	}
	return record.hashes(se.hasher, o), made, nil
}

// hashes returns what may take part in the secret's key: the hash of the passphrase or
// of the proof, and zeros if there is neither. A passphrase is hashed in normal form,
// and as it was typed where that differs: older releases hashed it so.
func (r *Record) hashes(hasher *guess.Hasher, o Opening) [][32]byte {
	if r.encryption == EncryptionEndToEnd {
		return [][32]byte{sha256.Sum256([]byte(o.Proof))}
	}
	if r.passphrase == nil {
		return make([][32]byte, 1)
	}
	normal := normalForm(o.Passphrase)
	hashes := [][32]byte{hasher.Passphrase(*r.passphrase, normal)}
	if normal != o.Passphrase {
		hashes = append(hashes, hasher.Passphrase(*r.passphrase, o.Passphrase))
	}
	return hashes
}

// attempt is a try that was counted before it was known to be right.
type attempt struct {
	wrong   *refusal.PassphraseError // to return if it was wrong
	counted Event                    // of the timeline; zero if nothing was counted
}

// passphraseTry holds the keys of the two counters of a try.
type passphraseTry struct{ mine, all []byte }

func (se *Secrets) newPassphraseTry(c caller.Caller, row seal.RowKey) passphraseTry {
	network := se.keys.NetworkID(c.Network.Bytes())
	return passphraseTry{attemptKey(row, 'n', network[:]), attemptKey(row, 'g', nil)}
}

// open loads both counters. It returns LockedError while no try is accepted.
func (t passphraseTry) open(tx *rows.Tx, now time.Time) (mine, all guess.Tries, err error) {
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

// reserve counts an attempt, for which it returns the error to report if the passphrase
// is wrong. It fails with LockedError or ErrNotFound.
func (se *Secrets) reserve(ctx context.Context, c caller.Caller, row, metadata seal.RowKey, t passphraseTry, now time.Time) (made attempt, err error) {
	err = se.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
		if _, err := getSecret(tx, row, now); err != nil {
			return err
		}
		mine, all, err := t.open(tx, now)
		if err != nil {
			return err
		}
		made.wrong = countTry(&mine, &all, now)
		if err := tx.Put(BucketAttempt, t.mine, mine.Encode()); err != nil {
			return err
		}
		if err := tx.Put(BucketAttempt, t.all, all.Encode()); err != nil {
			return err
		}
		if made.counted, err = addEvent(tx, metadata, EventPassphrase, c.Network.Masked(), now); err != nil {
			return err
		}
		return audit.Write(tx, now, audit.Passphrase, metadata)
	})
	if err == nil {
		se.watches.Tell(metadata)
	}
	return made, err
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

// lockedForGood reports whether all tries at a receipt's secret are used up.
func lockedForGood(tx *rows.Tx, r *MetadataRecord, now time.Time) (bool, error) {
	if !r.passphrase || !r.State.Live() || !now.Before(r.expires) {
		return false, nil
	}
	all, err := getAttempts(tx, attemptKey(r.Secret, 'g', nil))
	return all.Count >= MostTries, err
}

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
