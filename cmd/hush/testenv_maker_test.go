package main

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/storage/postgres"
	"hush/storage/storagetest"
	"hush/vault"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/outbox"
	"hush/vault/secret"
	"hush/vault/session"
	"hush/vault/signup"
	"hush/vault/vaulttest"
)

// fill makes the data folder. The program has no clock that can be set, so the
// vault is used directly: what is over has to have begun in the past.
func (k *testEnv) fill(data string, open storeOpener) (err error) {
	keys, err := writeRootKey(data)
	if err != nil {
		return err
	}
	clock := vaulttest.NewClock(time.Now().Add(-25 * time.Hour))
	s, err := open(context.Background(), data, keys, clock.Now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	return k.fillStore(s, s.shares, keys, clock)
}

// fillDatabase makes the same in a database, and returns the root key. To the
// vault it is a store without a clock, so that it too may begin in the past.
func (k *testEnv) fillDatabase(url string) (root seal.RootKey, err error) {
	store, shares, err := postgres.Open(context.Background(), url, postgres.Options{})
	if err != nil {
		return root, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	root = seal.NewRootKey()
	keys, clock := seal.NewKeys(root), vaulttest.NewClock(time.Now().Add(-25*time.Hour))
	timeless := storagetest.WithoutClock(store)
	if err := vault.InitShared(context.Background(), timeless, keys, clock.Now()); err != nil {
		return root, err
	}
	return root, k.fillStore(timeless, shares, keys, clock)
}

// fillStore makes what a store holds that was just initialised.
func (k *testEnv) fillStore(store storage.Store, shares storage.Shares, keys *seal.Keys, clock *vaulttest.Clock) error {
	v, err := vault.Open(context.Background(), vault.Options{
		Store: store, Shares: shares, Keys: keys, Now: clock.Now, Log: slog.New(slog.DiscardHandler), Manual: true,
		Policy:    caller.Policy{SignUp: caller.SignUpOpen},
		Passwords: seal.PasswordParams{MemoryKiB: 64, Time: 1, Threads: 1},
		Send:      func(context.Context, outbox.Mail) error { return nil }, // mails are dropped
	})
	if err != nil {
		return err
	}
	defer v.Close()
	return (&envMaker{v: v, clock: clock, env: k}).make(context.Background())
}

// envMaker fills a vault with accounts.
type envMaker struct {
	v     *vault.Vault
	clock *vaulttest.Clock
	env   *testEnv
}

func (m *envMaker) make(ctx context.Context) error {
	k := m.env
	k.ada.address, k.bob.address, k.cleo.address, k.dan.address =
		"ada@ada-team.com", "bob@bob-team.com", "cleo@cleo-team.com", "dan@dan-team.com"
	if err := m.create(ctx, &k.ada, account.RoleCustomer); err != nil {
		return err
	}
	expired, err := m.signIn(ctx, &k.ada)
	if err != nil {
		return err
	}
	k.expired = expired
	m.clock.Set(time.Now())
	for _, one := range []struct {
		account *testAccount
		role    account.Role
	}{{&k.ada, account.RoleCustomer}, {&k.bob, account.RoleCustomer}, {&k.cleo, account.RoleColonel}} {
		if err := m.furnish(ctx, one.account, one.role); err != nil {
			return err
		}
	}
	if err := m.revoke(ctx); err != nil {
		return err
	}
	return m.leavePending(ctx)
}

func (m *envMaker) create(ctx context.Context, a *testAccount, role account.Role) error {
	made, err := m.v.Operator().SignUps.CreateAccount(ctx, signup.OperatorAccount{
		Address: caller.Text(a.address), Password: testPassword, Role: role,
	})
	a.id = made.ID.String()
	return err
}

func (m *envMaker) signIn(ctx context.Context, a *testAccount) (testSession, error) {
	in, err := m.v.Sessions.CreateSession(ctx, caller.Caller{}, caller.Text(a.address), testPassword, false)
	if err != nil {
		return testSession{}, err
	}
	return testSession{cookie: in.Cookie.Expose(), shrimp: in.Shrimp, id: in.Session.ID}, nil
}

// furnish gives an account its sessions, tokens, domain and secrets.
func (m *envMaker) furnish(ctx context.Context, a *testAccount, role account.Role) error {
	if a.id == "" {
		if err := m.create(ctx, a, role); err != nil {
			return err
		}
	}
	for range testSessions {
		in, err := m.signIn(ctx, a)
		if err != nil {
			return err
		}
		a.sessions = append(a.sessions, in)
	}
	c, err := m.v.Sessions.Authenticate(ctx, caller.Network{}, session.Credential{Session: caller.Text(a.sessions[0].cookie)})
	if err != nil {
		return err
	}
	if err := m.tokens(ctx, a, c); err != nil {
		return err
	}
	if a.domain, err = m.v.Domains.AddDomain(ctx, c, "secrets."+a.address[strings.Index(a.address, "@")+1:]); err != nil {
		return err
	}
	return m.conceal(ctx, a, c)
}

func (m *envMaker) tokens(ctx context.Context, a *testAccount, c caller.Caller) error {
	token, made, err := m.v.Tokens.GenerateAPIToken(ctx, c, credential.NewToken{Name: "main"})
	if err != nil {
		return err
	}
	a.token, a.tokenID, a.narrow = token.Expose(), made.ID, map[caller.Scopes]string{}
	for name, scope := range testScopes() {
		if token, _, err = m.v.Tokens.GenerateAPIToken(ctx, c, credential.NewToken{Name: name, Scopes: scope}); err != nil {
			return err
		}
		a.narrow[scope] = token.Expose()
	}
	return nil
}

func (m *envMaker) conceal(ctx context.Context, a *testAccount, c caller.Caller) (err error) {
	if a.plain, err = m.v.Secrets.ConcealSecret(ctx, c, caller.Text("of "+a.address), secret.Wish{}); err != nil {
		return err
	}
	a.guarded, err = m.v.Secrets.ConcealSecret(ctx, c, caller.Text("guarded, of "+a.address), secret.Wish{Passphrase: testPassphrase})
	if err != nil {
		return err
	}
	for _, kept := range []secret.Concealed{a.plain, a.guarded} {
		if _, err := m.v.Receipts.GetMetadata(ctx, c, kept.Metadata.Key.Expose()); err != nil {
			return err
		}
	}
	return nil
}

// revoke makes a token and ends it.
func (m *envMaker) revoke(ctx context.Context) error {
	token, made, err := m.v.Operator().Tokens.CreateToken(ctx, caller.Text(m.env.ada.address), credential.NewToken{})
	if err != nil {
		return err
	}
	m.env.revoked = token.Expose()
	_, err = m.v.Operator().Tokens.RevokeToken(ctx, caller.Text(m.env.ada.address), made.ID)
	return err
}

// leavePending signs up an address that is never confirmed. A caller with an
// account needs no solved challenge for that.
func (m *envMaker) leavePending(ctx context.Context) error {
	c, err := m.v.Sessions.Authenticate(ctx, caller.Network{}, session.Credential{Token: caller.Text(m.env.bob.token)})
	if err != nil {
		return err
	}
	dan := &m.env.dan
	if _, err := m.v.SignUps.CreateAccount(ctx, c, signup.NewAccount{Address: caller.Text(dan.address), Password: testPassword}); err != nil {
		return err
	}
	if _, err := m.v.Outbox.PostDue(ctx); err != nil { // else the program would try for hours
		return err
	}
	token, made, err := m.v.Operator().Tokens.CreateToken(ctx, caller.Text(dan.address), credential.NewToken{})
	dan.token, dan.tokenID = token.Expose(), made.ID
	return err
}
