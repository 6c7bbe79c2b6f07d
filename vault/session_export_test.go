package vault

import (
	"context"
	"time"

	"hush/seal"
	"hush/storage"
)

// What tests of credentials look for in the store.
const (
	BucketAccount  = bucketAccount
	BucketPair     = bucketPair
	BucketSession  = bucketSession
	BucketSessions = bucketSessions
	BucketToken    = bucketToken
	BucketTokens   = bucketTokens
	BucketEntry    = bucketEntry
)

// The most sessions and tokens of an account.
const (
	SessionsMost = sessionsMost
	TokensMost   = tokensMost
	PairsMost    = pairsMost
)

// Wrapped returns what is wrapped in a stored session, token or pair.
func Wrapped(bucket string, record []byte) ([]byte, error) {
	switch bucket {
	case bucketSession:
		r, err := decodeSession(record)
		return r.wrapped, err
	case bucketToken:
		r, err := decodeToken(record)
		return r.wrapped, err
	}
	r, err := decodePair(record)
	return r.wrapped, err
}

// WrappedIn returns a stored session that holds another wrapped key.
func WrappedIn(record, wrapped []byte) ([]byte, error) {
	r, err := decodeSession(record)
	if err != nil {
		return nil, err
	}
	r.wrapped = wrapped
	return r.encode(), nil
}

// PasswordLabel is the place of a pair's wrapped key, by the pair's row.
func PasswordLabel(pairRow []byte) []byte {
	return wrapLabel(AccountID(pairRow[:16]), pairID(pairRow[16:]), heldByPassword)
}

// StoredPassword returns how the password of a stored account is hashed.
func StoredPassword(record []byte) (seal.PasswordParams, error) {
	r, err := decodeAccount(record)
	if err != nil {
		return seal.PasswordParams{}, err
	}
	return r.password.params, nil
}

// EntryBoxes returns what the stored entry of a list is sealed to.
func EntryBoxes(record []byte) (sealed [][]byte, err error) {
	r, err := decodeEntry(record)
	for _, b := range r.boxes {
		sealed = append(sealed, b.sealed)
	}
	return sealed, err
}

// EntryReceipt returns the receipt's row, by that of its entry.
func EntryReceipt(entryRow []byte) seal.RowKey { return seal.RowKey(entryRow[len(entryRow)-22:]) }

// WithStanding changes a stored account behind the vault's back.
func WithStanding(record []byte, pending, disabled bool) ([]byte, error) {
	r, err := decodeAccount(record)
	if err != nil {
		return nil, err
	}
	r.pending, r.disabled = pending, disabled
	return r.encode(), nil
}

// SetPasswordCost changes what hashing the next password costs.
func (v *Vault) SetPasswordCost(params seal.PasswordParams) { v.passwords = params }

// PublicsOf returns to what an account's entries are sealed.
func (v *Vault) PublicsOf(ctx context.Context, id AccountID) (publics []seal.AccountPublic, err error) {
	err = v.store.View(ctx, func(tx storage.Tx) error {
		publics = nil
		pairs, err := livePairs(tx, id)
		for _, p := range pairs {
			publics = append(publics, p.public)
		}
		return err
	})
	return publics, err
}

// ReplaceMainPair gives an account another main pair and leaves its
// credentials as they are.
func (v *Vault) ReplaceMainPair(ctx context.Context, id AccountID, key seal.AccountKey, h seal.Holder, now time.Time) error {
	return v.store.Update(ctx, func(tx storage.Tx) error { return v.replaceMainPair(tx, id, key, h, now) })
}

// PutMainPair gives an account its first main pair.
func (v *Vault) PutMainPair(ctx context.Context, id AccountID, key seal.AccountKey, h seal.Holder, now time.Time) error {
	return v.store.Update(ctx, func(tx storage.Tx) error { return v.putMainPair(tx, id, key, h, now) })
}

// EndCredentials ends all sessions and tokens of an account and returns how
// many there were.
func (v *Vault) EndCredentials(ctx context.Context, id AccountID) (sessions, tokens int, err error) {
	err = v.store.Update(ctx, func(tx storage.Tx) (err error) {
		if sessions, err = endSessions(tx, id, nil); err != nil {
			return err
		}
		tokens, err = endTokens(tx, id)
		return err
	})
	return sessions, tokens, err
}

// ImportToken adds a token that was made elsewhere.
func (v *Vault) ImportToken(ctx context.Context, id AccountID, token seal.APIToken, name string, scopes Scopes, now time.Time) error {
	return v.store.Update(ctx, func(tx storage.Tx) error { return v.importToken(tx, id, token, name, scopes, now) })
}

// FillUses leaves no room to remember further uses.
func (v *Vault) FillUses(at time.Time) {
	for n := range usesMost {
		v.uses.note(sampleUse(n), at)
	}
}
