package session_test

import (
	"strings"
	"testing"
	"time"

	"hush/seal"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/refusal"
	"hush/vault/vaulttest"
)

// makes creates a token by a caller and returns it with its description.
func makes(t *testing.T, m *vaulttest.Member, c caller.Caller, n credential.NewToken) (seal.APIToken, credential.APIToken) {
	t.Helper()
	token, made, err := m.Vault.Tokens.GenerateAPIToken(t.Context(), c, n)
	if err != nil {
		t.Fatalf("GenerateAPIToken(%q): got %v, want nil", n.Name, err)
	}
	return token, made
}

// wantDead checks that none of the tokens counts any more.
func wantDead(t *testing.T, m *vaulttest.Member, tokens map[string]seal.APIToken) {
	t.Helper()
	for name, token := range tokens {
		vaulttest.WantErr(t, "Authenticate("+name+")", m.AuthErr(t, vaulttest.ByToken(token)), refusal.ErrUnauthenticated)
	}
}

// The attack: steal a token that lasts an hour, and make one with it that lasts for
// ever and survives the revocation of the stolen one.
func TestTokensOfATokenEndWithIt(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	person := m.MustEnter(t)
	hour := m.Clock.Now().Add(time.Hour)
	stolen, parent := makes(t, m, person, credential.NewToken{Name: "parent", Scopes: caller.ScopeAccount | caller.ScopeReveal, TTL: new(time.Hour)})
	vaulttest.Want(t, "APIToken.Parent", parent.Parent, "")
	by := m.MustAuthenticate(t, vaulttest.ByToken(stolen))
	_, _, err := m.Vault.Tokens.GenerateAPIToken(t.Context(), by, credential.NewToken{Name: "wider"})
	vaulttest.WantErr(t, "GenerateAPIToken(all scopes)", err, refusal.ErrScope)
	child, first := makes(t, m, by, credential.NewToken{Name: "child", Scopes: caller.ScopeAccount})
	vaulttest.Want(t, "child's parent", first.Parent, parent.ID)
	vaulttest.Want(t, "child's expiry", first.Expires, hour)
	_, long := makes(t, m, by, credential.NewToken{Name: "long", Scopes: caller.ScopeAccount, TTL: new(48 * time.Hour)})
	vaulttest.Want(t, "expiry of a child that wants two days", long.Expires, hour)
	_, brief := makes(t, m, by, credential.NewToken{Name: "brief", Scopes: caller.ScopeAccount, TTL: new(time.Minute)})
	vaulttest.Want(t, "expiry of a child that wants a minute", brief.Expires, m.Clock.Now().Add(time.Minute))
	grandchild, second := makes(t, m, m.MustAuthenticate(t, vaulttest.ByToken(child)), credential.NewToken{Name: "grandchild", Scopes: caller.ScopeAccount})
	vaulttest.Want(t, "grandchild's parent", second.Parent, first.ID)
	vaulttest.Want(t, "grandchild's expiry", second.Expires, hour)
	own, _ := makes(t, m, person, credential.NewToken{Name: "of a person"})
	parents := map[string]string{}
	for _, shown := range m.ListTokens(t, person) {
		parents[shown.Name] = shown.Parent
	}
	for name, want := range map[string]string{"parent": "", "child": parent.ID, "grandchild": first.ID, "of a person": ""} {
		vaulttest.Want(t, "ListAPITokens(): parent of "+name, parents[name], want)
	}
	vaulttest.Want(t, "RevokeAPIToken()", m.Vault.Tokens.RevokeAPIToken(t.Context(), person, parent.ID), nil)
	wantDead(t, m, map[string]seal.APIToken{"parent": stolen, "child": child, "grandchild": grandchild})
	vaulttest.Want(t, "Authenticate(of a person)", m.AuthErr(t, vaulttest.ByToken(own)), nil)
	vaulttest.Want(t, "audit rows of revoked tokens", vaulttest.AuditKinds(t, m.Kit)[audit.TokenRevoked], 5)
	m.WantRows(t, credential.BucketToken, 1)
}

// A token that expires takes along what it made, even if nothing revokes it.
func TestTokensExpireWithTheirParent(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	parent, _ := makes(t, m, m.MustEnter(t), credential.NewToken{Name: "parent", TTL: new(time.Hour)})
	child, _ := makes(t, m, m.MustAuthenticate(t, vaulttest.ByToken(parent)), credential.NewToken{Name: "child"})
	m.Clock.Advance(time.Hour)
	wantDead(t, m, map[string]seal.APIToken{"parent": parent, "child": child})
	m.MustSweep(t)
	m.WantRows(t, credential.BucketToken, 0)
}

// Replacing a token, as the contract's POST /account/apitoken does, gives no one a
// longer life: the successor takes the place of the old one.
func TestRotatedTokenTakesThePlace(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	person := m.MustEnter(t)
	hour := m.Clock.Now().Add(time.Hour)
	again := func(name string) credential.NewToken { return credential.NewToken{Name: name, Rotate: true} }
	parent, shown := makes(t, m, person, credential.NewToken{Name: "parent", TTL: new(time.Hour)})
	child, _ := makes(t, m, m.MustAuthenticate(t, vaulttest.ByToken(parent)), credential.NewToken{Name: "child"})
	grandchild, _ := makes(t, m, m.MustAuthenticate(t, vaulttest.ByToken(child)), credential.NewToken{Name: "grandchild"})

	next, itself := makes(t, m, m.MustAuthenticate(t, vaulttest.ByToken(child)), again("child"))
	vaulttest.Want(t, "parent of a token that replaced itself", itself.Parent, shown.ID)
	vaulttest.Want(t, "expiry of a token that replaced itself", itself.Expires, hour)
	wantDead(t, m, map[string]seal.APIToken{"child": child, "grandchild": grandchild})

	_, _, err := m.Vault.Tokens.GenerateAPIToken(t.Context(), m.MustAuthenticate(t, vaulttest.ByToken(next)), again("parent"))
	vaulttest.WantErr(t, "GenerateAPIToken(replaces its parent)", err, refusal.ErrPolicy)

	lasting, _ := makes(t, m, person, credential.NewToken{Name: "lasting"})
	_, taken := makes(t, m, m.MustAuthenticate(t, vaulttest.ByToken(parent)), again("lasting"))
	vaulttest.Want(t, "parent of a token that another one replaced", taken.Parent, shown.ID)
	vaulttest.Want(t, "expiry of a token that another one replaced", taken.Expires, hour)
	wantDead(t, m, map[string]seal.APIToken{"lasting": lasting})

	_, byPerson := makes(t, m, person, again("child"))
	vaulttest.Want(t, "parent of a token that a person replaced", byPerson.Parent, shown.ID)
	vaulttest.Want(t, "expiry of a token that a person replaced", byPerson.Expires, hour)
	_, renewed := makes(t, m, person, credential.NewToken{Name: "parent", Rotate: true, TTL: new(3 * time.Hour)})
	vaulttest.Want(t, "expiry that a person chose", renewed.Expires, m.Clock.Now().Add(3*time.Hour))
	var names []string
	for _, left := range m.ListTokens(t, person) {
		names = append(names, left.Name)
	}
	vaulttest.Want(t, "tokens after their parent was replaced", strings.Join(names, " "), "parent")
	if kinds := vaulttest.AuditKinds(t, m.Kit); kinds[audit.TokenRevoked] != kinds[audit.Token]-1 {
		t.Errorf("audit rows: got %d tokens created and %d revoked, want all but one revoked", kinds[audit.Token], kinds[audit.TokenRevoked])
	}
}
