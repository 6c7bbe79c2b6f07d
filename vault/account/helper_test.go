package account_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/session"
	"hush/vault/vaulttest"
)

const (
	ada = "ada-canary@example.com"
	bob = "bob-canary@example.com"

	rightPassword caller.Text = "correct horse battery"
	otherPassword caller.Text = "staple of the battery"
)

// inbox takes every mail that is sent.
type inbox struct {
	mu    sync.Mutex
	mails []outbox.Mail
}

func (b *inbox) send(_ context.Context, m outbox.Mail) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mails = append(b.mails, m)
	return nil
}

func (b *inbox) take() []outbox.Mail {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.mails
	b.mails = nil
	return taken
}

// accountKit is a vault where everybody may sign up, with an account of the
// operator's that does so for others, as callers with one solve no challenge.
type accountKit struct {
	*vaulttest.Kit
	inbox *inbox
	host  caller.Caller
	asked caller.Caller // of the test that keeps one
}

// newAccountKit opens a vault with mail.
func newAccountKit(t testing.TB, opts vaulttest.Options) *accountKit {
	t.Helper()
	box := &inbox{}
	opts.Send = box.send
	k := newPlainKit(t, opts)
	k.inbox = box
	return k
}

// newPlainKit opens a vault without mail.
func newPlainKit(t testing.TB, opts vaulttest.Options) *accountKit {
	t.Helper()
	opts.Manual = true
	if opts.Policy.SignUp == 0 {
		opts.Policy.SignUp = caller.SignUpOpen
	}
	k := &accountKit{Kit: vaulttest.New(t, opts)}
	k.host = k.member(t, "host-canary@example.com")
	return k
}

// made makes an account by the operator.
func (k *accountKit) made(t testing.TB, a account.OperatorAccount) account.Account {
	t.Helper()
	account, err := k.Vault.Operator().Accounts.CreateAccount(t.Context(), a)
	if err != nil {
		t.Fatalf("Operator.CreateAccount(address): got %v, want nil", err)
	}
	return account
}

// member makes an account by the operator and signs in.
func (k *accountKit) member(t testing.TB, address caller.Text) caller.Caller {
	t.Helper()
	k.made(t, account.OperatorAccount{Address: address, Password: rightPassword})
	return k.signIn(t, address, rightPassword)
}

func (k *accountKit) signIn(t testing.TB, address, password caller.Text) caller.Caller {
	t.Helper()
	in, err := k.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(7), address, password, false)
	if err != nil {
		t.Fatalf("CreateSession(address, password): got %v, want nil", err)
	}
	return k.mustBe(t, session.Credential{Session: caller.Text(in.Cookie.Expose())})
}

func (k *accountKit) mustBe(t testing.TB, cred session.Credential) caller.Caller {
	t.Helper()
	c, err := k.Vault.Sessions.Authenticate(t.Context(), vaulttest.Caller(7).Network, cred)
	if err != nil {
		t.Fatalf("Authenticate(credential): got %v, want nil", err)
	}
	return c
}

// wantSignIn fails the test unless signing in ends so.
func (k *accountKit) wantSignIn(t *testing.T, address, password caller.Text, wanted error) {
	t.Helper()
	_, err := k.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(7), address, password, false)
	vaulttest.WantErr(t, "CreateSession(address, password)", err, wanted)
}

// confirm opens a mailed link with a password and returns the error.
func (k *accountKit) confirm(t testing.TB, token, password caller.Text) error {
	t.Helper()
	return k.Vault.SignUps.VerifyAccount(t.Context(), caller.Caller{}, token, password)
}

// signUp signs up and returns the error.
func (k *accountKit) signUp(t testing.TB, address, password caller.Text) error {
	t.Helper()
	_, err := k.Vault.SignUps.CreateAccount(t.Context(), k.host, account.NewAccount{Address: address, Password: password})
	return err
}

// mails sends what is due and returns it.
func (k *accountKit) mails(t testing.TB) []outbox.Mail {
	t.Helper()
	vaulttest.MustPost(t, k.Kit)
	return k.inbox.take()
}

// wantMails sends what is due and fails the test unless it is mails of these
// kinds. It returns them.
func (k *accountKit) wantMails(t testing.TB, kinds ...outbox.MailKind) []outbox.Mail {
	t.Helper()
	mails := k.mails(t)
	got := make([]outbox.MailKind, 0, len(mails))
	for _, m := range mails {
		got = append(got, m.Kind)
	}
	slices.Sort(got)
	if !slices.Equal(got, kinds) {
		t.Fatalf("mails sent: got kinds %v, want %v", got, kinds)
	}
	return mails
}

// link sends what is due and returns the token of the one mail, which is of
// that kind and to that address.
func (k *accountKit) link(t *testing.T, kind outbox.MailKind, to caller.Text) caller.Text {
	t.Helper()
	m := k.wantMails(t, kind)[0]
	if m.To != to || m.Key == "" {
		t.Fatalf("mail of kind %d: got another address or no link", kind)
	}
	return m.Key
}

// verified signs up and opens the link.
func (k *accountKit) verified(t *testing.T, address caller.Text) {
	t.Helper()
	if err := k.signUp(t, address, rightPassword); err != nil {
		t.Fatalf("CreateAccount(address): got %v, want nil", err)
	}
	if err := k.confirm(t, k.link(t, outbox.MailVerify, address), rightPassword); err != nil {
		t.Fatalf("VerifyAccount(token): got %v, want nil", err)
	}
}

// account shows an account as the operator sees it.
func (k *accountKit) account(t *testing.T, address caller.Text) account.Account {
	t.Helper()
	account, err := k.Vault.Operator().Accounts.GetAccount(t.Context(), address)
	if err != nil {
		t.Fatalf("Operator.GetAccount(address): got %v, want nil", err)
	}
	return account
}

// wantNoAccount fails the test if the operator finds an account.
func (k *accountKit) wantNoAccount(t *testing.T, account caller.Text) {
	t.Helper()
	_, err := k.Vault.Operator().Accounts.GetAccount(t.Context(), account)
	vaulttest.WantErr(t, "Operator.GetAccount(gone)", err, refusal.ErrNotFound)
}

// count returns how often the trail has a kind.
func (k *accountKit) count(t *testing.T, kind audit.Type) int {
	t.Helper()
	return vaulttest.AuditKinds(t, k.Kit)[kind]
}

// leap moves the clock far and sweeps until the sweeper believes it.
func (k *accountKit) leap(t *testing.T, d time.Duration) {
	t.Helper()
	k.Clock.Advance(d)
	for range 4 {
		k.MustSweep(t)
		k.Clock.Advance(time.Minute)
	}
	k.MustSweep(t)
}
