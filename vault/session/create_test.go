package vault_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

func TestSignIn(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	in := m.mustSignIn(t, true)
	now := m.Clock.Now()
	want(t, "SignedIn.Account.ID", in.Account.ID, m.id)
	want(t, "SignedIn.Account.SignedIn", in.Account.SignedIn, now)
	id := in.Session.ID
	want(t, "len(Session.ID)", len(id), 16)
	want(t, "SignedIn.Session", in.Session, credential.Session{
		ID: id, Created: now, Used: now, Expires: now.Add(credential.RememberedLifetime),
		Network: "198.18.0.0/24", Current: true, Remembered: true,
	})
	c := m.mustAuth(t, bySession(in.Cookie))
	want(t, "Caller.Account", c.Account, m.id.String())
	want(t, "Caller.Address()", c.Address(), memberAddress)
	want(t, "Caller.FromSession()", c.FromSession(), true)
	want(t, "Caller.Shrimp()", c.Shrimp(), in.Shrimp)
	want(t, "Caller.May(everything)", c.May(caller.ScopesAll), true)
	want(t, "Caller.Colonel()", c.Colonel(), false)
	want(t, "Caller.Network", c.Network, vaulttest.Caller(1).Network)
}

// A caller has its account's language, and its role where that takes effect.
func TestCallerOfAnAccount(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{Policy: caller.Policy{Colonels: []string{memberAddress}}})
	want(t, "Caller.Colonel(by the policy)", m.mustEnter(t).Colonel(), true)
	_, err := m.Vault.Operator().Accounts.CreateAccount(t.Context(), account.OperatorAccount{
		Address: "colonel@example.com", Role: account.RoleColonel, Locale: "fr",
	})
	want(t, "CreateAccount(colonel)", err, nil)
	token, _, err := m.Vault.Operator().Tokens.CreateToken(t.Context(), "colonel@example.com", credential.NewToken{})
	want(t, "CreateToken(colonel)", err, nil)
	c := m.mustAuth(t, byToken(token))
	want(t, "Caller.Colonel(by the role)", c.Colonel(), true)
	want(t, "Caller.Locale()", c.Locale(), "fr")
}

func TestSignInAddressSpelled(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	address := caller.Text("  " + strings.ToUpper(memberAddress) + " ")
	_, err := m.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(1), address, memberPassword, false)
	want(t, "CreateSession(upper case)", err, nil)
}

// A refused sign-in does not reveal what was wrong.
func TestSignInRefused(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	m.mustAccount(t, "nobody@example.com", "")
	tests := []struct {
		name              string
		address, password caller.Text
		pending, disabled bool
		want              error
	}{
		{"wrong password", memberAddress, memberPassword + " ", false, false, refusal.ErrCredentials},
		{"no password", memberAddress, "", false, false, refusal.ErrCredentials},
		{"unknown address", "other@example.com", memberPassword, false, false, refusal.ErrCredentials},
		{"no address", "", memberPassword, false, false, refusal.ErrCredentials},
		{"not an address", "x\r\ny", memberPassword, false, false, refusal.ErrCredentials},
		{"account without password", "nobody@example.com", "", false, false, refusal.ErrCredentials},
		{"disabled", memberAddress, memberPassword, false, true, refusal.ErrCredentials},
		{"disabled and pending", memberAddress, memberPassword, true, true, refusal.ErrCredentials},
		{"pending", memberAddress, memberPassword, true, false, refusal.ErrCredentials},
		{"pending, wrong password", memberAddress, "wrong password", true, false, refusal.ErrCredentials},
	}
	for i, test := range tests {
		m.alter(t, test.pending, test.disabled)
		in, err := m.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(i), test.address, test.password, false)
		wantErr(t, "CreateSession("+test.name+")", err, test.want)
		want(t, "CreateSession("+test.name+").Shrimp", in.Shrimp, "")
	}
	m.wantRows(t, vault.BucketSession, 0)
}

// Guessing locks the network out, whether or not there is an account.
func TestSignInLocks(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	for _, address := range []caller.Text{memberAddress, "other@example.com", "no address"} {
		for range account.PasswordNetworkTries {
			_, err := m.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(2), address, "wrong password", false)
			wantErr(t, "CreateSession(wrong password)", err, refusal.ErrCredentials)
		}
		_, err := m.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(2), address, memberPassword, false)
		wantErr(t, "CreateSession(right password, too late)", err, refusal.ErrLocked)
	}
}

// The attack: set the victim's cookie before the victim signs in, and use the
// session afterwards. No id that a browser brings is ever taken up.
func TestFixation(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	var planted []seal.SessionID
	for range 1000 {
		planted = append(planted, seal.NewSessionID())
	}
	refused := func() {
		for _, id := range planted {
			wantErr(t, "Authenticate(planted session)", m.authErr(t, bySession(id)), refusal.ErrUnauthenticated)
		}
	}
	refused()
	first, second := m.mustSignIn(t, false), m.mustSignIn(t, false)
	want(t, "one id for two sessions", first.Cookie.Expose() == second.Cookie.Expose(), false)
	refused()
	m.wantRows(t, vault.BucketSession, 2)
}

