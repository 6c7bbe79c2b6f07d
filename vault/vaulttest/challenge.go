package vaulttest

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	altcha "github.com/altcha-org/altcha-lib-go"
)

// Solution is a solution as clients send it.
type Solution struct {
	Algorithm string `json:"algorithm"`
	Challenge string `json:"challenge"`
	Number    int    `json:"number"`
	Salt      string `json:"salt"`
	Signature string `json:"signature"`
}

// Payload returns the solution in the form that clients send.
func (s Solution) Payload(t testing.TB) string {
	t.Helper()
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatalf("Marshal(solution): got %v, want nil", err)
	}
	return base64.StdEncoding.EncodeToString(data)
}

// MustSolve asks for a challenge and solves it as a browser does.
func MustSolve(t testing.TB, k *Kit, action string) Solution {
	t.Helper()
	c, err := k.Vault.Challenges.NewChallenge(t.Context(), Caller(1), action)
	if err != nil {
		t.Fatalf("NewChallenge(%q): got %v, want nil", action, err)
	}
	found, err := altcha.SolveChallenge(c.Challenge, c.Salt, altcha.SHA256, int(c.MaxNumber), 0, nil)
	if err != nil || found == nil {
		t.Fatalf("SolveChallenge(): got %v, %v, want a number", found, err)
	}
	return Solution{c.Algorithm, c.Challenge, found.Number, c.Salt, c.Signature}
}
