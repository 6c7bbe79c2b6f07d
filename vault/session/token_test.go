package session_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/session"
	"hush/vault/vaulttest"
)

func TestGenerateAPIToken(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	c := m.MustEnter(t)
	token, made, err := m.Vault.Tokens.GenerateAPIToken(t.Context(), c, credential.NewToken{
		Name: " the name ", Scopes: caller.ScopeConceal, TTL: new(time.Hour),
	})
	vaulttest.Want(t, "GenerateAPIToken()", err, nil)
	now := m.Clock.Now()
	vaulttest.Want(t, "len(APIToken.ID)", len(made.ID), 16)
	vaulttest.Want(t, "GenerateAPIToken()", made, credential.APIToken{
		ID: made.ID, Name: "the name", Scopes: caller.ScopeConceal, Created: now, Expires: now.Add(time.Hour),
	})
	vaulttest.Want(t, "ListAPITokens()[0]", m.ListTokens(t, c)[0], made)
	by := m.MustAuthenticate(t, vaulttest.ByToken(token))
	vaulttest.Want(t, "Caller.Account", by.Account(), m.ID.String())
	vaulttest.Want(t, "Caller.Address()", by.Address(), vaulttest.MemberAddress)
	vaulttest.Want(t, "Caller.FromSession()", by.FromSession(), false)
	vaulttest.Want(t, "Caller.Shrimp()", by.Shrimp(), "")
	m.Clock.Advance(time.Millisecond)
	for scope, may := range map[caller.Scopes]bool{
		caller.ScopeConceal: true, caller.ScopeReveal: false, caller.ScopeMetadata: false,
		caller.ScopeAccount: false, caller.ScopesAll: false,
	} {
		vaulttest.Want(t, fmt.Sprintf("Caller.May(%d)", scope), by.May(scope), may)
	}
	m.MustToken(t, c, credential.NewToken{})
	vaulttest.Want(t, "ListAPITokens()[1].Name", m.ListTokens(t, c)[1].Name, "default")
	vaulttest.Want(t, "ListAPITokens()[1].Scopes", m.ListTokens(t, c)[1].Scopes, caller.ScopesAll)
}

func TestAuthenticateToken(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	in := m.SignIn(t, false)
	cookie := caller.Text(in.Cookie.Expose())
	token := caller.Text(m.MustToken(t, m.MustAuthenticate(t, vaulttest.BySession(in.Cookie)), credential.NewToken{}).Expose())
	other := caller.Text(seal.NewAPIToken().Expose())
	for _, test := range []struct {
		name string
		cred session.Credential
		good bool
	}{
		{"token", session.Credential{Token: token}, true},
		{"address and token", session.Credential{Address: vaulttest.MemberAddress, Token: token}, true},
		{"address in upper case", session.Credential{Address: caller.Text(strings.ToUpper(vaulttest.MemberAddress)), Token: token}, true},
		{"another's address", session.Credential{Address: "other@example.com", Token: token}, false},
		{"no address", session.Credential{Address: "anon", Token: token}, false},
		{"unknown token", session.Credential{Address: vaulttest.MemberAddress, Token: other}, false},
		{"token in upper case", session.Credential{Token: caller.Text(strings.ToUpper(string(token)))}, false},
		{"token with space", session.Credential{Token: token + " "}, false},
		{"session as token", session.Credential{Token: cookie}, false},
		{"token as session", session.Credential{Session: token}, false},
		{"password as token", session.Credential{Address: vaulttest.MemberAddress, Token: vaulttest.Password}, false},
		{"address alone", session.Credential{Address: vaulttest.MemberAddress}, false},
		{"nothing", session.Credential{}, false},
		{"session and token", session.Credential{Session: cookie, Token: token}, false},
		{"session and address", session.Credential{Session: cookie, Address: vaulttest.MemberAddress}, false},
	} {
		err := m.AuthErr(t, test.cred)
		if test.good {
			vaulttest.Want(t, "Authenticate("+test.name+")", err, nil)
			continue
		}
		vaulttest.WantErr(t, "Authenticate("+test.name+")", err, refusal.ErrUnauthenticated)
	}
}

