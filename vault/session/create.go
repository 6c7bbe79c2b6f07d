package session

import (
	"context"
	"errors"
	"time"

	"hush/seal"
	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/email"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// CreateSession signs in with an account's address and password. It always
// creates a new session: nothing that a browser sent becomes its id. It returns
// ErrCredentials, which does not reveal what was wrong, LockedError or ErrBusy.
// An unconfirmed account has no password.
func (se *Sessions) CreateSession(ctx context.Context, c caller.Caller, address, password caller.Text, remember bool) (SignedIn, error) {
	for range signInRounds {
		signed, err := se.tryToSignIn(ctx, c, address, password, remember)
		if !errors.Is(err, errPasswordMoved) {
			return signed, err
		}
	}
	return SignedIn{}, refusal.ErrBusy
}

// signInRounds is how often a sign-in retries when the password's hash was
// replaced during the comparison.
const signInRounds = 3

// errPasswordMoved reports that the stored hash was replaced after the
// comparison.
var errPasswordMoved = errors.New("vault: the password's hash changed")

func (se *Sessions) tryToSignIn(ctx context.Context, c caller.Caller, address, password caller.Text, remember bool) (SignedIn, error) {
	now := se.clock.Now()
	who, err := se.claimant(ctx, address)
	if err != nil {
		return SignedIn{}, err
	}
	hash, err := se.passwords.Prove(ctx, c, who.addressID, who.record, password, now)
	if err != nil {
		return SignedIn{}, err
	}
	in := signIn{
		id: who.id, hash: hash, next: se.strongerPassword(ctx, who.record, password), cookie: seal.NewSessionID(),
		network: se.keys.NetworkID(c.Network.Bytes()),
		record: credential.SessionRecord{
			Account: who.id, ID: credential.NewPublicID(), Created: now, Used: now,
			Remembered: remember, Network: c.Network.Masked(), Device: c.Device,
		},
	}
	var account account.Account
	err = se.store.Update(ctx, func(tx *rows.Tx) (err error) {
		account, err = se.signIn(tx, in, now)
		return err
	})
	if err != nil {
		return SignedIn{}, err
	}
	se.watches.TellAccount(who.id) // the oldest session may have ended
	return SignedIn{
		Cookie: in.cookie, Session: in.record.Describe(now, true),
		Account: account, Shrimp: se.keys.Shrimp(in.cookie),
	}, nil
}

// claimant is the account that a caller claims to own.
type claimant struct {
	addressID [32]byte
	id        caller.AccountID
	record    *account.Record // nil if there is no such account
}

// claimant looks up the account of an address. A malformed address has no
// account, like an unknown one.
func (se *Sessions) claimant(ctx context.Context, address caller.Text) (claimant, error) {
	canonical, err := email.Canonical(address)
	if err != nil {
		canonical = string(address)
	}
	who := claimant{addressID: se.keys.AddressID(canonical)}
	err = se.store.View(ctx, func(tx *rows.Tx) error {
		who.id, who.record = caller.AccountID{}, nil
		id, record, err := se.accounts.FindByAddress(tx, canonical)
		if errors.Is(err, refusal.ErrNotFound) || err == nil && !record.Destroyed.IsZero() {
			return nil
		}
		who.id, who.record = id, record
		return err
	})
	return who, err
}

// strongerPassword hashes a right password anew if its hash is weaker than new
// ones. It returns nil if not, or if there is no time.
func (se *Sessions) strongerPassword(ctx context.Context, r *account.Record, password caller.Text) *account.NewPassword {
	if !r.Password.Params.Weaker(se.passwords.NewParams()) {
		return nil
	}
	next, err := se.passwords.Hash(ctx, password)
	if err != nil {
		return nil
	}
	return &next
}

// signIn is a session to be created after the password was verified.
type signIn struct {
	id     caller.AccountID
	hash   seal.PasswordHash
	next   *account.NewPassword // nil to keep the stored one
	cookie seal.SessionID
	record credential.SessionRecord
	// network is the network of the sign-in.
	network [8]byte
}

// signIn adds the session to its account and returns the account.
func (se *Sessions) signIn(tx *rows.Tx, in signIn, now time.Time) (account.Account, error) {
	owner, err := se.signedInto(tx, in)
	if err != nil {
		return account.Account{}, err
	}
	if err := se.openSession(tx, in); err != nil {
		return account.Account{}, err
	}
	owner.SignedIn = now
	owner.Remember(in.network, now)
	if se.passwords.IsOutdated(owner.Password) {
		owner.Password = new(se.passwords.Record(owner.Password.Params, in.hash))
	}
	if in.next != nil {
		owner.Password = &in.next.Record
		if err := se.credentials.RewrapMainPair(tx, in.id, in.hash.WrappingSecret(), in.next.WrappingSecret); err != nil {
			return account.Account{}, err
		}
	}
	if err := account.PutAccount(tx, in.id, owner); err != nil {
		return account.Account{}, err
	}
	if err := audit.WriteAccount(tx, now, audit.SignIn, in.id); err != nil {
		return account.Account{}, err
	}
	return se.accounts.DescribeAccount(tx, in.id, owner)
}

// signedInto loads the account, which may have changed during the hash, and
// returns an error unless it may be signed in to.
func (se *Sessions) signedInto(tx *rows.Tx, in signIn) (*account.Record, error) {
	account, err := account.GetAccount(tx, in.id)
	switch {
	case errors.Is(err, refusal.ErrNotFound):
		return nil, refusal.ErrCredentials
	case err != nil:
		return nil, err
	case account.Disabled || !account.Destroyed.IsZero():
		return nil, refusal.ErrCredentials
	case !se.accounts.PasswordIs(account, in.hash):
		return nil, errPasswordMoved // replaced by a stronger hash, or by another password
	}
	return account, nil
}

// openSession stores the session. It holds the pair that the password holds.
func (se *Sessions) openSession(tx *rows.Tx, in signIn) error {
	main, key, err := se.credentials.OpenMainPair(tx, in.id, in.hash.WrappingSecret())
	if err != nil {
		return err
	}
	if err := se.credentials.RenewMainPair(tx, in.id, main, in.hash.WrappingSecret(), key); err != nil {
		return err
	}
	record := in.record
	if tx.Format() < rows.FormatClaims {
		record.Device = caller.Device{} // nodes of earlier releases could not read the session
	}
	record.Pair = main.ID
	record.Wrapped = se.keys.WrapAccountKey(in.cookie.WrappingSecret(), credential.WrapLabel(in.id, main.ID, credential.HeldBySession), key)
	return admitSession(tx, in.cookie.Row(), &record)
}

// admitSession adds a session and ends the oldest if there are too many.
func admitSession(tx *rows.Tx, row [32]byte, r *credential.SessionRecord) error {
	present, err := credential.GetSessions(tx, r.Account)
	if err != nil {
		return err
	}
	if err := credential.PutSession(tx, row, r); err != nil {
		return err
	}
	for _, old := range present[min(len(present), credential.SessionsMost-1):] {
		if err := credential.DeleteSession(tx, old); err != nil {
			return err
		}
	}
	return nil
}
