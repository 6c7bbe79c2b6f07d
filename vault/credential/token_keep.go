package credential

import (
	"context"
	"errors"
	"slices"
	"time"

	"hush/seal"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/spent"
	"hush/vault/sweep"
)

// PutToken adds a token to the account of its maker, the zero Caller for the operator,
// and returns it with the parent and the expiry that it got. With rotate it ends an
// existing token of the same name; otherwise it returns ErrDuplicate for one. It
// returns TooManyError if there are too many, and PolicyError for a maker that must
// not replace the token.
func PutToken(tx *rows.Tx, t OwnToken, maker caller.Caller, rotate bool) (*TokenRecord, error) {
	owned, err := GetTokens(tx, t.Record.Account)
	if err != nil {
		return nil, err
	}
	present, now := lineage(owned), t.Record.created
	var old *OwnToken
	var ending []OwnToken
	for i, other := range present {
		named, expired := other.Record.name == t.Record.name, other.Record.Expired(now)
		if named && !expired {
			old = &present[i]
		}
		if named || expired {
			ending = append(ending, other)
		}
	}
	if old != nil && !rotate {
		return nil, refusal.ErrDuplicate
	}
	made := *t.Record // the transaction may run again
	parent, err := present.maker(maker)
	if err != nil {
		return nil, err
	}
	if err := present.place(&made, parent, old); err != nil {
		return nil, err
	}
	if err := admitParent(tx, &made); err != nil {
		return nil, err
	}
	ending = present.withChildren(ending)
	if len(present)-len(ending) >= TokensMost {
		return nil, &refusal.TooManyError{What: "API tokens", Limit: TokensMost}
	}
	if err := (OwnToken{t.row, &made}).put(tx); err != nil {
		return nil, err
	}
	// The ending tokens go last: the new one may hold the pair of one of them.
	return &made, revokeTokens(tx, ending, now)
}

func (t OwnToken) put(tx *rows.Tx) error {
	if err := tx.Put(BucketToken, t.row[:], t.Record.encode()); err != nil {
		return err
	}
	if err := tx.Put(BucketTokens, t.Record.tokensKey(), t.row[:]); err != nil {
		return err
	}
	if t.Record.expires.IsZero() {
		return nil
	}
	return sweep.PutDue(tx, t.Record.expires, sweep.DueToken, t.row[:])
}

// revokeTokens ends tokens, and notes those that end before their time.
func revokeTokens(tx *rows.Tx, list []OwnToken, now time.Time) error {
	for _, t := range list {
		if !t.Record.Expired(now) {
			if err := audit.WriteAccount(tx, now, audit.TokenRevoked, t.Record.Account); err != nil {
				return err
			}
		}
		if err := spent.Note(tx, spent.KindTokenRevoked, t.row[:], now); err != nil {
			return err
		}
	}
	return deleteTokens(tx, list)
}

// deleteTokens ends tokens. Their rows in the due index stay and have no
// effect.
func deleteTokens(tx *rows.Tx, list []OwnToken) error {
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
	err = cr.store.View(ctx, func(tx *rows.Tx) error {
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

// RevokeToken ends the first token that meant accepts and all that were made with it,
// or returns ErrNotFound.
func (cr *Credentials) RevokeToken(ctx context.Context, id caller.AccountID, meant func(*TokenRecord) bool) (ended APIToken, err error) {
	now := cr.clock.Now()
	err = cr.store.View(ctx, func(tx *rows.Tx) error {
		_, _, err := findToken(tx, id, meant, now)
		return err
	})
	if err != nil {
		return APIToken{}, err
	}
	err = cr.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
		found, owned, err := findToken(tx, id, meant, now)
		if err != nil {
			return err
		}
		ended = found.Record.Describe(cr.lastUsed.at(TokenUse(found.row), found.Record.Used))
		return revokeTokens(tx, owned.withChildren([]OwnToken{found}), now)
	})
	if err != nil {
		return APIToken{}, err
	}
	cr.watches.TellAccount(id)
	return ended, nil
}

// findToken returns the first token that meant accepts, and all of its account.
func findToken(tx *rows.Tx, id caller.AccountID, meant func(*TokenRecord) bool, now time.Time) (OwnToken, lineage, error) {
	owned, err := GetTokens(tx, id)
	if err != nil {
		return OwnToken{}, nil, err
	}
	at := slices.IndexFunc(owned, func(t OwnToken) bool { return meant(t.Record) && !t.Record.Expired(now) })
	if at < 0 {
		return OwnToken{}, nil, refusal.ErrNotFound
	}
	return owned[at], owned, nil
}

// EndTokens ends all tokens of an account and returns how many there were. The
// caller notes what ended the account's.
func EndTokens(tx *rows.Tx, id caller.AccountID) (int, error) {
	owned, err := GetTokens(tx, id)
	if err != nil {
		return 0, err
	}
	return len(owned), deleteTokens(tx, owned)
}

// EndToken ends an expired token.
func (cr *Credentials) EndToken(tx *rows.Tx, key []byte, now time.Time) (time.Time, error) {
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
func (cr *Credentials) ImportToken(tx *rows.Tx, id caller.AccountID, token seal.APIToken, name string, scopes caller.Scopes, now time.Time) error {
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
	if _, err := PutTokenPair(tx, cr.WrapToken(token, record, id, pair, key), key, false); err != nil {
		return err
	}
	return audit.WriteAccount(tx, now, audit.Token, id)
}

// PutTokenPair is PutToken for a token of the operator, together with the pair that it
// alone holds.
func PutTokenPair(tx *rows.Tx, t OwnToken, key seal.AccountKey, rotate bool) (*TokenRecord, error) {
	id := t.Record.Account
	if err := putPair(tx, id, t.Record.Pair, &PairRecord{created: t.Record.created, public: key.Public()}); err != nil {
		return nil, err
	}
	made, err := PutToken(tx, t, caller.Caller{}, rotate)
	if err != nil {
		return nil, err
	}
	return made, checkPairLimit(tx, id)
}

// TokenID returns a filter for a token's id.
func TokenID(id string) func(*TokenRecord) bool {
	return func(r *TokenRecord) bool { return r.id.String() == id }
}

// TokenNamed returns a filter for a token's name.
func TokenNamed(name string) func(*TokenRecord) bool {
	return func(r *TokenRecord) bool { return r.name == name }
}
