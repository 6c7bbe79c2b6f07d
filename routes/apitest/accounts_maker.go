package apitest

import (
	"context"
	"strings"
	"time"

	"hush/vault"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/secret"
	"hush/vault/session"
	"hush/vault/signup"
	"hush/vault/vaulttest"
)

// Fill fills a vault with accounts. Signing up must be open, and mails are best
// dropped. What is over began when the clock stood where it is; it then moves a day and an
// hour, and stops.
func Fill(ctx context.Context, v *vault.Vault, clock *vaulttest.Clock) (*Accounts, error) {
	m := &accountsMaker{v: v, clock: clock, env: new(Accounts)}
	return m.env, m.make(ctx)
}

// accountsMaker fills a vault with accounts.
type accountsMaker struct {
	v     *vault.Vault
	clock *vaulttest.Clock
	env   *Accounts
}

func (m *accountsMaker) make(ctx context.Context) error {
	k := m.env
	k.Ada.Address, k.Bob.Address, k.Cleo.Address, k.Dan.Address =
		"ada@ada-team.com", "bob@bob-team.com", "cleo@cleo-team.com", "dan@dan-team.com"
	if err := m.create(ctx, &k.Ada, account.RoleCustomer); err != nil {
		return err
	}
	expired, err := m.signIn(ctx, &k.Ada)
	if err != nil {
		return err
	}
	k.Expired = expired
	m.clock.Advance(25 * time.Hour)
	for _, one := range []struct {
		account *Account
		role    account.Role
	}{{&k.Ada, account.RoleCustomer}, {&k.Bob, account.RoleCustomer}, {&k.Cleo, account.RoleColonel}} {
		if err := m.furnish(ctx, one.account, one.role); err != nil {
			return err
		}
	}
	if err := m.revoke(ctx); err != nil {
		return err
	}
	return m.leavePending(ctx)
}

func (m *accountsMaker) create(ctx context.Context, a *Account, role account.Role) error {
	made, err := m.v.Operator().SignUps.CreateAccount(ctx, signup.OperatorAccount{
		Address: caller.Text(a.Address), Password: Password, Role: role,
	})
	a.ID = made.ID.String()
	return err
}

func (m *accountsMaker) signIn(ctx context.Context, a *Account) (Session, error) {
	in, err := m.v.Sessions.CreateSession(ctx, caller.Caller{}, caller.Text(a.Address), Password, false)
	if err != nil {
		return Session{}, err
	}
	return Session{Cookie: in.Cookie.Expose(), Shrimp: in.Shrimp, ID: in.Session.ID}, nil
}

// furnish gives an account its sessions, tokens, domain and secrets.
func (m *accountsMaker) furnish(ctx context.Context, a *Account, role account.Role) error {
	if a.ID == "" {
		if err := m.create(ctx, a, role); err != nil {
			return err
		}
	}
	for range SessionsEach {
		in, err := m.signIn(ctx, a)
		if err != nil {
			return err
		}
		a.Sessions = append(a.Sessions, in)
	}
	c, err := m.v.Sessions.Authenticate(ctx, caller.Network{}, session.Credential{Session: caller.Text(a.Sessions[0].Cookie)})
	if err != nil {
		return err
	}
	if err := m.tokens(ctx, a, c); err != nil {
		return err
	}
	if a.Domain, err = m.v.Domains.AddDomain(ctx, c, "secrets."+a.Address[strings.Index(a.Address, "@")+1:]); err != nil {
		return err
	}
	return m.conceal(ctx, a, c)
}

func (m *accountsMaker) tokens(ctx context.Context, a *Account, c caller.Caller) error {
	token, made, err := m.v.Tokens.GenerateAPIToken(ctx, c, credential.NewToken{Name: "main"})
	if err != nil {
		return err
	}
	a.Token, a.TokenID, a.Narrow = token.Expose(), made.ID, map[caller.Scopes]string{}
	for name, scope := range Scopes() {
		if token, _, err = m.v.Tokens.GenerateAPIToken(ctx, c, credential.NewToken{Name: name, Scopes: scope}); err != nil {
			return err
		}
		a.Narrow[scope] = token.Expose()
	}
	return nil
}

func (m *accountsMaker) conceal(ctx context.Context, a *Account, c caller.Caller) (err error) {
	if a.Plain, err = m.v.Secrets.ConcealSecret(ctx, c, caller.Text("of "+a.Address), secret.Terms{}); err != nil {
		return err
	}
	a.Guarded, err = m.v.Secrets.ConcealSecret(ctx, c, caller.Text("guarded, of "+a.Address), secret.Terms{Passphrase: Passphrase})
	if err != nil {
		return err
	}
	for _, kept := range []secret.Concealed{a.Plain, a.Guarded} {
		if _, err := m.v.Receipts.GetMetadata(ctx, c, kept.Metadata.Key.Expose()); err != nil {
			return err
		}
	}
	return nil
}

// revoke makes a token and ends it.
func (m *accountsMaker) revoke(ctx context.Context) error {
	token, made, err := m.v.Operator().Tokens.CreateToken(ctx, caller.Text(m.env.Ada.Address), credential.NewToken{})
	if err != nil {
		return err
	}
	m.env.Revoked = token.Expose()
	_, err = m.v.Operator().Tokens.RevokeToken(ctx, caller.Text(m.env.Ada.Address), made.ID)
	return err
}

// leavePending signs up an address that is never confirmed. A caller with an
// account needs no solved challenge for that.
func (m *accountsMaker) leavePending(ctx context.Context) error {
	c, err := m.v.Sessions.Authenticate(ctx, caller.Network{}, session.Credential{Token: caller.Text(m.env.Bob.Token)})
	if err != nil {
		return err
	}
	dan := &m.env.Dan
	if _, err := m.v.SignUps.CreateAccount(ctx, c, signup.NewAccount{Address: caller.Text(dan.Address), Password: Password}); err != nil {
		return err
	}
	if _, err := m.v.Outbox.PostDue(ctx); err != nil { // else the program would try for hours
		return err
	}
	token, made, err := m.v.Operator().Tokens.CreateToken(ctx, caller.Text(dan.Address), credential.NewToken{})
	dan.Token, dan.TokenID = token.Expose(), made.ID
	return err
}
