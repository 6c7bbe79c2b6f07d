package vault

import (
	"context"

	"hush/seal"
)

// newPasswordParams are what the next password is hashed with.
func (v *Vault) newPasswordParams() seal.PasswordParams {
	if v.passwords == (seal.PasswordParams{}) {
		return seal.NewPasswordParams()
	}
	return v.passwords.Renewed()
}

// hashPassword waits for its turn and hashes. It returns ErrBusy if too many
// wait already.
func (v *Vault) hashPassword(ctx context.Context, params seal.PasswordParams, password Text) (seal.PasswordHash, error) {
	leave, err := v.hasher.passwords.turn(ctx)
	if err != nil {
		return seal.PasswordHash{}, err
	}
	defer leave()
	return v.hasher.password(params, password), nil
}

// newPassword is a password that is to be stored: its record, and what unwraps
// the account's key for whoever knows it.
type newPassword struct {
	record passwordRecord
	holder seal.Holder
}

// preparePassword hashes a password that was checked.
func (v *Vault) preparePassword(ctx context.Context, password Text) (newPassword, error) {
	params := v.newPasswordParams()
	hash, err := v.hashPassword(ctx, params, password)
	if err != nil {
		return newPassword{}, err
	}
	return newPassword{v.passwordRecord(params, hash), hash.Holder()}, nil
}

// passwordRecord is what is stored of a hashed password.
func (v *Vault) passwordRecord(params seal.PasswordParams, hash seal.PasswordHash) passwordRecord {
	return passwordRecord{params: params, verifier: v.keys.PasswordVerifier(hash), keyed: true, kid: v.keys.KID()}
}

// passwordIs reports whether hash is of an account's password. Accounts without
// one, and none at all, have none that matches. An account that waits for its
// link has none either: what an older version stored came with the sign-up,
// which anyone may have sent.
func (v *Vault) passwordIs(r *accountRecord, hash seal.PasswordHash) bool {
	var stored passwordRecord
	if r != nil && r.password != nil && !r.pending {
		stored = *r.password
	}
	keyed := v.keys.PasswordMatches(hash, stored.verifier) && stored.kid == v.keys.KID()
	unkeyed := hash.MatchesUnkeyed(stored.verifier)
	if stored.keyed {
		return keyed
	}
	return unkeyed
}
