package account

import (
	"context"

	"hush/seal"
	"hush/vault/caller"
)

// NewPasswordParams are what the next password is hashed with.
func (pw *Passwords) NewPasswordParams() seal.PasswordParams {
	if pw.cost == (seal.PasswordParams{}) {
		return seal.NewPasswordParams()
	}
	return pw.cost.Renewed()
}

// hashPassword waits for its turn and hashes. It returns ErrBusy if too many
// wait already.
func (pw *Passwords) hashPassword(ctx context.Context, params seal.PasswordParams, password caller.Text) (seal.PasswordHash, error) {
	release, err := pw.hasher.Passwords.Enter(ctx)
	if err != nil {
		return seal.PasswordHash{}, err
	}
	defer release()
	return pw.hasher.Password(params, password), nil
}

// NewPassword is a password that is to be stored: its record, and what unwraps
// the account's key for whoever knows it.
type NewPassword struct {
	Record         PasswordRecord
	WrappingSecret seal.WrappingSecret
}

// PreparePassword hashes a password that was checked.
func (pw *Passwords) PreparePassword(ctx context.Context, password caller.Text) (NewPassword, error) {
	params := pw.NewPasswordParams()
	hash, err := pw.hashPassword(ctx, params, password)
	if err != nil {
		return NewPassword{}, err
	}
	return NewPassword{pw.PasswordRecord(params, hash), hash.WrappingSecret()}, nil
}

// PasswordRecord is what is stored of a hashed password.
func (pw *Passwords) PasswordRecord(params seal.PasswordParams, hash seal.PasswordHash) PasswordRecord {
	return PasswordRecord{Params: params, Verifier: pw.keys.PasswordVerifier(hash), Keyed: true, KID: pw.keys.KID()}
}

// PasswordIs reports whether hash is of an account's password. Accounts without
// one, and none at all, have none that matches. An account that waits for its
// link has none either: what an older version stored came with the sign-up,
// which anyone may have sent.
func (pw *Passwords) PasswordIs(r *Record, hash seal.PasswordHash) bool {
	var stored PasswordRecord
	if r != nil && r.Password != nil && !r.Pending {
		stored = *r.Password
	}
	keyed := pw.keys.PasswordMatches(hash, stored.Verifier) && stored.KID == pw.keys.KID()
	unkeyed := hash.MatchesUnkeyed(stored.Verifier)
	if stored.Keyed {
		return keyed
	}
	return unkeyed
}

// SetCost changes what hashing the next password costs. For tests.
func (pw *Passwords) SetCost(params seal.PasswordParams) { pw.cost = params }
