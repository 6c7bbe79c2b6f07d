package vault_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hush/seal"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/session"
	"hush/vault/vaulttest"
)

func TestGenerateAPIToken(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	c := m.mustEnter(t)
	token, made, err := m.Vault.Tokens.GenerateAPIToken(t.Context(), c, credential.NewToken{
		Name: " the name ", Scopes: caller.ScopeConceal, TTL: new(time.Hour),
	})
	want(t, "GenerateAPIToken()", err, nil)
	now := m.Clock.Now()
	want(t, "len(APIToken.ID)", len(made.ID), 16)
	want(t, "GenerateAPIToken()", made, credential.APIToken{
		ID: made.ID, Name: "the name", Scopes: caller.ScopeConceal, Created: now, Expires: now.Add(time.Hour),
	})
	want(t, "ListAPITokens()[0]", m.listTokens(t, c)[0], made)
	by := m.mustAuth(t, byToken(token))
	want(t, "Caller.Account", by.Account, m.id.String())
	want(t, "Caller.Address()", by.Address(), memberAddress)
	want(t, "Caller.FromSession()", by.FromSession(), false)
	want(t, "Caller.Shrimp()", by.Shrimp(), "")
	m.Clock.Advance(time.Millisecond)
	for scope, may := range map[caller.Scopes]bool{
		caller.ScopeConceal: true, caller.ScopeReveal: false, caller.ScopeMetadata: false,
		caller.ScopeAccount: false, caller.ScopesAll: false,
	} {
		want(t, fmt.Sprintf("Caller.May(%d)", scope), by.May(scope), may)
	}
	m.mustToken(t, c, credential.NewToken{})
	want(t, "ListAPITokens()[1].Name", m.listTokens(t, c)[1].Name, "default")
	want(t, "ListAPITokens()[1].Scopes", m.listTokens(t, c)[1].Scopes, caller.ScopesAll)
}

func TestAuthenticateToken(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	in := m.mustSignIn(t, false)
	cookie := caller.Text(in.Cookie.Expose())
	token := caller.Text(m.mustToken(t, m.mustAuth(t, bySession(in.Cookie)), credential.NewToken{}).Expose())
	other := caller.Text(seal.NewAPIToken().Expose())
	for _, test := range []struct {
		name string
		cred session.Credential
		good bool
	}{
		{"token", session.Credential{Token: token}, true},
		{"address and token", session.Credential{Address: memberAddress, Token: token}, true},
		{"address in upper case", session.Credential{Address: caller.Text(strings.ToUpper(memberAddress)), Token: token}, true},
		{"another's address", session.Credential{Address: "other@example.com", Token: token}, false},
		{"no address", session.Credential{Address: "anon", Token: token}, false},
		{"unknown token", session.Credential{Address: memberAddress, Token: other}, false},
		{"token in upper case", session.Credential{Token: caller.Text(strings.ToUpper(string(token)))}, false},
		{"token with space", session.Credential{Token: token + " "}, false},
		{"session as token", session.Credential{Token: cookie}, false},
		{"token as session", session.Credential{Session: token}, false},
		{"password as token", session.Credential{Address: memberAddress, Token: memberPassword}, false},
		{"address alone", session.Credential{Address: memberAddress}, false},
		{"nothing", session.Credential{}, false},
		{"session and token", session.Credential{Session: cookie, Token: token}, false},
		{"session and address", session.Credential{Session: cookie, Address: memberAddress}, false},
	} {
		err := m.authErr(t, test.cred)
		if test.good {
			want(t, "Authenticate("+test.name+")", err, nil)
			continue
		}
		wantErr(t, "Authenticate("+test.name+")", err, refusal.ErrUnauthenticated)
	}
}

