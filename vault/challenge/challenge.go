package challenge

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	altcha "github.com/altcha-org/altcha-lib-go"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// BucketSpent has SHA-256 of a solved challenge or of a verdict's signature -> nothing.
const BucketSpent = "spent"

// What a solved challenge may be good for. A solution of ActionAny is good for
// one use of any kind.
const (
	ActionConceal  = "conceal"
	ActionFeedback = "feedback"
	ActionSignUp   = "signup"
	ActionAny      = "any"
)

const (
	// ChallengeTime is how long a challenge may be solved and used.
	ChallengeTime = 10 * time.Minute
	// ChallengeMaxNumber is the largest number that solves a challenge.
	ChallengeMaxNumber = 50_000

	challengeAlgorithm = "SHA-256"
	challengeSaltSize  = 16 // bytes
)

// What is wrong with a solution, in the words that legacy clients know.
const (
	textNoChallenge   = "Cannot skip authenticity check"
	textNotHuman      = "You need to be carbon-based to do that"
	textBadPayload    = "Invalid Altcha payload"
	textOldChallenge  = "The challenge is too old: ask for a new one"
	textUsedChallenge = "The challenge was used already: ask for a new one"
)

// Challenge is a puzzle of ALTCHA: find the number from 0 to MaxNumber that,
// in decimal digits behind Salt, has the hash Challenge. Algorithm is SHA-256;
// Challenge and Signature are 64 characters 0-9 and a-f.
//
//	salt = 32 characters 0-9 and a-f ‖ "?expires=" ‖ Unix time ‖ "&a=" ‖ action ‖ "&"
//
// The "&" at the salt's end keeps the number from running into what stands
// before it: without it, digits could move between the two under the same hash,
// and a later end be made of the number's first digits.
type Challenge struct {
	Algorithm, Challenge, Salt, Signature string
	MaxNumber                             int64
	// Expires is when it can no longer be used, in whole seconds.
	Expires time.Time
}

// NewChallenge makes a challenge whose solution is good for one use of an
// action, or of any action if it is empty. An action that there is not is
// ErrInvalid. Nothing is stored before the solution comes.
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

// parseAction gives the empty action its name.
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

// VerifyChallenge checks a solution and spends it. An empty action takes
// solutions of every kind. It returns ErrChallenge for a solution that is
// missing, wrong, too old or used, and ErrInvalid for an action that there is
// not.
func (ch *Challenges) VerifyChallenge(ctx context.Context, _ caller.Caller, payload, action string) error {
	action, err := parseAction(action)
	if err != nil {
		return err
	}
	return ch.useSolution(ctx, payload, action, textBadPayload, ch.clock.Now())
}

// Spend spends the solution that an operation takes, or returns
// ErrChallenge.
func (ch *Challenges) Spend(ctx context.Context, payload, action string, now time.Time) error {
	if payload == "" {
		return &refusal.ChallengeError{Text: textNoChallenge}
	}
	return ch.useSolution(ctx, payload, action, textNotHuman, now)
}

// useSolution checks a solution for an action and spends it. The text is for
// one that is wrong.
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
	// The salt, and with it the hash, belongs to one challenge alone.
	spent := sha256.Sum256([]byte(s.challenge))
	return ch.spend(ctx, spent[:], s.expires)
}

// signed tells whether the number solves a challenge of this vault. The
// library compares in constant time; it is not asked for the time of day.
func (ch *Challenges) signed(s solution) bool {
	ok, err := altcha.VerifySolutionSafe(altcha.Payload{
		Algorithm: challengeAlgorithm, Challenge: s.challenge, Number: s.number, Salt: s.salt, Signature: s.signature,
	}, ch.keys.ChallengeKey(), false)
	return ok && err == nil
}

// spend remembers until it expires that something good for one use was used.
// What was used before is refused without writing.
func (ch *Challenges) spend(ctx context.Context, key []byte, expires time.Time) error {
	unspent := func(tx storage.Tx) error {
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
	return ch.store.Update(ctx, func(tx storage.Tx) error {
		if err := unspent(tx); err != nil {
			return err
		}
		if err := tx.Put(BucketSpent, key, nil); err != nil {
			return err
		}
		return rows.PutDue(tx, expires, rows.DueSpent, key)
	})
}

// EndSpent forgets a solution that nobody could use any more.
func (ch *Challenges) EndSpent(tx storage.Tx, key []byte, _ time.Time) (time.Time, error) {
	return time.Time{}, tx.Delete(BucketSpent, key)
}

// isHash tells whether text is what hex makes of a SHA-256 hash.
func isHash(text string) bool {
	raw, err := hex.DecodeString(text)
	return err == nil && len(raw) == sha256.Size && hex.EncodeToString(raw) == text
}
