package vault_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	altcha "github.com/altcha-org/altcha-lib-go"

	"hush/storage"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/challenge"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// solution is a solution as clients send it.
type solution struct {
	Algorithm string `json:"algorithm"`
	Challenge string `json:"challenge"`
	Number    int    `json:"number"`
	Salt      string `json:"salt"`
	Signature string `json:"signature"`
}

func (s solution) payload(t testing.TB) string {
	t.Helper()
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatalf("Marshal(solution): got %v, want nil", err)
	}
	return base64.StdEncoding.EncodeToString(data)
}

// mustSolve asks for a challenge and solves it as a browser does.
func mustSolve(t testing.TB, k *vaulttest.Kit, action string) solution {
	t.Helper()
	c, err := k.Vault.Challenges.NewChallenge(t.Context(), vaulttest.Caller(1), action)
	if err != nil {
		t.Fatalf("NewChallenge(%q): got %v, want nil", action, err)
	}
	found, err := altcha.SolveChallenge(c.Challenge, c.Salt, altcha.SHA256, int(c.MaxNumber), 0, nil)
	if err != nil || found == nil {
		t.Fatalf("SolveChallenge(): got %v, %v, want a number", found, err)
	}
	return solution{c.Algorithm, c.Challenge, found.Number, c.Salt, c.Signature}
}

// verify spends a payload and returns the error.
func verify(t testing.TB, k *vaulttest.Kit, payload, action string) error {
	t.Helper()
	return k.Vault.Challenges.VerifyChallenge(t.Context(), vaulttest.Caller(1), payload, action)
}

// wantChallenge fails the test unless err is a ChallengeError of that text.
func wantChallenge(t *testing.T, call string, err error, text string) {
	t.Helper()
	challenge, ok := errors.AsType[*refusal.ChallengeError](err)
	if !ok || challenge.Text != text || !errors.Is(err, refusal.ErrChallenge) {
		t.Errorf("%s: got %v, want a ChallengeError %q", call, err, text)
	}
}

func TestNewChallenge(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	for asked, meant := range map[string]string{"": "any", "any": "any", "conceal": "conceal", "feedback": "feedback", "signup": "signup"} {
		c, err := k.Vault.Challenges.NewChallenge(t.Context(), caller.Caller{}, asked)
		if err != nil {
			t.Fatalf("NewChallenge(%q): got %v, want nil", asked, err)
		}
		want(t, "NewChallenge().Algorithm", c.Algorithm, "SHA-256")
		want(t, "NewChallenge().MaxNumber", c.MaxNumber, 50_000)
		want(t, "NewChallenge().Expires", c.Expires, vaulttest.StartTime().Add(10*time.Minute))
		salt := fmt.Sprintf(`^[0-9a-f]{32}\?expires=%d&a=%s&$`, c.Expires.Unix(), meant)
		if !regexp.MustCompile(salt).MatchString(c.Salt) {
			t.Errorf("NewChallenge(%q).Salt: got %s, want a match of %s", asked, c.Salt, salt)
		}
		if hash := regexp.MustCompile(`^[0-9a-f]{64}$`); !hash.MatchString(c.Challenge) || !hash.MatchString(c.Signature) {
			t.Errorf("NewChallenge(%q): got %s and %s, want hashes", asked, c.Challenge, c.Signature)
		}
	}
	for _, action := range []string{"reveal", "Feedback", "a&expires=9999999999"} {
		_, err := k.Vault.Challenges.NewChallenge(t.Context(), caller.Caller{}, action)
		wantErr(t, "NewChallenge("+action+")", err, refusal.ErrInvalid)
		wantErr(t, "VerifyChallenge("+action+")", verify(t, k, "", action), refusal.ErrInvalid)
	}
}

func TestVerifyChallengeActions(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	tests := []struct {
		made, called string
		good         bool
	}{
		{"conceal", "conceal", true},
		{"", "feedback", true},
		{"signup", "", true},
		{"", "", true},
		{"conceal", "feedback", false},
		{"feedback", "signup", false},
	}
	for _, test := range tests {
		err := verify(t, k, mustSolve(t, k, test.made).payload(t), test.called)
		call := fmt.Sprintf("VerifyChallenge(made for %q, %q)", test.made, test.called)
		if test.good {
			wantErr(t, call, err, nil)
		} else {
			wantChallenge(t, call, err, "Invalid Altcha payload")
		}
	}
}

// The order of the fields is the client's business, and so is how long it
// worked.
func TestVerifyChallengeForms(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	forms := []string{
		`{"took":1234,"signature":%[5]q,"salt":%[4]q,"number":%[3]d,"challenge":%[2]q,"algorithm":%[1]q}`,
		` { "algorithm" : %q , "challenge" : %q , "number" : %d , "salt" : %q , "signature" : %q } `,
	}
	for _, form := range forms {
		s := mustSolve(t, k, "")
		payload := fmt.Sprintf(form, s.Algorithm, s.Challenge, s.Number, s.Salt, s.Signature)
		wantErr(t, "VerifyChallenge("+form+")", verify(t, k, base64.StdEncoding.EncodeToString([]byte(payload)), ""), nil)
	}
}

