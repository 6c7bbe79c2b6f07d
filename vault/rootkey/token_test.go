package rootkey_test

import (
	"testing"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/session"
	"hush/vault/vaulttest"
)

// The first request of a token after a rotation wraps its key anew. It may make a
// token all the same: its row tells that it still counts.
func TestTokenMakesATokenAfterARotation(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	_, token, err := tokenOf(t, s)
	vaulttest.Want(t, "GenerateAPIToken()", err, nil)
	s.rotate(t)
	by := s.MustAuthenticate(t, session.Credential{Token: caller.Text(token.Expose())})
	_, _, err = s.Vault.Tokens.GenerateAPIToken(t.Context(), by, credential.NewToken{Name: "next"})
	vaulttest.Want(t, "GenerateAPIToken(first request after the rotation)", err, nil)
}

// tokenOf returns a new account with an API token.
func tokenOf(t *testing.T, s *small) (caller.Caller, seal.APIToken, error) {
	t.Helper()
	c := s.MustAccount(t, "ada@example.com")
	token, _, err := s.Vault.Tokens.GenerateAPIToken(t.Context(), c, credential.NewToken{Name: "first"})
	return c, token, err
}
