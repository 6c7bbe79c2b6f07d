package vaulttest

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/outbox"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/session"
	"hush/vault/signup"
)

// What tests of accounts have in common: addresses, and a password that is not Password.
const (
	Ada = "ada-canary@example.com"
	Bob = "bob-canary@example.com"

	OtherPassword caller.Text = "staple of the battery"
)

// sentMails takes every mail that is sent.
type sentMails struct {
	mu    sync.Mutex
	mails []outbox.Mail
}

func (b *sentMails) send(_ context.Context, m outbox.Mail) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mails = append(b.mails, m)
	return nil
}

func (b *sentMails) take() []outbox.Mail {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.mails
	b.mails = nil
	return taken
}

// AccountKit is a vault where everybody may sign up, with an account of the
// operator's that does so for others, as callers with one solve no challenge.
type AccountKit struct {
	*Kit
	inbox *sentMails
	Host  caller.Caller
}

// NewAccountKit opens a vault with mail.
func NewAccountKit(t testing.TB, opts Options) *AccountKit {
	t.Helper()
	box := &sentMails{}
	opts.Send = box.send
	k := NewMaillessKit(t, opts)
	k.inbox = box
	return k
}

// NewMaillessKit opens a vault without mail.
func NewMaillessKit(t testing.TB, opts Options) *AccountKit {
	t.Helper()
	opts.Manual = true
	if opts.Policy.SignUp == 0 {
		opts.Policy.SignUp = caller.SignUpOpen
	}
	k := &AccountKit{Kit: New(t, opts)}
	k.Host = k.MustAccount(t, "host-canary@example.com")
	return k
}

// WantSignIn fails the test unless signing in ends so.
func (k *AccountKit) WantSignIn(t *testing.T, address, password caller.Text, wanted error) {
	t.Helper()
	_, err := k.Vault.Sessions.CreateSession(t.Context(), Caller(1), address, password, false)
	WantErr(t, "CreateSession(address, password)", err, wanted)
}

// Confirm opens a mailed link with a password and returns the error.
func (k *AccountKit) Confirm(t testing.TB, token, password caller.Text) error {
	t.Helper()
	return k.Vault.SignUps.VerifyAccount(t.Context(), caller.Caller{}, token, password)
}

// SignUp signs up and returns the error.
func (k *AccountKit) SignUp(t testing.TB, address, password caller.Text) error {
	t.Helper()
	_, err := k.Vault.SignUps.CreateAccount(t.Context(), k.Host, signup.NewAccount{Address: address, Password: password})
	return err
}

// SentMails sends what is due and returns it.
func (k *AccountKit) SentMails(t testing.TB) []outbox.Mail {
	t.Helper()
	MustPost(t, k.Kit)
	return k.inbox.take()
}

// WantMails sends what is due and fails the test unless it is mails of these
// kinds. It returns them.
func (k *AccountKit) WantMails(t testing.TB, kinds ...outbox.MailKind) []outbox.Mail {
	t.Helper()
	mails := k.SentMails(t)
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

// WantLink sends what is due and returns the token of the one mail, which is of
// that kind and to that address.
func (k *AccountKit) WantLink(t *testing.T, kind outbox.MailKind, to caller.Text) caller.Text {
	t.Helper()
	m := k.WantMails(t, kind)[0]
	if m.To != to || m.Key == "" {
		t.Fatalf("mail of kind %d: got another address or no link", kind)
	}
	return m.Key
}

// MustVerify signs up and opens the link.
func (k *AccountKit) MustVerify(t *testing.T, address caller.Text) {
	t.Helper()
	if err := k.SignUp(t, address, Password); err != nil {
		t.Fatalf("CreateAccount(address): got %v, want nil", err)
	}
	if err := k.Confirm(t, k.WantLink(t, outbox.MailVerify, address), Password); err != nil {
		t.Fatalf("VerifyAccount(token): got %v, want nil", err)
	}
}

// AccountOf shows an account as the operator sees it.
func (k *AccountKit) AccountOf(t *testing.T, address caller.Text) account.Account {
	t.Helper()
	account, err := k.Vault.Operator().Accounts.GetAccount(t.Context(), address)
	if err != nil {
		t.Fatalf("Operator.GetAccount(address): got %v, want nil", err)
	}
	return account
}

// WantNoAccount fails the test if the operator finds an account.
func (k *AccountKit) WantNoAccount(t *testing.T, account caller.Text) {
	t.Helper()
	_, err := k.Vault.Operator().Accounts.GetAccount(t.Context(), account)
	WantErr(t, "Operator.GetAccount(gone)", err, refusal.ErrNotFound)
}

// AuditCount returns how often the trail has a kind.
func (k *AccountKit) AuditCount(t *testing.T, kind audit.Type) int {
	t.Helper()
	return AuditKinds(t, k.Kit)[kind]
}

// Leap moves the clock far and sweeps until the sweeper believes it.
func (k *AccountKit) Leap(t *testing.T, d time.Duration) {
	t.Helper()
	k.Clock.Advance(d)
	for range 4 {
		k.MustSweep(t)
		k.Clock.Advance(time.Minute)
	}
	k.MustSweep(t)
}

// TokenOf makes an API token of the caller's account.
func (k *AccountKit) TokenOf(t *testing.T, c caller.Caller) session.Credential {
	t.Helper()
	token, _, err := k.Vault.Tokens.GenerateAPIToken(t.Context(), c, credential.NewToken{})
	if err != nil {
		t.Fatalf("GenerateAPIToken(caller): got %v, want nil", err)
	}
	return ByToken(token)
}

// WantRefused fails the test unless a credential is refused.
func (k *AccountKit) WantRefused(t *testing.T, cred session.Credential) {
	t.Helper()
	_, err := k.Vault.Sessions.Authenticate(t.Context(), Caller(1).Network, cred)
	WantErr(t, "Authenticate(ended credential)", err, refusal.ErrUnauthenticated)
}

// Browser signs in to Ada's account and returns the session's credential.
func (k *AccountKit) Browser(t *testing.T) session.Credential {
	t.Helper()
	in, err := k.Vault.Sessions.CreateSession(t.Context(), Caller(1), Ada, Password, false)
	if err != nil {
		t.Fatalf("CreateSession(address, password): got %v, want nil", err)
	}
	return BySession(in.Cookie)
}

// Listed returns how many receipts the caller's list shows and hides.
func (k *AccountKit) Listed(t *testing.T, c caller.Caller) (shown, sealed int) {
	t.Helper()
	page, err := k.Vault.Receipts.ListMetadata(t.Context(), c, receipt.ListQuery{})
	if err != nil {
		t.Fatalf("ListMetadata(caller): got %v, want nil", err)
	}
	return len(page.Metadata), page.Sealed
}
