package vault_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hush/seal"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/refusal"
	"hush/vault/vaulttest"
)

func TestOperatorToken(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	operator := m.Vault.Operator()
	token, made, err := operator.Tokens.CreateToken(t.Context(), caller.Text(strings.ToUpper(memberAddress)), credential.NewToken{})
	want(t, "CreateToken(address)", err, nil)
	want(t, "CreateToken(address).Name begins", strings.HasPrefix(made.Name, "token-"), true)
	want(t, "len(Name)", len(made.Name), len("token-")+8)
	want(t, "CreateToken(address).Scopes", made.Scopes, caller.ScopesAll)
	want(t, "Caller.Account", m.mustAuth(t, byToken(token)).Account, m.id.String())
	_, second, err := operator.Tokens.CreateToken(t.Context(), caller.Text(m.id.String()), credential.NewToken{
		Name: "narrow", Scopes: caller.ScopeReveal, TTL: new(time.Hour),
	})
	want(t, "CreateToken(id)", err, nil)
	list, err := operator.Tokens.ListTokens(t.Context(), memberAddress)
	want(t, "ListTokens()", err, nil)
	want(t, "len(ListTokens())", len(list), 2)
	for _, listed := range list {
		want(t, "ListTokens()", listed == second || listed.ID == made.ID, true)
	}
	ended, err := operator.Tokens.RevokeToken(t.Context(), memberAddress, "narrow")
	want(t, "RevokeToken(name)", err, nil)
	want(t, "RevokeToken(name)", ended, second)
	_, err = operator.Tokens.RevokeToken(t.Context(), memberAddress, made.ID)
	want(t, "RevokeToken(id)", err, nil)
	wantErr(t, "Authenticate(revoked)", m.authErr(t, byToken(token)), refusal.ErrUnauthenticated)
	m.wantRows(t, vault.BucketPair, 1)
}

func TestOperatorTokenRefused(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	operator := m.Vault.Operator()
	m.mustToken(t, m.mustEnter(t), credential.NewToken{Name: "taken"})
	for _, test := range []struct {
		name    string
		account caller.Text
		n       credential.NewToken
		want    error
	}{
		{"unknown account", "other@example.com", credential.NewToken{}, refusal.ErrNotFound},
		{"unknown id", caller.Text(strings.Repeat("0", 32)), credential.NewToken{}, refusal.ErrNotFound},
		{"name in use", memberAddress, credential.NewToken{Name: "taken"}, refusal.ErrDuplicate},
		{"bad name", memberAddress, credential.NewToken{Name: "\x00"}, refusal.ErrInvalid},
	} {
		_, _, err := operator.Tokens.CreateToken(t.Context(), test.account, test.n)
		wantErr(t, "CreateToken("+test.name+")", err, test.want)
	}
	_, err := operator.Tokens.ListTokens(t.Context(), "other@example.com")
	wantErr(t, "ListTokens(unknown account)", err, refusal.ErrNotFound)
	_, err = operator.Tokens.RevokeToken(t.Context(), "other@example.com", "taken")
	wantErr(t, "RevokeToken(unknown account)", err, refusal.ErrNotFound)
	_, err = operator.Tokens.RevokeToken(t.Context(), memberAddress, "unknown")
	wantErr(t, "RevokeToken(unknown token)", err, refusal.ErrNotFound)
	m.wantRows(t, vault.BucketPair, 1)
}

// A token may be made before the account can be used, and works from then on.
func TestOperatorTokenWaits(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	for _, alter := range [][2]bool{{true, false}, {false, true}} {
		m.alter(t, alter[0], alter[1])
		token, _, err := m.Vault.Operator().Tokens.CreateToken(t.Context(), memberAddress, credential.NewToken{})
		want(t, "CreateToken()", err, nil)
		wantErr(t, "Authenticate(waiting)", m.authErr(t, byToken(token)), refusal.ErrUnauthenticated)
		m.alter(t, false, false)
		want(t, "Authenticate(usable)", m.authErr(t, byToken(token)), nil)
	}
}

// An entry is sealed to 20 pairs at most: that of the password, whether or not
// there is one yet, and 19 of the operator's tokens.
func TestOperatorTokensAreBounded(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	m.mustAccount(t, "none@example.com", "")
	operator := m.Vault.Operator()
	for _, account := range []caller.Text{memberAddress, "none@example.com"} {
		for i := range vault.PairsMost - 1 {
			_, _, err := operator.Tokens.CreateToken(t.Context(), account, credential.NewToken{Name: fmt.Sprint(i)})
			want(t, "CreateToken()", err, nil)
		}
		_, _, err := operator.Tokens.CreateToken(t.Context(), account, credential.NewToken{})
		wantErr(t, "CreateToken(one more)", err, refusal.ErrTooMany)
		_, _, err = operator.Tokens.CreateToken(t.Context(), account, credential.NewToken{Name: "7", Rotate: true})
		want(t, "CreateToken(rotate)", err, nil)
	}
	m.wantRows(t, vault.BucketPair, 2*vault.PairsMost-1)
	c := m.mustEnter(t)
	m.mustToken(t, c, credential.NewToken{Name: "last"})
	_, _, err := m.Vault.Tokens.GenerateAPIToken(t.Context(), c, credential.NewToken{Name: "one more"})
	wantErr(t, "GenerateAPIToken(one more)", err, refusal.ErrTooMany)
	publics, err := m.Vault.PublicsOf(t.Context(), m.id)
	want(t, "livePairs()", err, nil)
	want(t, "len(livePairs())", len(publics), vault.PairsMost)
}

func TestImportToken(t *testing.T) {
	t.Parallel()
	m := newMember(t, vaulttest.Options{})
	token := seal.NewAPIToken()
	steps := []struct {
		name  string
		token seal.APIToken
		as    string
		want  error
	}{
		{"new", token, "imported", nil},
		{"same token", token, "another", refusal.ErrDuplicate},
		{"same name", seal.NewAPIToken(), "imported", refusal.ErrDuplicate},
		{"default name", seal.NewAPIToken(), "", nil},
	}
	for _, step := range steps {
		err := m.Vault.ImportToken(t.Context(), m.id, step.token, step.as, 0, m.Clock.Now())
		if step.want == nil {
			want(t, "importToken("+step.name+")", err, nil)
			continue
		}
		wantErr(t, "importToken("+step.name+")", err, step.want)
	}
	m.wantRows(t, vault.BucketToken, 2)
	m.wantRows(t, vault.BucketPair, 3)
	m.wantOpens(t, token)
}
