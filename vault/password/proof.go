package password

import (
	"context"
	"errors"
	"time"

	"hush/seal"
	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/cluster"
	"hush/vault/guess"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Prove checks the password of an account. A nil r means no account:
// the work is the same, and every password is wrong. Each try is reserved
// durably before the slow hash begins, so that neither a crash nor parallel
// guesses buy more tries. The right password takes back its own try and
// forgives those of its network.
//
// It returns the hash of the right password, or ErrCredentials, LockedError or
// ErrBusy.
func (pw *Passwords) Prove(ctx context.Context, c caller.Caller, addressID [32]byte, r *account.Record, password caller.Text, now time.Time) (seal.PasswordHash, error) {
	params := pw.NewParams()
	if r != nil && r.Password != nil {
		params = r.Password.Params
	}
	release, err := pw.hasher.EnterPassword(ctx)
	if err != nil {
		return seal.PasswordHash{}, err
	}
	defer release()
	p := pw.newPasswordTry(c, addressID, r, now)
	left, err := pw.reserveTry(ctx, p, now)
	if err != nil {
		return seal.PasswordHash{}, err
	}
	hash := pw.hasher.Password(params, password)
	if pw.accounts.PasswordIs(r, hash) {
		return hash, pw.forgiveTry(ctx, p, now)
	}
	if err := pw.noteFailure(ctx, addressID, left, now); err != nil {
		return seal.PasswordHash{}, err
	}
	return seal.PasswordHash{}, refusal.ErrCredentials
}

// passwordTry holds the keys of the two counters of a try. A network that the
// owner recently signed in from counts only for itself: all is nil then.
type passwordTry struct {
	mine, all []byte
	// own reports that the caller is signed in to the account. It may be about
	// to destroy it, which must work on a full disk.
	own bool
}

func (pw *Passwords) newPasswordTry(c caller.Caller, addressID [32]byte, r *account.Record, now time.Time) passwordTry {
	network := pw.keys.NetworkID(c.Network.Bytes())
	p := passwordTry{mine: triesKey(addressID, triesNetwork, network[:])}
	p.own = !c.Anonymous() && pw.keys.AddressID(c.Address()) == addressID
	if !r.Knows(network, now) {
		p.all = triesKey(addressID, triesAll, nil)
	}
	return p
}

// update returns the transaction function that counts the try. A stranger's try
// may create a row, so it may not use the reserved disk space.
func (p passwordTry) update(s cluster.Store) func(context.Context, func(*rows.Tx) error) error {
	if p.own {
		return s.UpdateReserved
	}
	return s.Update
}

// load loads both counters.
func (p passwordTry) load(tx *rows.Tx, now time.Time) (mine, all guess.Tries, err error) {
	if mine, err = getTries(tx, p.mine, now); err != nil || p.all == nil {
		return mine, all, err
	}
	all, err = getTries(tx, p.all, now)
	return mine, all, err
}

// open loads both counters. It returns LockedError while either is locked.
func (p passwordTry) open(tx *rows.Tx, now time.Time) (mine, all guess.Tries, err error) {
	mine, all, err = p.load(tx, now)
	if wait := max(mine.Locked.Sub(now), all.Locked.Sub(now)); err == nil && wait > 0 {
		err = &refusal.LockedError{RetryAfter: wait}
	}
	return mine, all, err
}

// reserveTry counts a try and returns how many the network has left, or
// LockedError. A locked-out caller does not reach the writer.
func (pw *Passwords) reserveTry(ctx context.Context, p passwordTry, now time.Time) (left int, err error) {
	err = pw.store.View(ctx, func(tx *rows.Tx) error {
		_, _, err := p.open(tx, now)
		return err
	})
	if err != nil {
		return 0, err
	}
	err = p.update(pw.store)(ctx, func(tx *rows.Tx) error {
		mine, all, err := p.open(tx, now)
		if err != nil {
			return err
		}
		left = mine.AddLasting(NetworkTries, now)
		if err := putTries(tx, p.mine, mine); err != nil || p.all == nil {
			return err
		}
		all.AddLasting(Tries, now)
		return putTries(tx, p.all, all)
	})
	return left, err
}

// forgiveTry takes back the try of a right password.
func (pw *Passwords) forgiveTry(ctx context.Context, p passwordTry, now time.Time) error {
	return p.update(pw.store)(ctx, func(tx *rows.Tx) error {
		_, all, err := p.load(tx, now)
		if err != nil {
			return err
		}
		if err := tx.Delete(BucketTries, p.mine); err != nil || p.all == nil {
			return err
		}
		if all.TakeBack(); all.Count == 0 {
			return tx.Delete(BucketTries, p.all)
		}
		return tx.Put(BucketTries, p.all, all.Encode())
	})
}

// noteFailure writes the audit row of a wrong password. It does so for the
// first try of a network and for tries that a pause follows, so that guessing
// does not fill the trail. An address without an account is recorded as the
// zero account.
func (pw *Passwords) noteFailure(ctx context.Context, addressID [32]byte, left int, now time.Time) error {
	if left != NetworkTries-1 && left != 0 {
		return nil
	}
	return pw.store.Update(ctx, func(tx *rows.Tx) error {
		id, _, err := account.FindByAddressID(tx, addressID)
		if err != nil && !errors.Is(err, refusal.ErrNotFound) {
			return err
		}
		return audit.WriteAccount(tx, now, audit.SignInFailed, id)
	})
}
