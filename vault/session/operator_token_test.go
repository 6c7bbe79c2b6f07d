package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"hush/seal"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/vaulttest"
)

func TestOperatorToken(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	operator := m.Vault.Operator()
	token, made, err := operator.Tokens.CreateToken(t.Context(), caller.Text(strings.ToUpper(vaulttest.MemberAddress)), credential.NewToken{})
	vaulttest.Want(t, "CreateToken(address)", err, nil)
	vaulttest.Want(t, "CreateToken(address).Name begins", strings.HasPrefix(made.Name, "token-"), true)
	vaulttest.Want(t, "len(Name)", len(made.Name), len("token-")+8)
	vaulttest.Want(t, "CreateToken(address).Scopes", made.Scopes, caller.ScopesAll)
	vaulttest.Want(t, "Caller.Account", m.MustAuthenticate(t, vaulttest.ByToken(token)).Account(), m.ID.String())
	_, second, err := operator.Tokens.CreateToken(t.Context(), caller.Text(m.ID.String()), credential.NewToken{
		Name: "narrow", Scopes: caller.ScopeReveal, TTL: new(time.Hour),
	})
	vaulttest.Want(t, "CreateToken(id)", err, nil)
	list, err := operator.Tokens.ListTokens(t.Context(), vaulttest.MemberAddress)
	vaulttest.Want(t, "ListTokens()", err, nil)
	vaulttest.Want(t, "len(ListTokens())", len(list), 2)
	for _, listed := range list {
		vaulttest.Want(t, "ListTokens()", listed == second || listed.ID == made.ID, true)
	}
	ended, err := operator.Tokens.RevokeToken(t.Context(), vaulttest.MemberAddress, "narrow")
	vaulttest.Want(t, "RevokeToken(name)", err, nil)
	vaulttest.Want(t, "RevokeToken(name)", ended, second)
	_, err = operator.Tokens.RevokeToken(t.Context(), vaulttest.MemberAddress, made.ID)
	vaulttest.Want(t, "RevokeToken(id)", err, nil)
	vaulttest.WantErr(t, "Authenticate(revoked)", m.AuthErr(t, vaulttest.ByToken(token)), refusal.ErrUnauthenticated)
	m.WantRows(t, credential.BucketPair, 1)
}

func TestOperatorTokenRefused(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	operator := m.Vault.Operator()
	m.MustToken(t, m.MustEnter(t), credential.NewToken{Name: "taken"})
	for _, test := range []struct {
		name    string
		account caller.Text
		n       credential.NewToken
		want    error
	}{
		{"unknown account", "other@example.com", credential.NewToken{}, refusal.ErrNotFound},
		{"unknown id", caller.Text(strings.Repeat("0", 32)), credential.NewToken{}, refusal.ErrNotFound},
		{"name in use", vaulttest.MemberAddress, credential.NewToken{Name: "taken"}, refusal.ErrDuplicate},
		{"bad name", vaulttest.MemberAddress, credential.NewToken{Name: "\x00"}, refusal.ErrInvalid},
	} {
		_, _, err := operator.Tokens.CreateToken(t.Context(), test.account, test.n)
		vaulttest.WantErr(t, "CreateToken("+test.name+")", err, test.want)
	}
	_, err := operator.Tokens.ListTokens(t.Context(), "other@example.com")
	vaulttest.WantErr(t, "ListTokens(unknown account)", err, refusal.ErrNotFound)
	_, err = operator.Tokens.RevokeToken(t.Context(), "other@example.com", "taken")
	vaulttest.WantErr(t, "RevokeToken(unknown account)", err, refusal.ErrNotFound)
	_, err = operator.Tokens.RevokeToken(t.Context(), vaulttest.MemberAddress, "unknown")
	vaulttest.WantErr(t, "RevokeToken(unknown token)", err, refusal.ErrNotFound)
	m.WantRows(t, credential.BucketPair, 1)
}

// A token may be made before the account can be used, and works from then on.
func TestOperatorTokenWaits(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	for _, alter := range [][2]bool{{true, false}, {false, true}} {
		m.Alter(t, alter[0], alter[1])
		token, _, err := m.Vault.Operator().Tokens.CreateToken(t.Context(), vaulttest.MemberAddress, credential.NewToken{})
		vaulttest.Want(t, "CreateToken()", err, nil)
		vaulttest.WantErr(t, "Authenticate(waiting)", m.AuthErr(t, vaulttest.ByToken(token)), refusal.ErrUnauthenticated)
		m.Alter(t, false, false)
		vaulttest.Want(t, "Authenticate(usable)", m.AuthErr(t, vaulttest.ByToken(token)), nil)
	}
}

// An entry is sealed to 20 pairs at most: that of the password, whether or not
// there is one yet, and 19 of the operator's tokens.
func TestOperatorTokensAreBounded(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	m.AddAccount(t, "none@example.com", "")
	operator := m.Vault.Operator()
	for _, account := range []caller.Text{vaulttest.MemberAddress, "none@example.com"} {
		for i := range credential.PairsMost - 1 {
			_, _, err := operator.Tokens.CreateToken(t.Context(), account, credential.NewToken{Name: fmt.Sprint(i)})
			vaulttest.Want(t, "CreateToken()", err, nil)
		}
		_, _, err := operator.Tokens.CreateToken(t.Context(), account, credential.NewToken{})
		vaulttest.WantErr(t, "CreateToken(one more)", err, refusal.ErrTooMany)
		if many, ok := errors.AsType[*refusal.TooManyError](err); !ok || many.Limit != credential.PairsMost-1 {
			t.Errorf("CreateToken(one more): got %v, want the limit of %d", err, credential.PairsMost-1)
		}
		_, _, err = operator.Tokens.CreateToken(t.Context(), account, credential.NewToken{Name: "7", Rotate: true})
		vaulttest.Want(t, "CreateToken(rotate)", err, nil)
	}
	m.WantRows(t, credential.BucketPair, 2*credential.PairsMost-1)
	c := m.MustEnter(t)
	m.MustToken(t, c, credential.NewToken{Name: "last"})
	_, _, err := m.Vault.Tokens.GenerateAPIToken(t.Context(), c, credential.NewToken{Name: "one more"})
	vaulttest.WantErr(t, "GenerateAPIToken(one more)", err, refusal.ErrTooMany)
	publics, err := m.Publics(t.Context())
	vaulttest.Want(t, "livePairs()", err, nil)
	vaulttest.Want(t, "len(livePairs())", len(publics), credential.PairsMost)
}

func TestImportToken(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
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
		err := importToken(t.Context(), m, step.token, step.as, 0, m.Clock.Now())
		if step.want == nil {
			vaulttest.Want(t, "importToken("+step.name+")", err, nil)
			continue
		}
		vaulttest.WantErr(t, "importToken("+step.name+")", err, step.want)
	}
	vaulttest.Want(t, "audit rows of created tokens", vaulttest.AuditKinds(t, m.Kit)[audit.Token], 2)
	m.WantRows(t, credential.BucketToken, 2)
	m.WantRows(t, credential.BucketPair, 3)
	wantOpens(t, m, token)
}

// importToken adds a token that was made elsewhere.
func importToken(ctx context.Context, m *vaulttest.Member, token seal.APIToken, name string, scopes caller.Scopes, now time.Time) error {
	return m.Store.Update(ctx, rows.Plain(func(tx *rows.Tx) error {
		return m.Vault.Credentials.ImportToken(tx, m.ID, token, name, scopes, now)
	}))
}
