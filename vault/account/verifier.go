package account

import (
	"hush/seal"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/ticket"
)

// PasswordIs reports whether hash is that of an account's password. It is false
// for a nil account, an account without a password, and an account that is not
// confirmed: what an older version stored came with the sign-up, which anyone
// may have sent.
func (ac *Accounts) PasswordIs(r *Record, hash seal.PasswordHash) bool {
	var stored PasswordRecord
	if r != nil && r.Password != nil && !r.Pending {
		stored = *r.Password
	}
	keyed := ac.keys.PasswordMatches(hash, stored.Verifier, stored.KID)
	unkeyed := hash.MatchesUnkeyed(stored.Verifier)
	if stored.Keyed {
		return keyed
	}
	return unkeyed
}

// StillProved loads an account whose password was verified. It returns
// ErrCredentials if the password has changed meanwhile.
func (ac *Accounts) StillProved(tx *rows.Tx, id caller.AccountID, hash seal.PasswordHash) (*Record, error) {
	r, err := UsableAccount(tx, id)
	if err == nil && !ac.PasswordIs(r, hash) {
		return nil, refusal.ErrCredentials
	}
	return r, err
}

// SetPassword puts a password into a record, which the caller stores. It ends
// what was mailed under the old one: a link to set a password, and one to a new
// address. The networks of earlier sign-ins no longer count: they may not be
// the owner's.
func SetPassword(tx *rows.Tx, r *Record, password *PasswordRecord) error {
	r.Password, r.PendingAddress, r.Networks = password, nil, nil
	return r.Tickets.Drop(tx, ticket.Reset, ticket.Address)
}
