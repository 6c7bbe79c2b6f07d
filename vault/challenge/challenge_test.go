package challenge_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/challenge"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// verify spends a payload and returns the error.
func verify(t testing.TB, k *vaulttest.Kit, payload, action string) error {
	t.Helper()
	return k.Vault.Challenges.VerifyChallenge(t.Context(), vaulttest.Caller(1), payload, action)
}

func TestNewChallenge(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	for asked, meant := range map[string]string{"": "any", "any": "any", "conceal": "conceal", "feedback": "feedback", "signup": "signup"} {
		c, err := k.Vault.Challenges.NewChallenge(t.Context(), caller.Caller{}, asked)
		if err != nil {
			t.Fatalf("NewChallenge(%q): got %v, want nil", asked, err)
		}
		vaulttest.Want(t, "NewChallenge().Algorithm", c.Algorithm, "SHA-256")
		vaulttest.Want(t, "NewChallenge().MaxNumber", c.MaxNumber, 50_000)
		vaulttest.Want(t, "NewChallenge().Expires", c.Expires, vaulttest.StartTime().Add(10*time.Minute))
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
		vaulttest.WantErr(t, "NewChallenge("+action+")", err, refusal.ErrInvalid)
		vaulttest.WantErr(t, "VerifyChallenge("+action+")", verify(t, k, "", action), refusal.ErrInvalid)
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
		err := verify(t, k, vaulttest.MustSolve(t, k, test.made).Payload(t), test.called)
		call := fmt.Sprintf("VerifyChallenge(made for %q, %q)", test.made, test.called)
		if test.good {
			vaulttest.WantErr(t, call, err, nil)
		} else {
			vaulttest.WantChallenge(t, call, err, "Invalid Altcha payload")
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
		s := vaulttest.MustSolve(t, k, "")
		payload := fmt.Sprintf(form, s.Algorithm, s.Challenge, s.Number, s.Salt, s.Signature)
		vaulttest.WantErr(t, "VerifyChallenge("+form+")", verify(t, k, base64.StdEncoding.EncodeToString([]byte(payload)), ""), nil)
	}
}

func TestVerifyChallengeExpiry(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	late, last := vaulttest.MustSolve(t, k, ""), vaulttest.MustSolve(t, k, "")
	k.Clock.Advance(10*time.Minute - time.Millisecond)
	vaulttest.WantErr(t, "VerifyChallenge(at the last moment)", verify(t, k, last.Payload(t), ""), nil)
	k.Clock.Advance(time.Millisecond)
	const old = "The challenge is too old: ask for a new one"
	vaulttest.WantChallenge(t, "VerifyChallenge(too late)", verify(t, k, late.Payload(t), ""), old)
	vaulttest.WantChallenge(t, "VerifyChallenge(used and too late)", verify(t, k, last.Payload(t), ""), old)
	if got := len(vaulttest.RowsIn(t, k.Store, challenge.BucketSpent)); got != 1 {
		t.Errorf("spent solutions before Sweep(): got %d, want 1", got)
	}
	k.MustSweep(t)
	if got := len(vaulttest.RowsIn(t, k.Store, challenge.BucketSpent)); got != 0 {
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
	payload := vaulttest.MustSolve(t, k, "conceal").Payload(t)
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
			vaulttest.WantChallenge(t, "VerifyChallenge(again)", err, used)
		}
	}
	vaulttest.Want(t, "accepted of 100", accepted, 1)
	together.Store(nil)
	k.Reopen(t)
	vaulttest.WantChallenge(t, "VerifyChallenge(after a restart)", verify(t, k, payload, "conceal"), used)
	k.Clock.Advance(time.Minute)
	k.MustSweep(t)
	vaulttest.WantChallenge(t, "VerifyChallenge(after a sweep)", verify(t, k, payload, ""), used)
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

func (s gatedStore) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}

func TestSpendChallenge(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	spend := func(payload string) error {
		return k.Vault.Challenges.Spend(t.Context(), payload, challenge.ActionSignUp, k.Clock.Now())
	}
	vaulttest.WantChallenge(t, "spendChallenge(nothing)", spend(""), "Cannot skip authenticity check")
	vaulttest.WantChallenge(t, "spendChallenge(nonsense)", spend("nonsense"), "You need to be carbon-based to do that")
	payload := vaulttest.MustSolve(t, k, "signup").Payload(t)
	vaulttest.WantErr(t, "spendChallenge(solution)", spend(payload), nil)
	vaulttest.WantChallenge(t, "spendChallenge(again)", spend(payload), "The challenge was used already: ask for a new one")
}

// Above the operator's rate a network solves a challenge for each secret. Below
// it, with an account, or without a rate, no challenge is needed.
func TestConcealAboveRate(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Policy: caller.Policy{ChallengeAbove: 2}})
	conceal := func(c caller.Caller, challenge string) error {
		_, err := k.Vault.Secrets.ConcealSecret(t.Context(), c, "text", secret.Terms{Challenge: challenge})
		return err
	}
	const missing = "Cannot skip authenticity check"
	busy := vaulttest.Caller(1)
	vaulttest.WantErr(t, "ConcealSecret(first)", conceal(busy, ""), nil)
	vaulttest.WantErr(t, "ConcealSecret(second)", conceal(busy, ""), nil)
	vaulttest.WantChallenge(t, "ConcealSecret(third)", conceal(busy, ""), missing)
	vaulttest.WantErr(t, "ConcealSecret(other network)", conceal(vaulttest.Caller(2), ""), nil)
	k.Reopen(t)
	vaulttest.WantChallenge(t, "ConcealSecret(after a restart)", conceal(busy, ""), missing)
	vaulttest.WantChallenge(t, "ConcealSecret(solution for something else)",
		conceal(busy, vaulttest.MustSolve(t, k, "feedback").Payload(t)), "You need to be carbon-based to do that")
	payload := vaulttest.MustSolve(t, k, "conceal").Payload(t)
	vaulttest.WantErr(t, "ConcealSecret(solved)", conceal(busy, payload), nil)
	vaulttest.WantChallenge(t, "ConcealSecret(solved, again)", conceal(busy, payload), "The challenge was used already: ask for a new one")
	k.Clock.Advance(20 * time.Minute)
	vaulttest.WantErr(t, "ConcealSecret(next window)", conceal(busy, ""), nil)
	k.MustSweep(t)
	if got := len(vaulttest.RowsIn(t, k.Store, challenge.BucketPace)); got != 1 {
		t.Errorf("counters of the window before: got %d rows in all, want 1", got)
	}
}

func TestConcealWithoutRate(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	for range 3 {
		k.MustConceal(t, vaulttest.Caller(1), "text", secret.Terms{})
	}
	if got := len(vaulttest.RowsIn(t, k.Store, challenge.BucketPace)); got != 0 {
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