func TestVerifyChallengeExpiry(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	late, last := mustSolve(t, k, ""), mustSolve(t, k, "")
	k.Clock.Advance(10*time.Minute - time.Millisecond)
	wantErr(t, "VerifyChallenge(at the last moment)", verify(t, k, last.payload(t), ""), nil)
	k.Clock.Advance(time.Millisecond)
	const old = "The challenge is too old: ask for a new one"
	wantChallenge(t, "VerifyChallenge(too late)", verify(t, k, late.payload(t), ""), old)
	wantChallenge(t, "VerifyChallenge(used and too late)", verify(t, k, last.payload(t), ""), old)
	if got := len(rowsIn(t, k.Store, vault.BucketSpent)); got != 1 {
		t.Errorf("spent solutions before Sweep(): got %d, want 1", got)
	}
	k.MustSweep(t)
	if got := len(rowsIn(t, k.Store, vault.BucketSpent)); got != 0 {
		t.Errorf("spent solutions after Sweep(): got %d, want 0", got)
	}
}

// A hundred programs send the same solution at once, and all of them find it
// unspent before the first of them spends it. Exactly one succeeds, and none
// after a restart.
func TestVerifyChallengeOnce(t *testing.T) {
	t.Parallel()
	const programs = 100
	var together atomic.Pointer[sync.WaitGroup]
	k := vaulttest.New(t, vaulttest.Options{Manual: true, WrapStore: func(s storage.Store) storage.Store {
		return gatedStore{s, &together}
	}})
	payload := mustSolve(t, k, "conceal").payload(t)
	gate := new(sync.WaitGroup)
	gate.Add(programs)
	together.Store(gate)
	const used = "The challenge was used already: ask for a new one"
	results := make(chan error, programs)
	for range programs {
		go func() { results <- verify(t, k, payload, "conceal") }()
	}
	accepted := 0
	for range programs {
		if err := <-results; err == nil {
			accepted++
		} else {
			wantChallenge(t, "VerifyChallenge(again)", err, used)
		}
	}
	want(t, "accepted of 100", accepted, 1)
	together.Store(nil)
	k.Reopen(t)
	wantChallenge(t, "VerifyChallenge(after a restart)", verify(t, k, payload, "conceal"), used)
	k.Clock.Advance(time.Minute)
	k.MustSweep(t)
	wantChallenge(t, "VerifyChallenge(after a sweep)", verify(t, k, payload, ""), used)
}

// gatedStore lets no change begin before as many as the gate counts have come.
type gatedStore struct {
	storage.Store
	gate *atomic.Pointer[sync.WaitGroup]
}

func (s gatedStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	if gate := s.gate.Load(); gate != nil {
		gate.Done()
		gate.Wait()
	}
	return s.Store.Update(ctx, fn)
}

func TestSpendChallenge(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	spend := func(payload string) error {
		return vault.SpendChallenge(k.Vault, t.Context(), payload, challenge.ActionSignUp, k.Clock.Now())
	}
	wantChallenge(t, "spendChallenge(nothing)", spend(""), "Cannot skip authenticity check")
	wantChallenge(t, "spendChallenge(nonsense)", spend("nonsense"), "You need to be carbon-based to do that")
	payload := mustSolve(t, k, "signup").payload(t)
	wantErr(t, "spendChallenge(solution)", spend(payload), nil)
	wantChallenge(t, "spendChallenge(again)", spend(payload), "The challenge was used already: ask for a new one")
}

// Above the operator's rate a network solves a challenge for each secret. Below
// it, with an account, or without a rate, no challenge is needed.
func TestConcealAboveRate(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Policy: caller.Policy{ChallengeAbove: 2}})
	conceal := func(c caller.Caller, challenge string) error {
		_, err := k.Vault.Secrets.ConcealSecret(t.Context(), c, "text", secret.Wish{Challenge: challenge})
		return err
	}
	const missing = "Cannot skip authenticity check"
	busy := vaulttest.Caller(1)
	wantErr(t, "ConcealSecret(first)", conceal(busy, ""), nil)
	wantErr(t, "ConcealSecret(second)", conceal(busy, ""), nil)
	wantChallenge(t, "ConcealSecret(third)", conceal(busy, ""), missing)
	wantErr(t, "ConcealSecret(other network)", conceal(vaulttest.Caller(2), ""), nil)
	k.Reopen(t)
	wantChallenge(t, "ConcealSecret(after a restart)", conceal(busy, ""), missing)
	wantChallenge(t, "ConcealSecret(solution for something else)",
		conceal(busy, mustSolve(t, k, "feedback").payload(t)), "You need to be carbon-based to do that")
	payload := mustSolve(t, k, "conceal").payload(t)
	wantErr(t, "ConcealSecret(solved)", conceal(busy, payload), nil)
	wantChallenge(t, "ConcealSecret(solved, again)", conceal(busy, payload), "The challenge was used already: ask for a new one")
	k.Clock.Advance(20 * time.Minute)
	wantErr(t, "ConcealSecret(next window)", conceal(busy, ""), nil)
	k.MustSweep(t)
	if got := len(rowsIn(t, k.Store, vault.BucketPace)); got != 1 {
		t.Errorf("counters of the window before: got %d rows in all, want 1", got)
	}
}

func TestConcealWithoutRate(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	for range 3 {
		k.MustConceal(t, vaulttest.Caller(1), "text", secret.Wish{})
	}
	if got := len(rowsIn(t, k.Store, vault.BucketPace)); got != 0 {
		t.Errorf("counters without a rate: got %d, want 0", got)
	}
}

// What a challenge shows must not tell its number.
func TestNewChallengeDiffers(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	seen := map[string]bool{}
	for range 100 {
		c, err := k.Vault.Challenges.NewChallenge(t.Context(), caller.Caller{}, "")
		if err != nil || seen[c.Salt] || strings.Contains(c.Salt, c.Challenge) {
			t.Fatalf("NewChallenge(): got %v and %s, want a new salt", err, c.Salt)
		}
		seen[c.Salt] = true
	}
}
