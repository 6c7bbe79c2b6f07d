package challenge

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	altcha "github.com/altcha-org/altcha-lib-go"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/sweep"
)

// BucketSpent has SHA-256 of a solved challenge or of a verdict's signature ->
// nothing.
const BucketSpent = "spent"

// The errors of a solution, in the texts that legacy clients know.
const (
	textNoChallenge   = "Cannot skip authenticity check"
	textNotHuman      = "You need to be carbon-based to do that"
	textBadPayload    = "Invalid Altcha payload"
	textOldChallenge  = "The challenge is too old: ask for a new one"
	textUsedChallenge = "The challenge was used already: ask for a new one"
)

// Challenge is an ALTCHA puzzle: find the number from 0 to MaxNumber that,
// appended to Salt in decimal digits, has the hash Challenge. Algorithm is
// SHA-256; Challenge and Signature are 64 characters 0-9 and a-f.
//
//	salt = 32 characters 0-9 and a-f ‖ "?expires=" ‖ Unix time ‖ "&a=" ‖ action ‖ "&"
//
// The "&" at the end of the salt separates the number from what precedes it.
// Without it, digits could move between the two under the same hash, and the
// number's first digits could extend the expiry time.
type Challenge struct {
	Algorithm, Challenge, Salt, Signature string
	MaxNumber                             int64
	// Expires is when the challenge expires, in whole seconds.
	Expires time.Time
}

// NewChallenge returns a challenge whose solution is valid for one use of an
// action, or of any action if it is empty. An unknown action is ErrInvalid.
// Nothing is stored before a solution arrives.
func (ch *Challenges) NewChallenge(_ context.Context, _ caller.Caller, action string) (Challenge, error) {
	action, err := parseAction(action)
	if err != nil {
		return Challenge{}, err
	}
	expires := ch.clock.Now().Add(ChallengeTime).Truncate(time.Second)
	made, err := altcha.CreateChallenge(altcha.ChallengeOptions{
		Algorithm: altcha.SHA256, MaxNumber: ChallengeMaxNumber,
		HMACKey: ch.keys.ChallengeKey(), Salt: challengeSalt(expires, action),
	})
	if err != nil {
		return Challenge{}, fmt.Errorf("making a challenge: %w", err)
	}
	return Challenge{
		Algorithm: made.Algorithm, Challenge: made.Challenge, Salt: made.Salt, Signature: made.Signature,
		MaxNumber: made.MaxNumber, Expires: expires,
	}, nil
}

func challengeSalt(expires time.Time, action string) string {
	var random [challengeSaltSize]byte
	rand.Read(random[:])
	return fmt.Sprintf("%x?expires=%d&a=%s&", random, expires.Unix(), action)
}

// parseAction returns the name of an action; an empty one means ActionAny.
func parseAction(action string) (string, error) {
	switch action {
	case "":
		return ActionAny, nil
	case ActionConceal, ActionFeedback, ActionSignUp, ActionAny:
		return action, nil
	default:
		return "", &refusal.InvalidError{Field: "action", Text: "must be conceal, feedback or signup"}
	}
}

// VerifyChallenge checks a solution and spends it. An empty action accepts
// solutions of every kind. It returns ErrChallenge for a solution that is
// missing, wrong, too old or used, and ErrInvalid for an unknown action.
func (ch *Challenges) VerifyChallenge(ctx context.Context, _ caller.Caller, payload, action string) error {
	action, err := parseAction(action)
	if err != nil {
		return err
	}
	return ch.useSolution(ctx, payload, action, textBadPayload, ch.clock.Now())
}

// Spend spends the solution that an operation requires, or returns
// ErrChallenge.
func (ch *Challenges) Spend(ctx context.Context, payload, action string, now time.Time) error {
	if payload == "" {
		return &refusal.ChallengeError{Text: textNoChallenge}
	}
	return ch.useSolution(ctx, payload, action, textNotHuman, now)
}

// useSolution checks a solution for an action and spends it. wrong is the
// error's text for a wrong solution.
func (ch *Challenges) useSolution(ctx context.Context, payload, action, wrong string, now time.Time) error {
	s, ok := parseSolution(payload)
	if !ok {
		return &refusal.ChallengeError{Text: wrong}
	}
	if !now.Before(s.expires) {
		return &refusal.ChallengeError{Text: textOldChallenge}
	}
	if !s.goodFor(action) || !ch.signed(s) {
		return &refusal.ChallengeError{Text: wrong}
	}
	// The salt, and with it the hash, is unique to one challenge.
	spent := sha256.Sum256([]byte(s.challenge))
	return ch.spend(ctx, spent[:], s.expires)
}

// signed reports whether the number solves a challenge of this vault. The
// library compares in constant time and does not read the clock.
func (ch *Challenges) signed(s solution) bool {
	ok, err := altcha.VerifySolutionSafe(altcha.Payload{
		Algorithm: challengeAlgorithm, Challenge: s.challenge, Number: s.number, Salt: s.salt, Signature: s.signature,
	}, ch.keys.ChallengeKey(), false)
	return ok && err == nil
}

// spend stores that a single-use value was used, until it expires. It refuses a
// used value without writing.
func (ch *Challenges) spend(ctx context.Context, key []byte, expires time.Time) error {
	unspent := func(tx *rows.Tx) error {
		_, err := tx.Get(BucketSpent, key)
		switch {
		case errors.Is(err, storage.ErrNotFound):
			return nil
		case err != nil:
			return err
		}
		return &refusal.ChallengeError{Text: textUsedChallenge}
	}
	if err := ch.store.View(ctx, unspent); err != nil {
		return err
	}
	return ch.store.Update(ctx, func(tx *rows.Tx) error {
		if err := unspent(tx); err != nil {
			return err
		}
		if err := tx.Put(BucketSpent, key, nil); err != nil {
			return err
		}
		return sweep.PutDue(tx, expires, sweep.DueSpent, key)
	})
}

// EndSpent deletes an expired solution.
func (ch *Challenges) EndSpent(tx *rows.Tx, key []byte, _ time.Time) (time.Time, error) {
	return time.Time{}, tx.Delete(BucketSpent, key)
}
