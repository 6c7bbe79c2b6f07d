package account

import (
	"context"

	"hush/seal"
	"hush/vault/caller"
)

// NewPasswordParams returns the parameters for hashing the next password.
func (pw *Passwords) NewPasswordParams() seal.PasswordParams {
	if pw.cost == (seal.PasswordParams{}) {
		return seal.NewPasswordParams()
	}
	return pw.cost.Renewed()
}

// hashPassword waits for a place and hashes. It returns ErrBusy if too many
// callers are waiting.
func (pw *Passwords) hashPassword(ctx context.Context, params seal.PasswordParams, password caller.Text) (seal.PasswordHash, error) {
	release, err := pw.hasher.Passwords.Enter(ctx)
	if err != nil {
		return seal.PasswordHash{}, err
	}
	defer release()
	return pw.hasher.Password(params, password), nil
}

// NewPassword is a password to be stored: its record, and the secret that wraps
// the account's key.
type NewPassword struct {
	Record         PasswordRecord
	WrappingSecret seal.WrappingSecret
}

// accountSecret is an account's password with the key that it unwraps.
type accountSecret struct {
	password NewPassword
	key      seal.AccountKey
}

// PreparePassword hashes a checked password.
func (pw *Passwords) PreparePassword(ctx context.Context, password caller.Text) (NewPassword, error) {
	params := pw.NewPasswordParams()
	hash, err := pw.hashPassword(ctx, params, password)
	if err != nil {
		return NewPassword{}, err
	}
	return NewPassword{pw.PasswordRecord(params, hash), hash.WrappingSecret()}, nil
}

// PasswordRecord returns what is stored of a hashed password.
func (pw *Passwords) PasswordRecord(params seal.PasswordParams, hash seal.PasswordHash) PasswordRecord {
	verifier, kid := pw.keys.PasswordVerifier(hash)
	return PasswordRecord{Params: params, Verifier: verifier, Keyed: true, KID: kid}
}

// IsOutdated reports whether what is stored of a password was not made with the
// current root key, so that PasswordRecord should replace it at the next sign-in.
func (pw *Passwords) IsOutdated(p *PasswordRecord) bool {
	return !p.Keyed || p.KID != pw.keys.KID()
}

// PasswordIs reports whether hash is that of an account's password. It is false
// for a nil account, an account without a password, and an account that is not
// confirmed: what an older version stored came with the sign-up, which anyone
// may have sent.
func (pw *Passwords) PasswordIs(r *Record, hash seal.PasswordHash) bool {
	var stored PasswordRecord
	if r != nil && r.Password != nil && !r.Pending {
		stored = *r.Password
	}
	keyed := pw.keys.PasswordMatches(hash, stored.Verifier, stored.KID)
	unkeyed := hash.MatchesUnkeyed(stored.Verifier)
	if stored.Keyed {
		return keyed
	}
	return unkeyed
}
