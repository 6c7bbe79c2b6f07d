package credential

import (
	"context"
	"errors"
	"slices"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/spent"
)

// PutToken adds a token to its account. With rotate it ends an existing token
// of the same name; otherwise it returns ErrDuplicate for one. It returns
// TooManyError if there are too many.
func PutToken(tx storage.Tx, t OwnToken, rotate bool) error {
	present, err := GetTokens(tx, t.Record.Account)
	if err != nil {
		return err
	}
	ending := present[:0:0]
	for _, other := range present {
		named := other.Record.name == t.Record.name
		if named && !rotate && !other.Record.Expired(t.Record.created) {
			return refusal.ErrDuplicate
		}
		if named || other.Record.Expired(t.Record.created) {
			ending = append(ending, other)
		}
	}
	if len(present)-len(ending) >= TokensMost {
		return &refusal.TooManyError{What: "API tokens", Limit: TokensMost}
	}
	if err := t.put(tx); err != nil {
		return err
	}
	// The ending tokens go last: the new one may hold the pair of one of them.
	return revokeTokens(tx, ending, t.Record.created)
}

func (t OwnToken) put(tx storage.Tx) error {
	if err := tx.Put(BucketToken, t.row[:], t.Record.encode()); err != nil {
		return err
	}
	if err := tx.Put(BucketTokens, t.Record.tokensKey(), t.row[:]); err != nil {
		return err
	}
	if t.Record.expires.IsZero() {
		return nil
	}
	return rows.PutDue(tx, t.Record.expires, rows.DueToken, t.row[:])
}

// revokeTokens ends tokens before their time.
func revokeTokens(tx storage.Tx, list []OwnToken, now time.Time) error {
	for _, t := range list {
		if err := spent.Note(tx, spent.KindTokenRevoked, t.row[:], now); err != nil {
			return err
		}
	}
	return deleteTokens(tx, list)
}

// deleteTokens ends tokens. Their rows in the due index stay and have no
// effect.
func deleteTokens(tx storage.Tx, list []OwnToken) error {
	for _, t := range list {
		if err := tx.Delete(BucketToken, t.row[:]); err != nil {
			return err
		}
		if err := tx.Delete(BucketTokens, t.Record.tokensKey()); err != nil {
			return err
		}
		if err := dropPair(tx, t.Record.Account, t.Record.Pair); err != nil {
			return err
		}
	}
	return nil
}

// ListTokens lists the tokens of an account, oldest first.
func (cr *Credentials) ListTokens(ctx context.Context, id caller.AccountID) (list []APIToken, err error) {
	now := cr.clock.Now()
	err = cr.store.View(ctx, func(tx storage.Tx) error {
		list = nil
		owned, err := GetTokens(tx, id)
		for _, t := range owned {
			if !t.Record.Expired(now) {
				list = append(list, t.Record.Describe(cr.lastUsed.at(TokenUse(t.row), t.Record.Used)))
			}
		}
		return err
	})
	return list, err
}

// RevokeToken ends the first token that meant accepts, or returns ErrNotFound.
func (cr *Credentials) RevokeToken(ctx context.Context, id caller.AccountID, meant func(*TokenRecord) bool) (ended APIToken, err error) {
	now := cr.clock.Now()
	err = cr.store.View(ctx, func(tx storage.Tx) error {
		_, err := findToken(tx, id, meant, now)
		return err
	})
	if err != nil {
		return APIToken{}, err
	}
	err = cr.store.UpdateReserved(ctx, func(tx storage.Tx) error {
		found, err := findToken(tx, id, meant, now)
		if err != nil {
			return err
		}
		ended = found.Record.Describe(cr.lastUsed.at(TokenUse(found.row), found.Record.Used))
		if err := revokeTokens(tx, []OwnToken{found}, now); err != nil {
			return err
		}
		return rows.WriteAccountAudit(tx, now, rows.AuditTokenRevoked, id)
	})
	if err != nil {
		return APIToken{}, err
	}
	cr.changed(id)
	return ended, nil
}

func findToken(tx storage.Tx, id caller.AccountID, meant func(*TokenRecord) bool, now time.Time) (OwnToken, error) {
	owned, err := GetTokens(tx, id)
	if err != nil {
		return OwnToken{}, err
	}
	at := slices.IndexFunc(owned, func(t OwnToken) bool { return meant(t.Record) && !t.Record.Expired(now) })
	if at < 0 {
		return OwnToken{}, refusal.ErrNotFound
	}
	return owned[at], nil
}

// EndTokens ends all tokens of an account and returns how many there were. The
// caller notes what ended the account's.
func EndTokens(tx storage.Tx, id caller.AccountID) (int, error) {
	owned, err := GetTokens(tx, id)
	if err != nil {
		return 0, err
	}
	return len(owned), deleteTokens(tx, owned)
}

// EndToken ends an expired token.
func (cr *Credentials) EndToken(tx storage.Tx, key []byte, now time.Time) (time.Time, error) {
	if len(key) != 32 {
		return time.Time{}, rows.ErrDamaged
	}
	row := [32]byte(key)
	record, err := GetToken(tx, row)
	if err != nil {
		return time.Time{}, unlessGone(err)
	}
	if !record.Expired(now) {
		return record.expires, nil
	}
	return time.Time{}, deleteTokens(tx, []OwnToken{{row, record}})
}

// WrapToken completes a token's record, which then holds the given pair of the
// account.
func (cr *Credentials) WrapToken(token seal.APIToken, r *TokenRecord, id caller.AccountID, pair caller.PairID, key seal.AccountKey) OwnToken {
	r.Account, r.Pair = id, pair
	r.Wrapped = cr.keys.WrapAccountKey(token.WrappingSecret(), WrapLabel(id, pair, HeldByToken), key)
	return OwnToken{token.Row(), r}
}

// ImportToken adds a token from another service with a pair of its own. It
// returns ErrDuplicate if the token or its name exists, and TooManyError if
// there are too many.
func (cr *Credentials) ImportToken(tx storage.Tx, id caller.AccountID, token seal.APIToken, name string, scopes caller.Scopes, now time.Time) error {
	_, err := GetToken(tx, token.Row())
	if err == nil {
		return refusal.ErrDuplicate
	}
	if !errors.Is(err, refusal.ErrNotFound) {
		return err
	}
	record, err := NewToken{Name: name, Scopes: scopes}.Draft(now)
	if err != nil {
		return err
	}
	key, pair := seal.NewAccountKey(), NewPairID()
	return PutTokenPair(tx, cr.WrapToken(token, record, id, pair, key), key, false)
}

// PutTokenPair adds a token together with the pair that it alone holds.
func PutTokenPair(tx storage.Tx, t OwnToken, key seal.AccountKey, rotate bool) error {
	id := t.Record.Account
	if err := putPair(tx, id, t.Record.Pair, &PairRecord{created: t.Record.created, public: key.Public()}); err != nil {
		return err
	}
	if err := PutToken(tx, t, rotate); err != nil {
		return err
	}
	return checkPairLimit(tx, id)
}

// TokenID returns a filter for a token's id.
func TokenID(id string) func(*TokenRecord) bool {
	return func(r *TokenRecord) bool { return r.id.String() == id }
}

// TokenNamed returns a filter for a token's name.
func TokenNamed(name string) func(*TokenRecord) bool {
	return func(r *TokenRecord) bool { return r.name == name }
}
