package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/password"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/signup"
	"hush/vault/vaulttest"
)

func TestSignIn(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	in := m.SignIn(t, true)
	now := m.Clock.Now()
	vaulttest.Want(t, "SignedIn.Account.ID", in.Account.ID, m.ID)
	vaulttest.Want(t, "SignedIn.Account.SignedIn", in.Account.SignedIn, now)
	id := in.Session.ID
	vaulttest.Want(t, "len(Session.ID)", len(id), 16)
	vaulttest.Want(t, "SignedIn.Session", in.Session, credential.Session{
		ID: id, Created: now, Used: now, Expires: now.Add(credential.RememberedLifetime),
		Network: "198.18.0.0/24", Current: true, Remembered: true,
	})
	c := m.MustAuthenticate(t, vaulttest.BySession(in.Cookie))
	vaulttest.Want(t, "Caller.Account", c.Account(), m.ID.String())
	vaulttest.Want(t, "Caller.Address()", c.Address(), vaulttest.MemberAddress)
	vaulttest.Want(t, "Caller.FromSession()", c.FromSession(), true)
	vaulttest.Want(t, "Caller.Shrimp()", c.Shrimp(), in.Shrimp)
	vaulttest.Want(t, "Caller.May(everything)", c.May(caller.ScopesAll), true)
	vaulttest.Want(t, "Caller.Colonel()", c.Colonel(), false)
	vaulttest.Want(t, "Caller.Network", c.Network, vaulttest.Caller(1).Network)
}

// A caller has its account's language, and its role where that takes effect.
func TestCallerOfAnAccount(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{Policy: caller.Policy{Colonels: []string{vaulttest.MemberAddress}}})
	vaulttest.Want(t, "Caller.Colonel(by the policy)", m.MustEnter(t).Colonel(), true)
	_, err := m.Vault.Operator().SignUps.CreateAccount(t.Context(), signup.OperatorAccount{
		Address: "colonel@example.com", Role: account.RoleColonel, Locale: "fr",
	})
	vaulttest.Want(t, "CreateAccount(colonel)", err, nil)
	token, _, err := m.Vault.Operator().Tokens.CreateToken(t.Context(), "colonel@example.com", credential.NewToken{})
	vaulttest.Want(t, "CreateToken(colonel)", err, nil)
	c := m.MustAuthenticate(t, vaulttest.ByToken(token))
	vaulttest.Want(t, "Caller.Colonel(by the role)", c.Colonel(), true)
	vaulttest.Want(t, "Caller.Locale()", c.Locale(), "fr")
}

func TestSignInAddressSpelled(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	address := caller.Text("  " + strings.ToUpper(vaulttest.MemberAddress) + " ")
	_, err := m.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(1), address, vaulttest.Password, false)
	vaulttest.Want(t, "CreateSession(upper case)", err, nil)
}

// A refused sign-in does not reveal what was wrong.
func TestSignInRefused(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	m.AddAccount(t, "nobody@example.com", "")
	tests := []struct {
		name              string
		address, password caller.Text
		pending, disabled bool
		want              error
	}{
		{"wrong password", vaulttest.MemberAddress, vaulttest.Password + " ", false, false, refusal.ErrCredentials},
		{"no password", vaulttest.MemberAddress, "", false, false, refusal.ErrCredentials},
		{"unknown address", "other@example.com", vaulttest.Password, false, false, refusal.ErrCredentials},
		{"no address", "", vaulttest.Password, false, false, refusal.ErrCredentials},
		{"not an address", "x\r\ny", vaulttest.Password, false, false, refusal.ErrCredentials},
		{"account without password", "nobody@example.com", "", false, false, refusal.ErrCredentials},
		{"disabled", vaulttest.MemberAddress, vaulttest.Password, false, true, refusal.ErrCredentials},
		{"disabled and pending", vaulttest.MemberAddress, vaulttest.Password, true, true, refusal.ErrCredentials},
		{"pending", vaulttest.MemberAddress, vaulttest.Password, true, false, refusal.ErrCredentials},
		{"pending, wrong password", vaulttest.MemberAddress, "wrong password", true, false, refusal.ErrCredentials},
	}
	for i, test := range tests {
		m.Alter(t, test.pending, test.disabled)
		in, err := m.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(i), test.address, test.password, false)
		vaulttest.WantErr(t, "CreateSession("+test.name+")", err, test.want)
		vaulttest.Want(t, "CreateSession("+test.name+").Shrimp", in.Shrimp, "")
	}
	m.WantRows(t, credential.BucketSession, 0)
}

// Guessing locks the network out, whether or not there is an account.
func TestSignInLocks(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	for _, address := range []caller.Text{vaulttest.MemberAddress, "other@example.com", "no address"} {
		for range password.NetworkTries {
			_, err := m.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(2), address, "wrong password", false)
			vaulttest.WantErr(t, "CreateSession(wrong password)", err, refusal.ErrCredentials)
		}
		_, err := m.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(2), address, vaulttest.Password, false)
		vaulttest.WantErr(t, "CreateSession(right password, too late)", err, refusal.ErrLocked)
	}
}