func TestOldestSessionMakesRoom(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	var cookies []seal.SessionID
	for range vault.SessionsMost + 1 {
		m.Clock.Advance(time.Second)
		cookies = append(cookies, m.mustSignIn(t, false).Cookie)
	}
	wantErr(t, "Authenticate(oldest)", m.authErr(t, bySession(cookies[0])), refusal.ErrUnauthenticated)
	want(t, "Authenticate(second)", m.authErr(t, bySession(cookies[1])), nil)
	c := m.mustAuth(t, bySession(cookies[vault.SessionsMost]))
	want(t, "ListSessions()", len(m.listSessions(t, c)), vault.SessionsMost)
	m.wantRows(t, vault.BucketSession, vault.SessionsMost)
	m.wantRows(t, vault.BucketSessions, vault.SessionsMost)
}

// A password that was hashed with less work than is usual now is hashed again
// when it is next at hand, and goes on opening the list.
func TestPasswordIsHashedAgain(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	m.MustConceal(t, m.mustEnter(t), plaintext, secret.Wish{})
	stronger := seal.PasswordParams{MemoryKiB: 128, Time: 2, Threads: 1}
	m.Vault.SetPasswordCost(stronger)
	for range 2 {
		m.wantList(t, m.mustEnter(t), 1, 0)
		stored, err := vault.StoredPassword(get(t, m.Store, vault.BucketAccount, m.id[:]))
		want(t, "StoredPassword(record)", err, nil)
		stored.Salt = [16]byte{}
		want(t, "stored parameters", stored, stronger)
	}
}

// A transaction that runs twice signs in once, and makes one token.
func TestCredentialsMadeTwice(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store { return twiceStore{s} }})
	c := m.mustEnter(t)
	m.mustAuth(t, byToken(m.mustToken(t, c, credential.NewToken{})))
	m.mustAuth(t, byToken(m.mustToken(t, c, credential.NewToken{Rotate: true})))
	want(t, "ListSessions()", len(m.listSessions(t, c)), 1)
	want(t, "ListAPITokens()", len(m.listTokens(t, c)), 1)
	revoked, err := m.Vault.Sessions.RevokeSessions(t.Context(), c, nil, true)
	want(t, "RevokeSessions(all)", err, nil)
	want(t, "RevokeSessions(all)", revoked, 1)
}

// A failing store signs no one in, and no one out.
func TestStoreTrouble(t *testing.T) {
	t.Parallel()
	var broken faultyStore
	m := newMember(t, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store {
		broken.Store = s
		return &broken
	}})
	cred := bySession(m.mustSignIn(t, false).Cookie)
	m.Clock.Advance(2 * time.Minute)
	full := errors.Join(storage.ErrFull)
	broken.before.Store(&full)
	want(t, "Authenticate(full disk)", m.authErr(t, cred), nil)
	_, err := m.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(1), memberAddress, memberPassword, false)
	wantErr(t, "CreateSession(full disk)", err, refusal.ErrUnavailable)
	broken.before.Store(nil)
	want(t, "Store.Close()", m.Store.Close(), nil)
	wantErr(t, "Authenticate(closed store)", m.authErr(t, cred), refusal.ErrUnavailable)
}

// thirdUpdate calls a function before the third update that comes.
type thirdUpdate struct {
	storage.Store
	updates int
	call    func()
}

func (s *thirdUpdate) Update(ctx context.Context, fn func(storage.Tx) error) error {
	if s.updates++; s.updates == 3 && s.call != nil {
		s.call()
	}
	return s.Store.Update(ctx, fn)
}

// While a password is hashed its account may change: the try is reserved, then
// forgiven, and the third update signs in.
func TestAccountChangesDuringSignIn(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(t *testing.T, m *member)
		want   error
	}{
		"nothing":  {func(*testing.T, *member) {}, nil},
		"disabled": {func(t *testing.T, m *member) { m.alter(t, false, true) }, refusal.ErrCredentials},
		"pending":  {func(t *testing.T, m *member) { m.alter(t, true, false) }, refusal.ErrCredentials},
		"gone":     {func(t *testing.T, m *member) { put(t, m.Store, vault.BucketAccount, m.id[:], nil) }, refusal.ErrCredentials},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var hook thirdUpdate
			m := newMember(t, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store {
				hook.Store = s
				return &hook
			}})
			hook.updates, hook.call = 0, func() { test.change(t, m) }
			_, err := m.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(1), memberAddress, memberPassword, false)
			if test.want == nil {
				want(t, "CreateSession(address, password)", err, nil)
				return
			}
			wantErr(t, "CreateSession(address, password)", err, test.want)
			m.wantRows(t, vault.BucketSession, 0)
		})
	}
}
