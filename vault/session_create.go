package vault

import (
	"context"
	"errors"
	"time"

	"hush/seal"
	"hush/storage"
)

// CreateSession signs in with an account's address and password. A session is
// always a new one: nothing that a browser brought becomes its id. Its errors
// are ErrCredentials, which does not tell what was wrong, LockedError and
// ErrBusy. An account whose address was not confirmed has no password yet.
func (v *Vault) CreateSession(ctx context.Context, c Caller, address, password Text, remember bool) (SignedIn, error) {
	for range signInRounds {
		signed, err := v.tryToSignIn(ctx, c, address, password, remember)
		if !errors.Is(err, errPasswordMoved) {
			return signed, err
		}
	}
	return SignedIn{}, ErrBusy
}

// signInRounds is how often a sign-in looks again when the password's hash was
// replaced while it was compared.
const signInRounds = 3

// errPasswordMoved: the stored hash is another one than was compared with.
var errPasswordMoved = errors.New("vault: the password's hash moved on")

func (v *Vault) tryToSignIn(ctx context.Context, c Caller, address, password Text, remember bool) (SignedIn, error) {
	now := v.clock.now()
	who, err := v.claimant(ctx, address)
	if err != nil {
		return SignedIn{}, err
	}
	hash, err := v.provePassword(ctx, c, who.addressID, who.record, password, now)
	if err != nil {
		return SignedIn{}, err
	}
	in := signIn{
		id: who.id, hash: hash, next: v.strongerPassword(ctx, who.record, password), cookie: seal.NewSessionID(),
		network: v.keys.NetworkID(c.Network.bytes()),
		record: sessionRecord{
			account: who.id, id: newPublicID(), created: now, used: now,
			remembered: remember, network: c.Network.Masked(),
		},
	}
	var account Account
	err = v.store.Update(ctx, func(tx storage.Tx) (err error) {
		account, err = v.signIn(tx, in, now)
		return err
	})
	if err != nil {
		return SignedIn{}, err
	}
	v.watches.tellAccount(who.id) // the oldest session may have made room
	return SignedIn{
		Cookie: in.cookie, Session: in.record.describe(now, true),
		Account: account, Shrimp: v.keys.Shrimp(in.cookie),
	}, nil
}

// claimant is who somebody says they are.
type claimant struct {
	addressID [32]byte
	id        AccountID
	record    *accountRecord // nil if there is no such account
}

// claimant looks up the account of an address. What is no address has none,
// like one that nobody signed up with.
func (v *Vault) claimant(ctx context.Context, address Text) (claimant, error) {
	canonical, err := canonicalAddress(address)
	if err != nil {
		canonical = string(address)
	}
	who := claimant{addressID: v.keys.AddressID(canonical)}
	err = v.store.View(ctx, func(tx storage.Tx) error {
		who.id, who.record = AccountID{}, nil
		id, record, err := v.findByAddress(tx, canonical)
		if errors.Is(err, ErrNotFound) || err == nil && !record.destroyed.IsZero() {
			return nil
		}
		who.id, who.record = id, record
		return err
	})
	return who, err
}

// strongerPassword hashes a right password anew if its hash takes less work
// than new ones do. It returns nil if it does not, or if there is no time.
func (v *Vault) strongerPassword(ctx context.Context, r *accountRecord, password Text) *newPassword {
	if !r.password.params.Weaker(v.newPasswordParams()) {
		return nil
	}
	next, err := v.preparePassword(ctx, password)
	if err != nil {
		return nil
	}
	return &next
}

// signIn is a session that is to be, for whoever knew the password.
type signIn struct {
	id     AccountID
	hash   seal.PasswordHash
	next   *newPassword // nil to keep the stored one
	cookie seal.SessionID
	record sessionRecord
	// network is where the sign-in comes from.
	network [8]byte
}

// signIn adds the session to its account and returns the account.
func (v *Vault) signIn(tx storage.Tx, in signIn, now time.Time) (Account, error) {
	account, err := v.signedInto(tx, in)
	if err != nil {
		return Account{}, err
	}
	if err := v.openSession(tx, in); err != nil {
		return Account{}, err
	}
	account.signedIn = now
	account.remember(in.network, now)
	if !account.password.keyed {
		account.password = new(v.passwordRecord(account.password.params, in.hash))
	}
	if in.next != nil {
		account.password = &in.next.record
		if err := v.rewrapMainPair(tx, in.id, in.hash.Holder(), in.next.holder); err != nil {
			return Account{}, err
		}
	}
	if err := putAccount(tx, in.id, account); err != nil {
		return Account{}, err
	}
	if err := auditAccount(tx, now, AuditSignIn, in.id); err != nil {
		return Account{}, err
	}
	return v.describeAccount(tx, in.id, account)
}

// signedInto loads the account, which may have changed while the password was
// hashed, and tells whether it may be signed into.
func (v *Vault) signedInto(tx storage.Tx, in signIn) (*accountRecord, error) {
	account, err := getAccount(tx, in.id)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil, ErrCredentials
	case err != nil:
		return nil, err
	case account.disabled || !account.destroyed.IsZero():
		return nil, ErrCredentials
	case !v.passwordIs(account, in.hash):
		return nil, errPasswordMoved // by a stronger hash of it, or by another password
	}
	return account, nil
}

// openSession stores the session, which holds what the password holds.
func (v *Vault) openSession(tx storage.Tx, in signIn) error {
	main, key, err := v.openMainPair(tx, in.id, in.hash.Holder())
	if err != nil {
		return err
	}
	record := in.record
	record.pair = main.id
	record.wrapped = v.keys.WrapAccountKey(in.cookie.Holder(), wrapLabel(in.id, main.id, heldBySession), key)
	return admitSession(tx, in.cookie.Row(), &record)
}

// admitSession adds a session, for which the oldest ends if there are too
// many.
func admitSession(tx storage.Tx, row [32]byte, r *sessionRecord) error {
	present, err := getSessions(tx, r.account)
	if err != nil {
		return err
	}
	if err := putSession(tx, row, r); err != nil {
		return err
	}
	for _, old := range present[min(len(present), sessionsMost-1):] {
		if err := deleteSession(tx, old); err != nil {
			return err
		}
	}
	return nil
}
