package vault_test

import (
	"testing"
	"time"

	"hush/seal"
	"hush/vault"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/secret"
	"hush/vault/session"
	"hush/vault/vaulttest"
)

const (
	memberAddress  = "member-canary@example.com"
	memberPassword = "correct horse battery"
)

// member is a vault with an account that has a password.
type member struct {
	*vaulttest.Kit
	id caller.AccountID
}

func newMember(t *testing.T, opts vaulttest.Options) *member {
	t.Helper()
	opts.Manual = true
	m := &member{Kit: vaulttest.New(t, opts)}
	m.id = m.mustAccount(t, memberAddress, memberPassword)
	return m
}

func (m *member) mustAccount(t *testing.T, address, password caller.Text) caller.AccountID {
	t.Helper()
	made, err := m.Vault.Operator().Accounts.CreateAccount(t.Context(), account.OperatorAccount{Address: address, Password: password})
	if err != nil {
		t.Fatalf("CreateAccount(address): got %v, want nil", err)
	}
	return made.ID
}

func (m *member) mustSignIn(t *testing.T, remember bool) session.SignedIn {
	t.Helper()
	in, err := m.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(1), memberAddress, memberPassword, remember)
	if err != nil {
		t.Fatalf("CreateSession(address, password): got %v, want nil", err)
	}
	return in
}

// mustToken makes a token of the caller's account.
func (m *member) mustToken(t *testing.T, c caller.Caller, n credential.NewToken) seal.APIToken {
	t.Helper()
	token, _, err := m.Vault.Tokens.GenerateAPIToken(t.Context(), c, n)
	if err != nil {
		t.Fatalf("GenerateAPIToken(%q): got %v, want nil", n.Name, err)
	}
	return token
}

func bySession(id seal.SessionID) session.Credential {
	return session.Credential{Session: caller.Text(id.Expose())}
}

func byToken(token seal.APIToken) session.Credential {
	return session.Credential{Token: caller.Text(token.Expose())}
}

func (m *member) authErr(t *testing.T, cred session.Credential) error {
	t.Helper()
	c, err := m.Vault.Sessions.Authenticate(t.Context(), vaulttest.Caller(1).Network, cred)
	if err != nil && (!c.Anonymous() || c.Address() != "") {
		t.Errorf("Authenticate(credential): got a caller with %v, want none", err)
	}
	return err
}

func (m *member) mustAuth(t *testing.T, cred session.Credential) caller.Caller {
	t.Helper()
	c, err := m.Vault.Sessions.Authenticate(t.Context(), vaulttest.Caller(1).Network, cred)
	if err != nil {
		t.Fatalf("Authenticate(credential): got %v, want nil", err)
	}
	return c
}

// mustEnter signs in and comes with the session.
func (m *member) mustEnter(t *testing.T) caller.Caller {
	t.Helper()
	return m.mustAuth(t, bySession(m.mustSignIn(t, false).Cookie))
}

func (m *member) listSessions(t *testing.T, c caller.Caller) []credential.Session {
	t.Helper()
	list, err := m.Vault.Sessions.ListSessions(t.Context(), c)
	want(t, "ListSessions()", err, nil)
	return list
}

func (m *member) listTokens(t *testing.T, c caller.Caller) []credential.APIToken {
	t.Helper()
	list, err := m.Vault.Tokens.ListAPITokens(t.Context(), c)
	want(t, "ListAPITokens()", err, nil)
	return list
}

// wantList fails the test unless the caller's list shows so many receipts and
// tells of so many that it cannot show.
func (m *member) wantList(t *testing.T, c caller.Caller, shown, sealed int) {
	t.Helper()
	page, err := m.Vault.Receipts.ListMetadata(t.Context(), c, secret.ListQuery{})
	want(t, "ListMetadata()", err, nil)
	want(t, "ListMetadata() shown", len(page.Metadata), shown)
	want(t, "ListMetadata() sealed", page.Sealed, sealed)
}

// wantRows fails the test unless a bucket has so many rows.
func (m *member) wantRows(t *testing.T, bucket string, number int) {
	t.Helper()
	want(t, "rows of "+bucket, len(rowsIn(t, m.Store, bucket)), number)
}

// pass lets time go by, with the sweeper at work.
func (m *member) pass(t *testing.T, d time.Duration) {
	t.Helper()
	const step = 20 * time.Minute
	for ; d > 0; d -= step {
		m.Clock.Advance(min(d, step))
		m.MustSweep(t)
	}
}

// alter changes the stored account.
func (m *member) alter(t *testing.T, pending, disabled bool) {
	t.Helper()
	record, err := vault.WithStanding(get(t, m.Store, vault.BucketAccount, m.id[:]), pending, disabled)
	want(t, "WithStanding(record)", err, nil)
	put(t, m.Store, vault.BucketAccount, m.id[:], record)
}
