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
	"hush/vault/vaulttest"
)

func TestGenerateAPIToken(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	c := m.mustEnter(t)
	token, made, err := m.Vault.GenerateAPIToken(t.Context(), c, vault.NewToken{
		Name: " the name ", Scopes: vault.ScopeConceal, TTL: new(time.Hour),
	})
	want(t, "GenerateAPIToken()", err, nil)
	now := m.Clock.Now()
	want(t, "len(APIToken.ID)", len(made.ID), 16)
	want(t, "GenerateAPIToken()", made, vault.APIToken{
		ID: made.ID, Name: "the name", Scopes: vault.ScopeConceal, Created: now, Expires: now.Add(time.Hour),
	})
	want(t, "ListAPITokens()[0]", m.listTokens(t, c)[0], made)
	by := m.mustAuth(t, byToken(token))
	want(t, "Caller.Account", by.Account, m.id.String())
	want(t, "Caller.Address()", by.Address(), memberAddress)
	want(t, "Caller.FromSession()", by.FromSession(), false)
	want(t, "Caller.Shrimp()", by.Shrimp(), "")
	m.Clock.Advance(time.Millisecond)
	for scope, may := range map[vault.Scopes]bool{
		vault.ScopeConceal: true, vault.ScopeReveal: false, vault.ScopeMetadata: false,
		vault.ScopeAccount: false, vault.ScopesAll: false,
	} {
		want(t, fmt.Sprintf("Caller.May(%d)", scope), by.May(scope), may)
	}
	m.mustToken(t, c, vault.NewToken{})
	want(t, "ListAPITokens()[1].Name", m.listTokens(t, c)[1].Name, "default")
	want(t, "ListAPITokens()[1].Scopes", m.listTokens(t, c)[1].Scopes, vault.ScopesAll)
}

func TestAuthenticateToken(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	in := m.mustSignIn(t, false)
	cookie := vault.Text(in.Cookie.Expose())
	token := vault.Text(m.mustToken(t, m.mustAuth(t, bySession(in.Cookie)), vault.NewToken{}).Expose())
	other := vault.Text(seal.NewAPIToken().Expose())
	for _, test := range []struct {
		name string
		cred vault.Credential
		good bool
	}{
		{"token", vault.Credential{Token: token}, true},
		{"address and token", vault.Credential{Address: memberAddress, Token: token}, true},
		{"address in upper case", vault.Credential{Address: vault.Text(strings.ToUpper(memberAddress)), Token: token}, true},
		{"another's address", vault.Credential{Address: "other@example.com", Token: token}, false},
		{"no address", vault.Credential{Address: "anon", Token: token}, false},
		{"unknown token", vault.Credential{Address: memberAddress, Token: other}, false},
		{"token in upper case", vault.Credential{Token: vault.Text(strings.ToUpper(string(token)))}, false},
		{"token with space", vault.Credential{Token: token + " "}, false},
		{"session as token", vault.Credential{Token: cookie}, false},
		{"token as session", vault.Credential{Session: token}, false},
		{"password as token", vault.Credential{Address: memberAddress, Token: memberPassword}, false},
		{"address alone", vault.Credential{Address: memberAddress}, false},
		{"nothing", vault.Credential{}, false},
		{"session and token", vault.Credential{Session: cookie, Token: token}, false},
		{"session and address", vault.Credential{Session: cookie, Address: memberAddress}, false},
	} {
		err := m.authErr(t, test.cred)
		if test.good {
			want(t, "Authenticate("+test.name+")", err, nil)
			continue
		}
		wantErr(t, "Authenticate("+test.name+")", err, vault.ErrUnauthenticated)
	}
}

func TestTokenRefused(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	c := m.mustEnter(t)
	m.mustToken(t, c, vault.NewToken{Name: "taken"})
	narrow := m.mustAuth(t, byToken(m.mustToken(t, c, vault.NewToken{
		Name: "narrow", Scopes: vault.ScopeAccount | vault.ScopeConceal,
	})))
	for _, test := range []struct {
		name string
		by   vault.Caller
		n    vault.NewToken
		want error
	}{
		{"nobody", vault.Caller{}, vault.NewToken{}, vault.ErrUnauthenticated},
		{"name in use", c, vault.NewToken{Name: "taken"}, vault.ErrDuplicate},
		{"name in use, with space", c, vault.NewToken{Name: "\ttaken "}, vault.ErrDuplicate},
		{"longest name", c, vault.NewToken{Name: strings.Repeat("ö", 64)}, nil},
		{"too long a name", c, vault.NewToken{Name: strings.Repeat("ö", 65)}, vault.ErrInvalid},
		{"line break", c, vault.NewToken{Name: "a\nb"}, vault.ErrInvalid},
		{"no text", c, vault.NewToken{Name: "a\xff"}, vault.ErrInvalid},
		{"unknown scope", c, vault.NewToken{Scopes: 1 << 7}, vault.ErrInvalid},
		{"too short a life", c, vault.NewToken{TTL: new(time.Minute - 1)}, vault.ErrInvalid},
		{"no life", c, vault.NewToken{TTL: new(time.Duration)}, vault.ErrInvalid},
		{"more than its own scopes", narrow, vault.NewToken{Name: "x", Scopes: vault.ScopeReveal}, vault.ErrScope},
		{"everything, from a narrow token", narrow, vault.NewToken{Name: "x"}, vault.ErrScope},
		{"its own scopes", narrow, vault.NewToken{Name: "x", Scopes: vault.ScopeConceal}, nil},
	} {
		_, made, err := m.Vault.GenerateAPIToken(t.Context(), test.by, test.n)
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
	token := byToken(m.mustToken(t, c, vault.NewToken{Name: "short", TTL: new(30 * time.Minute)}))
	lasting := byToken(m.mustToken(t, c, vault.NewToken{}))
	m.Clock.Set(began.Add(30*time.Minute - time.Millisecond))
	want(t, "Authenticate(before the end)", m.authErr(t, token), nil)
	m.Clock.Advance(time.Millisecond)
	wantErr(t, "Authenticate(at the end)", m.authErr(t, token), vault.ErrUnauthenticated)
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
		m.mustToken(t, c, vault.NewToken{Name: fmt.Sprint(i), TTL: new(time.Hour)})
	}
	_, _, err := m.Vault.GenerateAPIToken(t.Context(), c, vault.NewToken{Name: "one more"})
	wantErr(t, "GenerateAPIToken(one more)", err, vault.ErrTooMany)
	m.mustToken(t, c, vault.NewToken{Name: "0", Rotate: true})
	m.Clock.Advance(time.Hour)
	m.mustToken(t, c, vault.NewToken{Name: "1"})
	want(t, "ListAPITokens()", len(m.listTokens(t, c)), 2)
}

