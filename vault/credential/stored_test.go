package vault

import (
	"context"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/secret"
)

// What tests of credentials look for in the store.
const (
	BucketAccount  = account.BucketAccount
	BucketPair     = credential.BucketPair
	BucketSession  = credential.BucketSession
	BucketSessions = credential.BucketSessions
	BucketToken    = credential.BucketToken
	BucketTokens   = credential.BucketTokens
	BucketEntry    = secret.BucketEntry
)

// The most sessions and tokens of an account.
const (
	SessionsMost = credential.SessionsMost
	TokensMost   = credential.TokensMost
	PairsMost    = credential.PairsMost
)

// Wrapped returns what is wrapped in a stored session, token or pair.
func Wrapped(bucket string, record []byte) ([]byte, error) {
	switch bucket {
	case credential.BucketSession:
		r, err := credential.DecodeSession(record)
		return r.Wrapped, err
	case credential.BucketToken:
		r, err := credential.DecodeToken(record)
		return r.Wrapped, err
	}
	r, err := credential.DecodePair(record)
	return r.Wrapped, err
}

// WrappedIn returns a stored session that holds another wrapped key.
func WrappedIn(record, wrapped []byte) ([]byte, error) {
	r, err := credential.DecodeSession(record)
	if err != nil {
		return nil, err
	}
	r.Wrapped = wrapped
	return r.Encode(), nil
}

// PasswordLabel is the place of a pair's wrapped key, by the pair's row.
func PasswordLabel(pairRow []byte) []byte {
	return credential.WrapLabel(caller.AccountID(pairRow[:16]), caller.PairID(pairRow[16:]), credential.HeldByPassword)
}

// StoredPassword returns how the password of a stored account is hashed.
func StoredPassword(record []byte) (seal.PasswordParams, error) {
	r, err := account.DecodeAccount(record)
	if err != nil {
		return seal.PasswordParams{}, err
	}
	return r.Password.Params, nil
}

// EntryBoxes returns what the stored entry of a list is sealed to.
func EntryBoxes(record []byte) (sealed [][]byte, err error) {
	r, err := secret.DecodeEntry(record)
	for _, b := range r.Boxes {
		sealed = append(sealed, b.Sealed)
	}
	return sealed, err
}

// EntryReceipt returns the receipt's row, by that of its entry.
func EntryReceipt(entryRow []byte) seal.RowKey { return seal.RowKey(entryRow[len(entryRow)-22:]) }

// WithStanding changes a stored account behind the vault's back.
func WithStanding(record []byte, pending, disabled bool) ([]byte, error) {
	r, err := account.DecodeAccount(record)
	if err != nil {
		return nil, err
	}
	r.Pending, r.Disabled = pending, disabled
	return r.Encode(), nil
}

// SetPasswordCost changes what hashing the next password costs.
func (v *Vault) SetPasswordCost(params seal.PasswordParams) { v.Passwords.SetCost(params) }

// PublicsOf returns to what an account's entries are sealed.
func (v *Vault) PublicsOf(ctx context.Context, id caller.AccountID) (publics []seal.AccountPublic, err error) {
	err = v.store.View(ctx, func(tx storage.Tx) error {
		publics = nil
		pairs, err := credential.LivePairs(tx, id)
		for _, p := range pairs {
			publics = append(publics, p.Public)
		}
		return err
	})
	return publics, err
}

// ReplaceMainPair gives an account another main pair and leaves its
// credentials as they are.
func (v *Vault) ReplaceMainPair(ctx context.Context, id caller.AccountID, key seal.AccountKey, h seal.WrappingSecret, now time.Time) error {
	return v.store.Update(ctx, func(tx storage.Tx) error { return v.Credentials.ReplaceMainPair(tx, id, key, h, now) })
}

// PutMainPair gives an account its first main pair.
func (v *Vault) PutMainPair(ctx context.Context, id caller.AccountID, key seal.AccountKey, h seal.WrappingSecret, now time.Time) error {
	return v.store.Update(ctx, func(tx storage.Tx) error { return v.Credentials.PutMainPair(tx, id, key, h, now) })
}

// EndCredentials ends all sessions and tokens of an account and returns how
// many there were.
func (v *Vault) EndCredentials(ctx context.Context, id caller.AccountID) (sessions, tokens int, err error) {
	err = v.store.Update(ctx, func(tx storage.Tx) (err error) {
		if sessions, err = credential.EndSessions(tx, id, nil); err != nil {
			return err
		}
		tokens, err = credential.EndTokens(tx, id)
		return err
	})
	return sessions, tokens, err
}

// ImportToken adds a token that was made elsewhere.
func (v *Vault) ImportToken(ctx context.Context, id caller.AccountID, token seal.APIToken, name string, scopes caller.Scopes, now time.Time) error {
	return v.store.Update(ctx, func(tx storage.Tx) error { return v.Credentials.ImportToken(tx, id, token, name, scopes, now) })
}

// FillUses leaves no room to remember further uses.
func (v *Vault) FillUses(at time.Time) {
	for n := range credential.UsesMost {
		v.Credentials.NoteUse(credential.UseKey{Bucket: credential.BucketSession, Row: [32]byte{byte(n), byte(n >> 8)}}, at)
	}
}