func TestTokenRefused(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	c := m.mustEnter(t)
	m.mustToken(t, c, credential.NewToken{Name: "taken"})
	narrow := m.mustAuth(t, byToken(m.mustToken(t, c, credential.NewToken{
		Name: "narrow", Scopes: caller.ScopeAccount | caller.ScopeConceal,
	})))
	for _, test := range []struct {
		name string
		by   caller.Caller
		n    credential.NewToken
		want error
	}{
		{"nobody", caller.Caller{}, credential.NewToken{}, refusal.ErrUnauthenticated},
		{"name in use", c, credential.NewToken{Name: "taken"}, refusal.ErrDuplicate},
		{"name in use, with space", c, credential.NewToken{Name: "\ttaken "}, refusal.ErrDuplicate},
		{"longest name", c, credential.NewToken{Name: strings.Repeat("ö", 64)}, nil},
		{"too long a name", c, credential.NewToken{Name: strings.Repeat("ö", 65)}, refusal.ErrInvalid},
		{"line break", c, credential.NewToken{Name: "a\nb"}, refusal.ErrInvalid},
		{"no text", c, credential.NewToken{Name: "a\xff"}, refusal.ErrInvalid},
		{"unknown scope", c, credential.NewToken{Scopes: 1 << 7}, refusal.ErrInvalid},
		{"too short a life", c, credential.NewToken{TTL: new(time.Minute - 1)}, refusal.ErrInvalid},
		{"no life", c, credential.NewToken{TTL: new(time.Duration)}, refusal.ErrInvalid},
		{"more than its own scopes", narrow, credential.NewToken{Name: "x", Scopes: caller.ScopeReveal}, refusal.ErrScope},
		{"everything, from a narrow token", narrow, credential.NewToken{Name: "x"}, refusal.ErrScope},
		{"its own scopes", narrow, credential.NewToken{Name: "x", Scopes: caller.ScopeConceal}, nil},
	} {
		_, made, err := m.Vault.Tokens.GenerateAPIToken(t.Context(), test.by, test.n)
		if test.want == nil {
			want(t, "GenerateAPIToken("+test.name+")", err, nil)
			continue
		}
		wantErr(t, "GenerateAPIToken("+test.name+")", err, test.want)
		want(t, "GenerateAPIToken("+test.name+").ID", made.ID, "")
	}
}

func TestTokenExpires(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	c := m.mustAuth(t, bySession(m.mustSignIn(t, true).Cookie))
	began := m.Clock.Now()
	token := byToken(m.mustToken(t, c, credential.NewToken{Name: "short", TTL: new(30 * time.Minute)}))
	lasting := byToken(m.mustToken(t, c, credential.NewToken{}))
	m.Clock.Set(began.Add(30*time.Minute - time.Millisecond))
	want(t, "Authenticate(before the end)", m.authErr(t, token), nil)
	m.Clock.Advance(time.Millisecond)
	wantErr(t, "Authenticate(at the end)", m.authErr(t, token), refusal.ErrUnauthenticated)
	want(t, "ListAPITokens()", len(m.listTokens(t, c)), 1)
	m.wantRows(t, vault.BucketToken, 2)
	m.MustSweep(t)
	m.wantRows(t, vault.BucketToken, 1)
	m.wantRows(t, vault.BucketTokens, 1)
	want(t, "Authenticate(for ever)", m.authErr(t, lasting), nil)
}

// A token that ended takes up neither its name nor a place.
func TestExpiredTokenIsNotInTheWay(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	c := m.mustEnter(t)
	for i := range vault.TokensMost {
		m.mustToken(t, c, credential.NewToken{Name: fmt.Sprint(i), TTL: new(time.Hour)})
	}
	_, _, err := m.Vault.Tokens.GenerateAPIToken(t.Context(), c, credential.NewToken{Name: "one more"})
	wantErr(t, "GenerateAPIToken(one more)", err, refusal.ErrTooMany)
	m.mustToken(t, c, credential.NewToken{Name: "0", Rotate: true})
	m.Clock.Advance(time.Hour)
	m.mustToken(t, c, credential.NewToken{Name: "1"})
	want(t, "ListAPITokens()", len(m.listTokens(t, c)), 2)
}

func TestRevokeAPIToken(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	c := m.mustEnter(t)
	token := m.mustToken(t, c, credential.NewToken{})
	m.Clock.Advance(time.Millisecond) // tokens are listed in the order in which they were made
	kept := m.mustToken(t, c, credential.NewToken{Name: "kept"})
	made := m.listTokens(t, c)[0]
	m.mustAccount(t, "other@example.com", memberPassword)
	in, err := m.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(1), "other@example.com", memberPassword, false)
	want(t, "CreateSession(other)", err, nil)
	other := m.mustAuth(t, bySession(in.Cookie))
	wantErr(t, "RevokeAPIToken(another account's)", m.Vault.Tokens.RevokeAPIToken(t.Context(), other, made.ID), refusal.ErrNotFound)
	wantErr(t, "RevokeAPIToken(nobody)", m.Vault.Tokens.RevokeAPIToken(t.Context(), caller.Caller{}, made.ID), refusal.ErrUnauthenticated)
	wantErr(t, "RevokeAPIToken(by name)", m.Vault.Tokens.RevokeAPIToken(t.Context(), c, "default"), refusal.ErrNotFound)
	caller := m.mustAuth(t, byToken(token))
	want(t, "RevokeAPIToken(id)", m.Vault.Tokens.RevokeAPIToken(t.Context(), caller, made.ID), nil)
	wantErr(t, "Authenticate(revoked)", m.authErr(t, byToken(token)), refusal.ErrUnauthenticated)
	want(t, "Authenticate(kept)", m.authErr(t, byToken(kept)), nil)
	wantErr(t, "RevokeAPIToken(again)", m.Vault.Tokens.RevokeAPIToken(t.Context(), c, made.ID), refusal.ErrNotFound)
}