func TestRevokeAPIToken(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	c := m.mustEnter(t)
	token := m.mustToken(t, c, vault.NewToken{})
	m.Clock.Advance(time.Millisecond) // tokens are listed in the order in which they were made
	kept := m.mustToken(t, c, vault.NewToken{Name: "kept"})
	made := m.listTokens(t, c)[0]
	m.mustAccount(t, "other@example.com", memberPassword)
	in, err := m.Vault.CreateSession(t.Context(), vaulttest.Caller(1), "other@example.com", memberPassword, false)
	want(t, "CreateSession(other)", err, nil)
	other := m.mustAuth(t, bySession(in.Cookie))
	wantErr(t, "RevokeAPIToken(another account's)", m.Vault.RevokeAPIToken(t.Context(), other, made.ID), vault.ErrNotFound)
	wantErr(t, "RevokeAPIToken(nobody)", m.Vault.RevokeAPIToken(t.Context(), vault.Caller{}, made.ID), vault.ErrUnauthenticated)
	wantErr(t, "RevokeAPIToken(by name)", m.Vault.RevokeAPIToken(t.Context(), c, "default"), vault.ErrNotFound)
	caller := m.mustAuth(t, byToken(token))
	want(t, "RevokeAPIToken(id)", m.Vault.RevokeAPIToken(t.Context(), caller, made.ID), nil)
	wantErr(t, "Authenticate(revoked)", m.authErr(t, byToken(token)), vault.ErrUnauthenticated)
	want(t, "Authenticate(kept)", m.authErr(t, byToken(kept)), nil)
	wantErr(t, "RevokeAPIToken(again)", m.Vault.RevokeAPIToken(t.Context(), c, made.ID), vault.ErrNotFound)
}

// The attack: a thief whose token or session is being revoked makes another
// one with it in time. What ended makes no successor.
func TestRevokedMakesNoToken(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	owner, session := m.mustEnter(t), m.mustEnter(t)
	token := m.mustAuth(t, byToken(m.mustToken(t, owner, vault.NewToken{})))
	want(t, "RevokeAPIToken(id)", m.Vault.RevokeAPIToken(t.Context(), owner, m.listTokens(t, owner)[0].ID), nil)
	want(t, "DestroySession(thief's)", m.Vault.DestroySession(t.Context(), session), nil)
	for _, thief := range []vault.Caller{token, session} {
		_, _, err := m.Vault.GenerateAPIToken(t.Context(), thief, vault.NewToken{Name: "thief"})
		wantErr(t, "GenerateAPIToken(ended credential)", err, vault.ErrUnauthenticated)
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
	own := m.mustAuth(t, byToken(m.mustToken(t, session, vault.NewToken{Rotate: true})))
	m.rotate(t, own, 1)
	// So does one whose token has a pair of its own, which must outlive it.
	token, _, err := m.Vault.Operator().CreateToken(t.Context(), memberAddress, vault.NewToken{Name: "default", Rotate: true})
	want(t, "CreateToken(rotate)", err, nil)
	own = m.mustAuth(t, byToken(token))
	m.rotate(t, own, 1)
	m.wantRows(t, vault.BucketPair, 2)
}

// rotate rotates the default token 32 times at once. So many are to succeed,
// and one token is to be good afterwards.
func (m *member) rotate(t *testing.T, c vault.Caller, succeed int) {
	t.Helper()
	tokens, errs := make([]seal.APIToken, 32), make([]error, 32)
	var all sync.WaitGroup
	for i := range tokens {
		all.Go(func() {
			tokens[i], _, errs[i] = m.Vault.GenerateAPIToken(t.Context(), c, vault.NewToken{Rotate: true})
		})
	}
	all.Wait()
	made, good := 0, 0
	for i, token := range tokens {
		if errors.Is(errs[i], vault.ErrUnauthenticated) {
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
	kept := m.MustConceal(t, c, plaintext, vault.Wish{})
	page, err := m.Vault.ListMetadata(t.Context(), c, vault.ListQuery{})
	want(t, "ListMetadata()", err, nil)
	listed := func(m vault.Metadata) bool { return m.Key == kept.Metadata.Key }
	want(t, "ListMetadata() shows the new receipt", slices.ContainsFunc(page.Metadata, listed), true)
}