// The attack: set the victim's cookie before the victim signs in, and use the
// session afterwards. No id that a browser brings is ever taken up.
func TestFixation(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	var planted []seal.SessionID
	for range 1000 {
		planted = append(planted, seal.NewSessionID())
	}
	refused := func() {
		for _, id := range planted {
			vaulttest.WantErr(t, "Authenticate(planted session)", m.AuthErr(t, vaulttest.BySession(id)), refusal.ErrUnauthenticated)
		}
	}
	refused()
	first, second := m.SignIn(t, false), m.SignIn(t, false)
	vaulttest.Want(t, "one id for two sessions", first.Cookie.Expose() == second.Cookie.Expose(), false)
	refused()
	m.WantRows(t, credential.BucketSession, 2)
}

func TestOldestSessionMakesRoom(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	var cookies []seal.SessionID
	for range credential.SessionsMost + 1 {
		m.Clock.Advance(time.Second)
		cookies = append(cookies, m.SignIn(t, false).Cookie)
	}
	vaulttest.WantErr(t, "Authenticate(oldest)", m.AuthErr(t, vaulttest.BySession(cookies[0])), refusal.ErrUnauthenticated)
	vaulttest.Want(t, "Authenticate(second)", m.AuthErr(t, vaulttest.BySession(cookies[1])), nil)
	c := m.MustAuthenticate(t, vaulttest.BySession(cookies[credential.SessionsMost]))
	vaulttest.Want(t, "ListSessions()", len(m.ListSessions(t, c)), credential.SessionsMost)
	m.WantRows(t, credential.BucketSession, credential.SessionsMost)
	m.WantRows(t, credential.BucketSessions, credential.SessionsMost)
}

// A password that was hashed with less work than is usual now is hashed again
// when it is next at hand, and goes on opening the list.
func TestPasswordIsHashedAgain(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	m.MustConceal(t, m.MustEnter(t), vaulttest.Plaintext, secret.Terms{})
	stronger := seal.PasswordParams{MemoryKiB: 128, Time: 2, Threads: 1}
	m.SetPasswordCost(t, stronger)
	for range 2 {
		m.WantList(t, m.MustEnter(t), 1, 0)
		stored, err := vaulttest.StoredPassword(vaulttest.Get(t, m.Store, account.BucketAccount, m.ID[:]))
		vaulttest.Want(t, "StoredPassword(record)", err, nil)
		stored.Salt = [16]byte{}
		vaulttest.Want(t, "stored parameters", stored, stronger)
	}
}

// A transaction that runs twice signs in once, and makes one token.
func TestCredentialsMadeTwice(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store { return vaulttest.TwiceStore{Store: s} }})
	c := m.MustEnter(t)
	m.MustAuthenticate(t, vaulttest.ByToken(m.MustToken(t, c, credential.NewToken{})))
	m.MustAuthenticate(t, vaulttest.ByToken(m.MustToken(t, c, credential.NewToken{Rotate: true})))
	vaulttest.Want(t, "ListSessions()", len(m.ListSessions(t, c)), 1)
	vaulttest.Want(t, "ListAPITokens()", len(m.ListTokens(t, c)), 1)
	revoked, err := m.Vault.Sessions.RevokeSessions(t.Context(), c, nil, true)
	vaulttest.Want(t, "RevokeSessions(all)", err, nil)
	vaulttest.Want(t, "RevokeSessions(all)", revoked, 1)
}

// A failing store signs no one in, and no one out.
func TestStoreTrouble(t *testing.T) {
	t.Parallel()
	var broken vaulttest.FaultyStore
	m := vaulttest.NewMember(t, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store {
		broken.Store = s
		return &broken
	}})
	cred := vaulttest.BySession(m.SignIn(t, false).Cookie)
	m.Clock.Advance(2 * time.Minute)
	full := errors.Join(storage.ErrFull)
	broken.Before.Store(&full)
	vaulttest.Want(t, "Authenticate(full disk)", m.AuthErr(t, cred), nil)
	_, err := m.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(1), vaulttest.MemberAddress, vaulttest.Password, false)
	vaulttest.WantErr(t, "CreateSession(full disk)", err, refusal.ErrUnavailable)
	broken.Before.Store(nil)
	vaulttest.Want(t, "Store.Close()", m.Store.Close(), nil)
	vaulttest.WantErr(t, "Authenticate(closed store)", m.AuthErr(t, cred), refusal.ErrUnavailable)
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

func (s *thirdUpdate) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}

// While a password is hashed its account may change: the try is reserved, then
// forgiven, and the third update signs in.
func TestAccountChangesDuringSignIn(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(t *testing.T, m *vaulttest.Member)
		want   error
	}{
		"nothing":  {func(*testing.T, *vaulttest.Member) {}, nil},
		"disabled": {func(t *testing.T, m *vaulttest.Member) { m.Alter(t, false, true) }, refusal.ErrCredentials},
		"pending":  {func(t *testing.T, m *vaulttest.Member) { m.Alter(t, true, false) }, refusal.ErrCredentials},
		"gone": {func(t *testing.T, m *vaulttest.Member) {
			vaulttest.Put(t, m.Store, account.BucketAccount, m.ID[:], nil)
		}, refusal.ErrCredentials},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var hook thirdUpdate
			m := vaulttest.NewMember(t, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store {
				hook.Store = s
				return &hook
			}})
			hook.updates, hook.call = 0, func() { test.change(t, m) }
			_, err := m.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(1), vaulttest.MemberAddress, vaulttest.Password, false)
			if test.want == nil {
				vaulttest.Want(t, "CreateSession(address, password)", err, nil)
				return
			}
			vaulttest.WantErr(t, "CreateSession(address, password)", err, test.want)
			m.WantRows(t, credential.BucketSession, 0)
		})
	}
}