func TestTokenRefused(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	c := m.MustEnter(t)
	m.MustToken(t, c, credential.NewToken{Name: "taken"})
	narrow := m.MustAuthenticate(t, vaulttest.ByToken(m.MustToken(t, c, credential.NewToken{
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
			vaulttest.Want(t, "GenerateAPIToken("+test.name+")", err, nil)
			continue
		}
		vaulttest.WantErr(t, "GenerateAPIToken("+test.name+")", err, test.want)
		vaulttest.Want(t, "GenerateAPIToken("+test.name+").ID", made.ID, "")
	}
}

func TestTokenExpires(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	c := m.MustAuthenticate(t, vaulttest.BySession(m.SignIn(t, true).Cookie))
	began := m.Clock.Now()
	token := vaulttest.ByToken(m.MustToken(t, c, credential.NewToken{Name: "short", TTL: new(30 * time.Minute)}))
	lasting := vaulttest.ByToken(m.MustToken(t, c, credential.NewToken{}))
	m.Clock.Set(began.Add(30*time.Minute - time.Millisecond))
	vaulttest.Want(t, "Authenticate(before the end)", m.AuthErr(t, token), nil)
	m.Clock.Advance(time.Millisecond)
	vaulttest.WantErr(t, "Authenticate(at the end)", m.AuthErr(t, token), refusal.ErrUnauthenticated)
	vaulttest.Want(t, "ListAPITokens()", len(m.ListTokens(t, c)), 1)
	m.WantRows(t, credential.BucketToken, 2)
	m.MustSweep(t)
	m.WantRows(t, credential.BucketToken, 1)
	m.WantRows(t, credential.BucketTokens, 1)
	vaulttest.Want(t, "Authenticate(for ever)", m.AuthErr(t, lasting), nil)
}

// A token that ended takes up neither its name nor a place.
func TestExpiredTokenIsNotInTheWay(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	c := m.MustEnter(t)
	for i := range credential.TokensMost {
		m.MustToken(t, c, credential.NewToken{Name: fmt.Sprint(i), TTL: new(time.Hour)})
	}
	_, _, err := m.Vault.Tokens.GenerateAPIToken(t.Context(), c, credential.NewToken{Name: "one more"})
	vaulttest.WantErr(t, "GenerateAPIToken(one more)", err, refusal.ErrTooMany)
	m.MustToken(t, c, credential.NewToken{Name: "0", Rotate: true, TTL: new(2 * time.Hour)})
	m.Clock.Advance(time.Hour)
	m.MustToken(t, c, credential.NewToken{Name: "1"})
	vaulttest.Want(t, "ListAPITokens()", len(m.ListTokens(t, c)), 2)
}

func TestRevokeAPIToken(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	c := m.MustEnter(t)
	token := m.MustToken(t, c, credential.NewToken{})
	m.Clock.Advance(time.Millisecond) // tokens are listed in the order in which they were made
	kept := m.MustToken(t, c, credential.NewToken{Name: "kept"})
	made := m.ListTokens(t, c)[0]
	m.AddAccount(t, "other@example.com", vaulttest.Password)
	in, err := m.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(1), "other@example.com", vaulttest.Password, false)
	vaulttest.Want(t, "CreateSession(other)", err, nil)
	other := m.MustAuthenticate(t, vaulttest.BySession(in.Cookie))
	vaulttest.WantErr(t, "RevokeAPIToken(another account's)", m.Vault.Tokens.RevokeAPIToken(t.Context(), other, made.ID), refusal.ErrNotFound)
	vaulttest.WantErr(t, "RevokeAPIToken(nobody)", m.Vault.Tokens.RevokeAPIToken(t.Context(), caller.Caller{}, made.ID), refusal.ErrUnauthenticated)
	vaulttest.WantErr(t, "RevokeAPIToken(by name)", m.Vault.Tokens.RevokeAPIToken(t.Context(), c, "default"), refusal.ErrNotFound)
	caller := m.MustAuthenticate(t, vaulttest.ByToken(token))
	vaulttest.Want(t, "RevokeAPIToken(id)", m.Vault.Tokens.RevokeAPIToken(t.Context(), caller, made.ID), nil)
	vaulttest.WantErr(t, "Authenticate(revoked)", m.AuthErr(t, vaulttest.ByToken(token)), refusal.ErrUnauthenticated)
	vaulttest.Want(t, "Authenticate(kept)", m.AuthErr(t, vaulttest.ByToken(kept)), nil)
	vaulttest.WantErr(t, "RevokeAPIToken(again)", m.Vault.Tokens.RevokeAPIToken(t.Context(), c, made.ID), refusal.ErrNotFound)
}

// The attack: a thief whose token or session is being revoked makes another
// one with it in time. What ended makes no successor.
func TestRevokedMakesNoToken(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	owner, session := m.MustEnter(t), m.MustEnter(t)
	token := m.MustAuthenticate(t, vaulttest.ByToken(m.MustToken(t, owner, credential.NewToken{})))
	vaulttest.Want(t, "RevokeAPIToken(id)", m.Vault.Tokens.RevokeAPIToken(t.Context(), owner, m.ListTokens(t, owner)[0].ID), nil)
	vaulttest.Want(t, "DestroySession(thief's)", m.Vault.Sessions.DestroySession(t.Context(), session), nil)
	for _, thief := range []caller.Caller{token, session} {
		_, _, err := m.Vault.Tokens.GenerateAPIToken(t.Context(), thief, credential.NewToken{Name: "thief"})
		vaulttest.WantErr(t, "GenerateAPIToken(ended credential)", err, refusal.ErrUnauthenticated)
	}
	m.WantRows(t, credential.BucketToken, 0)
}

// The attack: many rotations at once, so that the account shows one token and
// another one works, too.
func TestRotationRace(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	session := m.MustEnter(t)
	rotate(t, m, session, 32)
	// A program rotates its own token: the first ends the one that asks.
	own := m.MustAuthenticate(t, vaulttest.ByToken(m.MustToken(t, session, credential.NewToken{Rotate: true})))
	rotate(t, m, own, 1)
	// So does one whose token has a pair of its own, which must outlive it.
	token, _, err := m.Vault.Operator().Tokens.CreateToken(t.Context(), vaulttest.MemberAddress, credential.NewToken{Name: "default", Rotate: true})
	vaulttest.Want(t, "CreateToken(rotate)", err, nil)
	own = m.MustAuthenticate(t, vaulttest.ByToken(token))
	rotate(t, m, own, 1)
	m.WantRows(t, credential.BucketPair, 2)
}

// rotate rotates the default token 32 times at once. So many are to succeed,
// and one token is to be good afterwards.
func rotate(t *testing.T, m *vaulttest.Member, c caller.Caller, succeed int) {
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
		vaulttest.Want(t, "GenerateAPIToken(rotate)", errs[i], nil)
		made++
		if m.AuthErr(t, vaulttest.ByToken(token)) == nil {
			good++
			wantOpens(t, m, token)
		}
	}
	vaulttest.Want(t, "rotations that succeeded", made, succeed)
	vaulttest.Want(t, "tokens that are good", good, 1)
	m.WantRows(t, credential.BucketToken, 1)
	m.WantRows(t, credential.BucketTokens, 1)
}

// wantOpens fails the test unless a token lists what is shared with it.
func wantOpens(t *testing.T, m *vaulttest.Member, token seal.APIToken) {
	t.Helper()
	c := m.MustAuthenticate(t, vaulttest.ByToken(token))
	kept := m.MustConceal(t, c, vaulttest.Plaintext, secret.Terms{})
	page, err := m.Vault.Receipts.ListMetadata(t.Context(), c, receipt.ListQuery{})
	vaulttest.Want(t, "ListMetadata()", err, nil)
	listed := func(m receipt.Metadata) bool { return m.Key == kept.Metadata.Key }
	vaulttest.Want(t, "ListMetadata() shows the new receipt", slices.ContainsFunc(page.Metadata, listed), true)
}