// The attack: a thief whose token or session is being revoked makes another
// one with it in time. What ended makes no successor.
func TestRevokedMakesNoToken(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	owner, session := m.mustEnter(t), m.mustEnter(t)
	token := m.mustAuth(t, byToken(m.mustToken(t, owner, credential.NewToken{})))
	want(t, "RevokeAPIToken(id)", m.Vault.Tokens.RevokeAPIToken(t.Context(), owner, m.listTokens(t, owner)[0].ID), nil)
	want(t, "DestroySession(thief's)", m.Vault.Sessions.DestroySession(t.Context(), session), nil)
	for _, thief := range []caller.Caller{token, session} {
		_, _, err := m.Vault.Tokens.GenerateAPIToken(t.Context(), thief, credential.NewToken{Name: "thief"})
		wantErr(t, "GenerateAPIToken(ended credential)", err, refusal.ErrUnauthenticated)
	}
	m.wantRows(t, vault.BucketToken, 0)
}

// The attack: many rotations at once, so that the account shows one token and
// another one works, too.
func TestRotationRace(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	session := m.mustEnter(t)
	m.rotate(t, session, 32)
	// A program rotates its own token: the first ends the one that asks.
	own := m.mustAuth(t, byToken(m.mustToken(t, session, credential.NewToken{Rotate: true})))
	m.rotate(t, own, 1)
	// So does one whose token has a pair of its own, which must outlive it.
	token, _, err := m.Vault.Operator().Tokens.CreateToken(t.Context(), memberAddress, credential.NewToken{Name: "default", Rotate: true})
	want(t, "CreateToken(rotate)", err, nil)
	own = m.mustAuth(t, byToken(token))
	m.rotate(t, own, 1)
	m.wantRows(t, vault.BucketPair, 2)
}

// rotate rotates the default token 32 times at once. So many are to succeed,
// and one token is to be good afterwards.
func (m *member) rotate(t *testing.T, c caller.Caller, succeed int) {
	t.Helper()
	tokens, errs := make([]seal.APIToken, 32), make([]error, 32)
	var all sync.WaitGroup
	for i := range tokens {
		all.Go(func() {
			tokens[i], _, errs[i] = m.Vault.Tokens.GenerateAPIToken(t.Context(), c, credential.NewToken{Rotate: true})
		})
	}
	all.Wait()
	made, good := 0, 0
	for i, token := range tokens {
		if errors.Is(errs[i], refusal.ErrUnauthenticated) {
			continue
		}
		want(t, "GenerateAPIToken(rotate)", errs[i], nil)
		made++
		if m.authErr(t, byToken(token)) == nil {
			good++
			m.wantOpens(t, token)
		}
	}
	want(t, "rotations that succeeded", made, succeed)
	want(t, "tokens that are good", good, 1)
	m.wantRows(t, vault.BucketToken, 1)
	m.wantRows(t, vault.BucketTokens, 1)
}

// wantOpens fails the test unless a token lists what is shared with it.
func (m *member) wantOpens(t *testing.T, token seal.APIToken) {
	t.Helper()
	c := m.mustAuth(t, byToken(token))
	kept := m.MustConceal(t, c, plaintext, secret.Wish{})
	page, err := m.Vault.Receipts.ListMetadata(t.Context(), c, secret.ListQuery{})
	want(t, "ListMetadata()", err, nil)
	listed := func(m secret.Metadata) bool { return m.Key == kept.Metadata.Key }
	want(t, "ListMetadata() shows the new receipt", slices.ContainsFunc(page.Metadata, listed), true)
}
