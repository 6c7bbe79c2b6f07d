package session_test

import (
	"testing"
	"time"

	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/refusal"
	"hush/vault/session"
	"hush/vault/vaulttest"
)

func TestSignOut(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	one, other := vaulttest.BySession(m.SignIn(t, false).Cookie), vaulttest.BySession(m.SignIn(t, false).Cookie)
	c := m.MustAuthenticate(t, one)
	vaulttest.Want(t, "DestroySession(caller)", m.Vault.Sessions.DestroySession(t.Context(), c), nil)
	vaulttest.WantErr(t, "Authenticate(signed out)", m.AuthErr(t, one), refusal.ErrUnauthenticated)
	vaulttest.Want(t, "Authenticate(other session)", m.AuthErr(t, other), nil)
	vaulttest.Want(t, "DestroySession(again)", m.Vault.Sessions.DestroySession(t.Context(), c), nil)
	token := m.MustAuthenticate(t, vaulttest.ByToken(m.MustToken(t, m.MustAuthenticate(t, other), credential.NewToken{})))
	vaulttest.WantErr(t, "DestroySession(token)", m.Vault.Sessions.DestroySession(t.Context(), token), refusal.ErrPolicy)
	vaulttest.WantErr(t, "DestroySession(nobody)", m.Vault.Sessions.DestroySession(t.Context(), caller.Caller{}), refusal.ErrUnauthenticated)
	vaulttest.Want(t, "Authenticate(other session)", m.AuthErr(t, other), nil)
}

func TestListSessions(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	old := m.SignIn(t, true)
	m.Clock.Advance(time.Second)
	in := m.SignIn(t, false)
	list := m.ListSessions(t, m.MustAuthenticate(t, vaulttest.BySession(old.Cookie)))
	vaulttest.Want(t, "len(ListSessions())", len(list), 2)
	in.Session.Current = false
	vaulttest.Want(t, "ListSessions()[0]", list[0], in.Session)
	vaulttest.Want(t, "ListSessions()[1]", list[1], old.Session)
	list, err := m.Vault.Operator().Tokens.ListSessions(t.Context(), caller.Text(m.ID.String()))
	vaulttest.Want(t, "Operator.ListSessions()", err, nil)
	old.Session.Current = false
	vaulttest.Want(t, "Operator.ListSessions()[1]", list[1], old.Session)
	_, err = m.Vault.Operator().Tokens.ListSessions(t.Context(), "other@example.com")
	vaulttest.WantErr(t, "Operator.ListSessions(unknown)", err, refusal.ErrNotFound)
	_, err = m.Vault.Sessions.ListSessions(t.Context(), caller.Caller{})
	vaulttest.WantErr(t, "ListSessions(nobody)", err, refusal.ErrUnauthenticated)
}

// A revoked session is refused from the next request on, and no account can
// revoke another's.
func TestRevokeSessions(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	var sessions []session.SignedIn
	for range 4 {
		sessions = append(sessions, m.SignIn(t, false))
	}
	own := m.MustAuthenticate(t, vaulttest.BySession(sessions[0].Cookie))
	m.AddAccount(t, "other@example.com", vaulttest.Password)
	in, err := m.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(1), "other@example.com", vaulttest.Password, false)
	vaulttest.Want(t, "CreateSession(other)", err, nil)
	other := m.MustAuthenticate(t, vaulttest.BySession(in.Cookie))
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
		vaulttest.Want(t, "RevokeSessions("+step.name+")", err, nil)
		vaulttest.Want(t, "RevokeSessions("+step.name+")", revoked, step.want)
		for i, alive := range step.alive {
			vaulttest.Want(t, "Authenticate() after "+step.name, m.AuthErr(t, vaulttest.BySession(sessions[i].Cookie)) == nil, alive)
		}
	}
	vaulttest.Want(t, "Authenticate(other account)", m.AuthErr(t, vaulttest.BySession(in.Cookie)), nil)
	_, err = m.Vault.Sessions.RevokeSessions(t.Context(), caller.Caller{}, nil, true)
	vaulttest.WantErr(t, "RevokeSessions(nobody)", err, refusal.ErrUnauthenticated)
}

// An account that is disabled is refused at once, with each of its
// credentials.
func TestAccountCannotBeUsed(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	session := vaulttest.BySession(m.SignIn(t, false).Cookie)
	token := vaulttest.ByToken(m.MustToken(t, m.MustAuthenticate(t, session), credential.NewToken{}))
	for _, alter := range [][2]bool{{true, false}, {false, true}} {
		m.Alter(t, alter[0], alter[1])
		vaulttest.WantErr(t, "Authenticate(session)", m.AuthErr(t, session), refusal.ErrUnauthenticated)
		vaulttest.WantErr(t, "Authenticate(token)", m.AuthErr(t, token), refusal.ErrUnauthenticated)
	}
	m.Alter(t, false, false)
	vaulttest.Want(t, "Authenticate(session)", m.AuthErr(t, session), nil)
	vaulttest.Want(t, "Authenticate(token)", m.AuthErr(t, token), nil)
	_, err := m.Vault.Operator().Accounts.DisableAccount(t.Context(), vaulttest.MemberAddress, true)
	vaulttest.Want(t, "DisableAccount()", err, nil)
	vaulttest.WantErr(t, "Authenticate(session)", m.AuthErr(t, session), refusal.ErrUnauthenticated)
	vaulttest.WantErr(t, "Authenticate(token)", m.AuthErr(t, token), refusal.ErrUnauthenticated)
}

// Nothing of a destroyed account's credentials stays.
func TestDestroyedAccountLeavesNoCredential(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	c := m.MustEnter(t)
	m.MustToken(t, c, credential.NewToken{})
	_, _, err := m.Vault.Operator().Tokens.CreateToken(t.Context(), vaulttest.MemberAddress, credential.NewToken{})
	vaulttest.Want(t, "CreateToken()", err, nil)
	m.WantRows(t, credential.BucketPair, 2)
	_, err = m.Vault.Operator().Accounts.DestroyAccount(t.Context(), vaulttest.MemberAddress)
	vaulttest.Want(t, "DestroyAccount()", err, nil)
	for _, bucket := range []string{
		credential.BucketSession, credential.BucketSessions, credential.BucketToken, credential.BucketTokens, credential.BucketPair,
	} {
		m.WantRows(t, bucket, 0)
	}
}
