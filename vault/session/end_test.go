package vault_test

import (
	"testing"
	"time"

	"hush/vault"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/refusal"
	"hush/vault/session"
	"hush/vault/vaulttest"
)

func TestSignOut(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	one, other := bySession(m.mustSignIn(t, false).Cookie), bySession(m.mustSignIn(t, false).Cookie)
	c := m.mustAuth(t, one)
	want(t, "DestroySession(caller)", m.Vault.Sessions.DestroySession(t.Context(), c), nil)
	wantErr(t, "Authenticate(signed out)", m.authErr(t, one), refusal.ErrUnauthenticated)
	want(t, "Authenticate(other session)", m.authErr(t, other), nil)
	want(t, "DestroySession(again)", m.Vault.Sessions.DestroySession(t.Context(), c), nil)
	token := m.mustAuth(t, byToken(m.mustToken(t, m.mustAuth(t, other), credential.NewToken{})))
	wantErr(t, "DestroySession(token)", m.Vault.Sessions.DestroySession(t.Context(), token), refusal.ErrPolicy)
	wantErr(t, "DestroySession(nobody)", m.Vault.Sessions.DestroySession(t.Context(), caller.Caller{}), refusal.ErrUnauthenticated)
	want(t, "Authenticate(other session)", m.authErr(t, other), nil)
}

func TestListSessions(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	old := m.mustSignIn(t, true)
	m.Clock.Advance(time.Second)
	in := m.mustSignIn(t, false)
	list := m.listSessions(t, m.mustAuth(t, bySession(old.Cookie)))
	want(t, "len(ListSessions())", len(list), 2)
	in.Session.Current = false
	want(t, "ListSessions()[0]", list[0], in.Session)
	want(t, "ListSessions()[1]", list[1], old.Session)
	list, err := m.Vault.Operator().Tokens.ListSessions(t.Context(), caller.Text(m.id.String()))
	want(t, "Operator.ListSessions()", err, nil)
	old.Session.Current = false
	want(t, "Operator.ListSessions()[1]", list[1], old.Session)
	_, err = m.Vault.Operator().Tokens.ListSessions(t.Context(), "other@example.com")
	wantErr(t, "Operator.ListSessions(unknown)", err, refusal.ErrNotFound)
	_, err = m.Vault.Sessions.ListSessions(t.Context(), caller.Caller{})
	wantErr(t, "ListSessions(nobody)", err, refusal.ErrUnauthenticated)
}

// A revoked session is refused from the next request on, and no account can
// revoke another's.
func TestRevokeSessions(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	var sessions []session.SignedIn
	for range 4 {
		sessions = append(sessions, m.mustSignIn(t, false))
	}
	own := m.mustAuth(t, bySession(sessions[0].Cookie))
	m.mustAccount(t, "other@example.com", memberPassword)
	in, err := m.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(1), "other@example.com", memberPassword, false)
	want(t, "CreateSession(other)", err, nil)
	other := m.mustAuth(t, bySession(in.Cookie))
	steps := []struct {
		name  string
		by    caller.Caller
		ids   []string
		all   bool
		want  int
		alive [4]bool
	}{
		{"none", own, nil, false, 0, [4]bool{true, true, true, true}},
		{"unknown", own, []string{"", "0123456789abcdef", "x"}, false, 0, [4]bool{true, true, true, true}},
		{"another account's", other, []string{sessions[1].Session.ID}, false, 0, [4]bool{true, true, true, true}},
		{"one, and one unknown", own, []string{"x", sessions[1].Session.ID}, false, 1, [4]bool{true, false, true, true}},
		{"the same", own, []string{sessions[1].Session.ID}, false, 0, [4]bool{true, false, true, true}},
		{"all", own, nil, true, 3, [4]bool{}},
	}
	for _, step := range steps {
		revoked, err := m.Vault.Sessions.RevokeSessions(t.Context(), step.by, step.ids, step.all)
		want(t, "RevokeSessions("+step.name+")", err, nil)
		want(t, "RevokeSessions("+step.name+")", revoked, step.want)
		for i, alive := range step.alive {
			want(t, "Authenticate() after "+step.name, m.authErr(t, bySession(sessions[i].Cookie)) == nil, alive)
		}
	}
	want(t, "Authenticate(other account)", m.authErr(t, bySession(in.Cookie)), nil)
	_, err = m.Vault.Sessions.RevokeSessions(t.Context(), caller.Caller{}, nil, true)
	wantErr(t, "RevokeSessions(nobody)", err, refusal.ErrUnauthenticated)
}

// An account that is disabled is refused at once, with each of its
// credentials.
func TestAccountCannotBeUsed(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	session := bySession(m.mustSignIn(t, false).Cookie)
	token := byToken(m.mustToken(t, m.mustAuth(t, session), credential.NewToken{}))
	for _, alter := range [][2]bool{{true, false}, {false, true}} {
		m.alter(t, alter[0], alter[1])
		wantErr(t, "Authenticate(session)", m.authErr(t, session), refusal.ErrUnauthenticated)
		wantErr(t, "Authenticate(token)", m.authErr(t, token), refusal.ErrUnauthenticated)
	}
	m.alter(t, false, false)
	want(t, "Authenticate(session)", m.authErr(t, session), nil)
	want(t, "Authenticate(token)", m.authErr(t, token), nil)
	_, err := m.Vault.Operator().Accounts.DisableAccount(t.Context(), memberAddress, true)
	want(t, "DisableAccount()", err, nil)
	wantErr(t, "Authenticate(session)", m.authErr(t, session), refusal.ErrUnauthenticated)
	wantErr(t, "Authenticate(token)", m.authErr(t, token), refusal.ErrUnauthenticated)
}

// Nothing of a destroyed account's credentials stays.
func TestDestroyedAccountLeavesNoCredential(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	c := m.mustEnter(t)
	m.mustToken(t, c, credential.NewToken{})
	_, _, err := m.Vault.Operator().Tokens.CreateToken(t.Context(), memberAddress, credential.NewToken{})
	want(t, "CreateToken()", err, nil)
	m.wantRows(t, vault.BucketPair, 2)
	_, err = m.Vault.Operator().Accounts.DestroyAccount(t.Context(), memberAddress)
	want(t, "DestroyAccount()", err, nil)
	for _, bucket := range []string{
		vault.BucketSession, vault.BucketSessions, vault.BucketToken, vault.BucketTokens, vault.BucketPair,
	} {
		m.wantRows(t, bucket, 0)
	}
}
