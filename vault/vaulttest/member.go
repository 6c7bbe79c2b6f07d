package vaulttest

import (
	"bytes"
	"context"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/receipt"
	"hush/vault/session"
	"hush/vault/signup"
)

// RowsOf returns the rows of a bucket by their keys.
func (m *Member) RowsOf(t testing.TB, bucket string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	err := m.Store.View(t.Context(), func(tx storage.Tx) error {
		clear(found)
		return tx.Range(bucket, nil, nil, func(key, value []byte) error {
			found[string(key)] = bytes.Clone(value)
			return nil
		})
	})
	Want(t, "Range("+bucket+")", err, nil)
	return found
}

// MemberAddress is the address of a Member.
const MemberAddress = "member-canary@example.com"

// Member is a Manual vault with an account that has Password, whose id is ID.
type Member struct {
	*Kit
	ID caller.AccountID
}

// NewMember opens a vault and creates the account.
func NewMember(t testing.TB, opts Options) *Member {
	t.Helper()
	opts.Manual = true
	m := &Member{Kit: New(t, opts)}
	m.ID = m.AddAccount(t, MemberAddress, Password)
	return m
}

// AddAccount creates a further account, like the operator does.
func (m *Member) AddAccount(t testing.TB, address, password caller.Text) caller.AccountID {
	t.Helper()
	return m.MustCreate(t, signup.OperatorAccount{Address: address, Password: password}).ID
}

// SignIn signs in with the password, for longer if remember is set.
func (m *Member) SignIn(t testing.TB, remember bool) session.SignedIn {
	t.Helper()
	in, err := m.Vault.Sessions.CreateSession(t.Context(), Caller(1), MemberAddress, Password, remember)
	if err != nil {
		t.Fatalf("CreateSession(address, password): got %v, want nil", err)
	}
	return in
}

// MustToken creates a token of the caller's account.
func (m *Member) MustToken(t testing.TB, c caller.Caller, n credential.NewToken) seal.APIToken {
	t.Helper()
	token, _, err := m.Vault.Tokens.GenerateAPIToken(t.Context(), c, n)
	if err != nil {
		t.Fatalf("GenerateAPIToken(%q): got %v, want nil", n.Name, err)
	}
	return token
}

// BySession returns the credential of a session's cookie.
func BySession(id seal.SessionID) session.Credential {
	return session.Credential{Session: caller.Text(id.Expose())}
}

// ByToken returns the credential of an API token.
func ByToken(token seal.APIToken) session.Credential {
	return session.Credential{Token: caller.Text(token.Expose())}
}

// AuthErr returns the error of a credential, and fails the test if a caller
// came together with one.
func (m *Member) AuthErr(t testing.TB, cred session.Credential) error {
	t.Helper()
	c, err := m.Vault.Sessions.Authenticate(t.Context(), Caller(1).Network, cred)
	if err != nil && (!c.Anonymous() || c.Address() != "") {
		t.Errorf("Authenticate(credential): got a caller with %v, want none", err)
	}
	return err
}

// MustEnter signs in and returns the session's caller.
func (m *Member) MustEnter(t testing.TB) caller.Caller {
	t.Helper()
	return m.MustAuthenticate(t, BySession(m.SignIn(t, false).Cookie))
}

// ListSessions returns the sessions that the caller sees.
func (m *Member) ListSessions(t testing.TB, c caller.Caller) []credential.Session {
	t.Helper()
	list, err := m.Vault.Sessions.ListSessions(t.Context(), c)
	Want(t, "ListSessions()", err, nil)
	return list
}

// ListTokens returns the tokens that the caller sees.
func (m *Member) ListTokens(t testing.TB, c caller.Caller) []credential.APIToken {
	t.Helper()
	list, err := m.Vault.Tokens.ListAPITokens(t.Context(), c)
	Want(t, "ListAPITokens()", err, nil)
	return list
}

// WantList fails the test unless the caller's list shows that many receipts and
// counts that many that it cannot show.
func (m *Member) WantList(t testing.TB, c caller.Caller, shown, sealed int) {
	t.Helper()
	page, err := m.Vault.Receipts.ListMetadata(t.Context(), c, receipt.ListQuery{})
	Want(t, "ListMetadata()", err, nil)
	Want(t, "ListMetadata() shown", len(page.Metadata), shown)
	Want(t, "ListMetadata() sealed", page.Sealed, sealed)
}

// WantRows fails the test unless a bucket has that many rows.
func (m *Member) WantRows(t testing.TB, bucket string, number int) {
	t.Helper()
	Want(t, "rows of "+bucket, len(RowsIn(t, m.Store, bucket)), number)
}

// Pass moves the clock in steps and sweeps after each.
func (m *Member) Pass(t testing.TB, d time.Duration) {
	t.Helper()
	const step = 20 * time.Minute
	for ; d > 0; d -= step {
		m.Clock.Advance(min(d, step))
		m.MustSweep(t)
	}
}

// Alter changes the stored account behind the vault's back.
func (m *Member) Alter(t testing.TB, pending, disabled bool) {
	t.Helper()
	r, err := account.DecodeAccount(Get(t, m.Store, account.BucketAccount, m.ID[:]))
	Want(t, "DecodeAccount(record)", err, nil)
	r.Pending, r.Disabled = pending, disabled
	Put(t, m.Store, account.BucketAccount, m.ID[:], r.Encode())
}

// Publics returns the keys that the account's entries are sealed to.
func (m *Member) Publics(ctx context.Context) (publics []seal.AccountPublic, err error) {
	err = m.Store.View(ctx, func(tx storage.Tx) error {
		publics = nil
		pairs, err := credential.LivePairs(tx, m.ID)
		for _, p := range pairs {
			publics = append(publics, p.Public)
		}
		return err
	})
	return publics, err
}

// SetPasswordCost changes what hashing the next password costs, by a restart.
func (m *Member) SetPasswordCost(t testing.TB, params seal.PasswordParams) {
	t.Helper()
	m.opts.Passwords = params
	m.Reopen(t)
}

// StoredPassword returns how the password of a stored account is hashed.
func StoredPassword(record []byte) (seal.PasswordParams, error) {
	r, err := account.DecodeAccount(record)
	if err != nil {
		return seal.PasswordParams{}, err
	}
	return r.Password.Params, nil
}
