package vault

import (
	"context"
	"errors"
	"time"

	"hush/seal"
	"hush/storage"
)

// The limits on wrong passphrases of one secret, counted for as long as it
// lives.
const (
	// NetworkTries is how many tries a network has before its first pause.
	NetworkTries = 5
	// AllTries is how many all networks have together before the first pause
	// of all.
	AllTries = 20
	// MostTries is how many there are in all. After them no passphrase is
	// accepted any more, and the sender can only burn the secret.
	MostTries = 100
)

// PauseAfter returns how long no further try is accepted after so many wrong
// ones, of which so many are free: nothing before the last free one, and from
// then on more after each, up to eight hours.
func PauseAfter(wrong, free int) time.Duration {
	pauses := [...]time.Duration{
		time.Minute, 5 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour,
	}
	if wrong < free {
		return 0
	}
	return pauses[min(wrong-free, len(pauses)-1)]
}

// try turns the passphrase into what the key needs, if the secret has one. The
// attempt is reserved durably before the slow hash begins, so that neither a
// crash nor a hundred parallel guesses buy more tries, and a caller who has to
// pause costs no hash. A missing passphrase is not a try. The error wrong is for
// the case that the passphrase is not the right one.
func (v *Vault) try(ctx context.Context, c Caller, s *seen, passphrase Text, now time.Time) (hash [32]byte, wrong *PassphraseError, err error) {
	if s.record.passphrase == nil {
		return hash, nil, nil
	}
	if passphrase == "" {
		return hash, nil, &PassphraseError{Missing: true}
	}
	t := v.newPassphraseTry(c, s.row)
	// Who has to pause reaches neither the queue for hashes nor the writer.
	err = v.store.View(ctx, func(tx storage.Tx) error {
		_, _, err := t.open(tx, now)
		return err
	})
	if err != nil {
		return hash, nil, err
	}
	leave, err := v.hasher.turn(ctx, c.Network)
	if err != nil {
		return hash, nil, err
	}
	defer leave()
	if wrong, err = v.reserve(ctx, c, s, t, now); err != nil {
		return hash, nil, err
	}
	return v.hasher.passphrase(*s.record.passphrase, passphrase), wrong, nil
}

// passphraseTry names the two counters of a try.
type passphraseTry struct{ mine, all []byte }

func (v *Vault) newPassphraseTry(c Caller, row seal.RowKey) passphraseTry {
	network := v.keys.NetworkID(c.Network.bytes())
	return passphraseTry{attemptKey(row, 'n', network[:]), attemptKey(row, 'g', nil)}
}

// open loads both counters, or returns LockedError while no try is accepted.
func (t passphraseTry) open(tx storage.Tx, now time.Time) (mine, all attemptRecord, err error) {
	if mine, err = getAttempts(tx, t.mine); err != nil {
		return mine, all, err
	}
	if all, err = getAttempts(tx, t.all); err != nil {
		return mine, all, err
	}
	if all.count >= MostTries {
		return mine, all, &LockedError{ForGood: true}
	}
	if wait := max(mine.locked.Sub(now), all.locked.Sub(now)); wait > 0 {
		return mine, all, &LockedError{RetryAfter: wait}
	}
	return mine, all, nil
}

// reserve counts an attempt and returns the error for a wrong one, or fails with
// LockedError or ErrNotFound.
func (v *Vault) reserve(ctx context.Context, c Caller, s *seen, t passphraseTry, now time.Time) (wrong *PassphraseError, err error) {
	err = v.store.UpdateReserved(ctx, func(tx storage.Tx) error {
		if _, err := getSecret(tx, s.row, now); err != nil {
			return err
		}
		mine, all, err := t.open(tx, now)
		if err != nil {
			return err
		}
		wrong = countTry(&mine, &all, now)
		if err := tx.Put(bucketAttempt, t.mine, mine.encode()); err != nil {
			return err
		}
		if err := tx.Put(bucketAttempt, t.all, all.encode()); err != nil {
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
	return wrong, err
}

// countTry adds one attempt to both counters and returns the error for a wrong
// one. After the last of all tries there is no pause, since no try follows.
func countTry(mine, all *attemptRecord, now time.Time) *PassphraseError {
	wrong := &PassphraseError{TriesLeft: min(mine.count1(NetworkTries, now), all.count1(AllTries, now))}
	if all.count < MostTries {
		wrong.RetryAfter = max(0, mine.locked.Sub(now), all.locked.Sub(now))
	}
	return wrong
}

// count1 adds one attempt, begins the pause that follows it if it is wrong,
// and returns how many are left before the next pause.
func (r *attemptRecord) count1(free int, now time.Time) int {
	if r.count == 0 {
		r.began = now
	}
	r.count++
	r.locked = time.Time{}
	if pause := PauseAfter(int(r.count), free); pause > 0 {
		r.locked = now.Add(pause)
	}
	return max(0, free-int(r.count))
}

// lockedForGood reports whether the tries of a receipt's secret are used up.
func lockedForGood(tx storage.Tx, r *metadataRecord, now time.Time) (bool, error) {
	if !r.passphrase || !r.state.Live() || !now.Before(r.expires) {
		return false, nil
	}
	all, err := getAttempts(tx, attemptKey(r.secret, 'g', nil))
	return all.count >= MostTries, err
}

// getAttempts loads a counter of wrong passphrases.
func getAttempts(tx storage.Tx, key []byte) (attemptRecord, error) {
	data, err := tx.Get(bucketAttempt, key)
	if errors.Is(err, storage.ErrNotFound) {
		return attemptRecord{}, nil
	}
	if err != nil {
		return attemptRecord{}, err
	}
	return decodeAttempt(data)
}

func attemptKey(row seal.RowKey, kind byte, network []byte) []byte {
	key := make([]byte, 0, len(row)+1+len(network))
	key = append(key, row[:]...)
	key = append(key, kind)
	return append(key, network...)
}
