package password

import (
	"context"

	"hush/seal"
	"hush/vault/account"
	"hush/vault/caller"
)

// NewParams returns the parameters for hashing the next password.
func (pw *Passwords) NewParams() seal.PasswordParams {
	if pw.cost == (seal.PasswordParams{}) {
		return seal.NewPasswordParams()
	}
	return pw.cost.Renewed()
}

// hashPassword waits for a place and hashes. It returns ErrBusy if too many
// callers are waiting.
func (pw *Passwords) hashPassword(ctx context.Context, params seal.PasswordParams, password caller.Text) (seal.PasswordHash, error) {
	release, err := pw.hasher.EnterPassword(ctx)
	if err != nil {
		return seal.PasswordHash{}, err
	}
	defer release()
	return pw.hasher.Password(params, password), nil
}

// Hash hashes a checked password.
func (pw *Passwords) Hash(ctx context.Context, password caller.Text) (account.NewPassword, error) {
	params := pw.NewParams()
	hash, err := pw.hashPassword(ctx, params, password)
	if err != nil {
		return account.NewPassword{}, err
	}
	return account.NewPassword{Record: pw.Record(params, hash), WrappingSecret: hash.WrappingSecret()}, nil
}

// Record returns what is stored of a hashed password.
func (pw *Passwords) Record(params seal.PasswordParams, hash seal.PasswordHash) account.PasswordRecord {
	verifier, kid := pw.keys.PasswordVerifier(hash)
	return account.PasswordRecord{Params: params, Verifier: verifier, Keyed: true, KID: kid}
}

// IsOutdated reports whether what is stored of a password was not made with the
// current root key, so that Record should replace it at the next sign-in.
func (pw *Passwords) IsOutdated(p *account.PasswordRecord) bool {
	return !p.Keyed || p.KID != pw.keys.KID()
}
