package vault_test

import (
	"testing"
	"time"

	"hush/seal"
	"hush/vault"
	"hush/vault/vaulttest"
)

const (
	memberAddress  = "member-canary@example.com"
	memberPassword = "correct horse battery"
)

// member is a vault with an account that has a password.
type member struct {
	*vaulttest.Kit
	id vault.AccountID
}

func newMember(t *testing.T, opts vaulttest.Options) *member {
	t.Helper()
	opts.Manual = true
	m := &member{Kit: vaulttest.New(t, opts)}
	m.id = m.mustAccount(t, memberAddress, memberPassword)
	return m
}

func (m *member) mustAccount(t *testing.T, address, password vault.Text) vault.AccountID {
	t.Helper()
	made, err := m.Vault.Operator().CreateAccount(t.Context(), vault.OperatorAccount{Address: address, Password: password})
	if err != nil {
		t.Fatalf("CreateAccount(address): got %v, want nil", err)
	}
	return made.ID
}

func (m *member) mustSignIn(t *testing.T, remember bool) vault.SignedIn {
	t.Helper()
	in, err := m.Vault.CreateSession(t.Context(), vaulttest.Caller(1), memberAddress, memberPassword, remember)
	if err != nil {
		t.Fatalf("CreateSession(address, password): got %v, want nil", err)
	}
	return in
}

// mustToken makes a token of the caller's account.
func (m *member) mustToken(t *testing.T, c vault.Caller, n vault.NewToken) seal.APIToken {
	t.Helper()
	token, _, err := m.Vault.GenerateAPIToken(t.Context(), c, n)
	if err != nil {
		t.Fatalf("GenerateAPIToken(%q): got %v, want nil", n.Name, err)
	}
	return token
}

func bySession(id seal.SessionID) vault.Credential {
	return vault.Credential{Session: vault.Text(id.Expose())}
}

func byToken(token seal.APIToken) vault.Credential {
	return vault.Credential{Token: vault.Text(token.Expose())}
}

func (m *member) authErr(t *testing.T, cred vault.Credential) error {
	t.Helper()
	c, err := m.Vault.Authenticate(t.Context(), vaulttest.Caller(1).Network, cred)
	if err != nil && (!c.Anonymous() || c.Address() != "") {
		t.Errorf("Authenticate(credential): got a caller with %v, want none", err)
	}
	return err
}

func (m *member) mustAuth(t *testing.T, cred vault.Credential) vault.Caller {
	t.Helper()
	c, err := m.Vault.Authenticate(t.Context(), vaulttest.Caller(1).Network, cred)
	if err != nil {
		t.Fatalf("Authenticate(credential): got %v, want nil", err)
	}
	return c
}

// mustEnter signs in and comes with the session.
func (m *member) mustEnter(t *testing.T) vault.Caller {
	t.Helper()
	return m.mustAuth(t, bySession(m.mustSignIn(t, false).Cookie))
}

func (m *member) listSessions(t *testing.T, c vault.Caller) []vault.Session {
	t.Helper()
	list, err := m.Vault.ListSessions(t.Context(), c)
	want(t, "ListSessions()", err, nil)
	return list
}

func (m *member) listTokens(t *testing.T, c vault.Caller) []vault.APIToken {
	t.Helper()
	list, err := m.Vault.ListAPITokens(t.Context(), c)
	want(t, "ListAPITokens()", err, nil)
	return list
}

// wantList fails the test unless the caller's list shows so many receipts and
// tells of so many that it cannot show.
func (m *member) wantList(t *testing.T, c vault.Caller, shown, sealed int) {
	t.Helper()
	page, err := m.Vault.ListMetadata(t.Context(), c, vault.ListQuery{})
	want(t, "ListMetadata()", err, nil)
	want(t, "ListMetadata() shown", len(page.Metadata), shown)
	want(t, "ListMetadata() sealed", page.Sealed, sealed)
}

// wantRows fails the test unless a bucket has so many rows.
func (m *member) wantRows(t *testing.T, bucket string, number int) {
	t.Helper()
	want(t, "rows of "+bucket, len(rows(t, m.Store, bucket)), number)
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
