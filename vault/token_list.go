package vault

import (
	"context"
	"slices"
	"time"

	"hush/storage"
)

// ListAPITokens lists the tokens of the caller's account, oldest first.
// Callers without one get ErrUnauthenticated.
func (v *Vault) ListAPITokens(ctx context.Context, c Caller) ([]APIToken, error) {
	if c.with == nil {
		return nil, ErrUnauthenticated
	}
	return v.listTokens(ctx, c.with.id)
}

func (v *Vault) listTokens(ctx context.Context, id AccountID) (list []APIToken, err error) {
	now := v.clock.now()
	err = v.store.View(ctx, func(tx storage.Tx) error {
		list = nil
		owned, err := getTokens(tx, id)
		for _, t := range owned {
			if !t.record.expired(now) {
				list = append(list, t.record.describe(v.uses.at(useKey{bucketToken, t.row}, t.record.used)))
			}
		}
		return err
	})
	return list, err
}

// RevokeAPIToken ends a token of the caller's account; whoever comes with it
// next is refused. It returns ErrNotFound if the account has none of that id,
// and ErrUnauthenticated for callers without an account.
func (v *Vault) RevokeAPIToken(ctx context.Context, c Caller, id string) error {
	if c.with == nil {
		return ErrUnauthenticated
	}
	_, err := v.revokeToken(ctx, c.with.id, func(r *tokenRecord) bool { return r.id.String() == id })
	return err
}

// revokeToken ends the first token that is meant, or returns ErrNotFound.
func (v *Vault) revokeToken(ctx context.Context, id AccountID, meant func(*tokenRecord) bool) (ended APIToken, err error) {
	now := v.clock.now()
	err = v.store.View(ctx, func(tx storage.Tx) error {
		_, err := findToken(tx, id, meant, now)
		return err
	})
	if err != nil {
		return APIToken{}, err
	}
	err = v.store.UpdateReserved(ctx, func(tx storage.Tx) error {
		found, err := findToken(tx, id, meant, now)
		if err != nil {
			return err
		}
		ended = found.record.describe(v.uses.at(useKey{bucketToken, found.row}, found.record.used))
		if err := deleteTokens(tx, []ownToken{found}); err != nil {
			return err
		}
		return auditAccount(tx, now, AuditTokenRevoked, id)
	})
	if err != nil {
		return APIToken{}, err
	}
	v.watches.tellAccount(id)
	return ended, nil
}

func findToken(tx storage.Tx, id AccountID, meant func(*tokenRecord) bool, now time.Time) (ownToken, error) {
	owned, err := getTokens(tx, id)
	if err != nil {
		return ownToken{}, err
	}
	at := slices.IndexFunc(owned, func(t ownToken) bool { return meant(t.record) && !t.record.expired(now) })
	if at < 0 {
		return ownToken{}, ErrNotFound
	}
	return owned[at], nil
}

// endTokens ends all tokens of an account and returns how many there were.
func endTokens(tx storage.Tx, id AccountID) (int, error) {
	owned, err := getTokens(tx, id)
	if err != nil {
		return 0, err
	}
	return len(owned), deleteTokens(tx, owned)
}

// endToken ends a token whose time is over.
func (v *Vault) endToken(tx storage.Tx, key []byte, now time.Time) (time.Time, error) {
	if len(key) != 32 {
		return time.Time{}, errDamaged
	}
	row := [32]byte(key)
	record, err := getToken(tx, row)
	if err != nil {
		return time.Time{}, unlessGone(err)
	}
	if !record.expired(now) {
		return record.expires, nil
	}
	return time.Time{}, deleteTokens(tx, []ownToken{{row, record}})
}
