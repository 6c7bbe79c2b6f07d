package hush

import (
	"context"
	"encoding/base64"
	"encoding/json"

	altcha "github.com/altcha-org/altcha-lib-go"

	"hush/client"
	"hush/client/attempt"
	hushv1 "hush/gen/hush/v1"
)

// The bounds of the work that a server can ask for: some seconds of this device.
const (
	challengeMax  = 10_000_000
	challengeHash = 64  // characters
	challengeSalt = 512 // bytes
)

// solution is a solved challenge, as servers read it.
type solution struct {
	Algorithm string `json:"algorithm"`
	Challenge string `json:"challenge"`
	Number    int    `json:"number"`
	Salt      string `json:"salt"`
	Signature string `json:"signature"`
}

// challenged makes a call until it succeeds or its failure says that no other may follow,
// and again with what shows the work that the server asks for.
func challenged[A any](ctx context.Context, h *Client, once func(payload string) (A, *failure)) (A, *failure) {
	repeats, payload := h.repeats, ""
	repeats.WaitMax = 0
	do := func(int) (A, *failure) {
		repeats.Made++ // for the calls after a challenge
		return once(payload)
	}
	answer, fail := attempt.Do(ctx, repeats, do)
	if fail == nil || fail.Refusal.reason != hushv1.Refusal_REASON_CHALLENGE {
		return answer, fail
	}
	var failed *client.Error
	if payload, failed = h.solveChallenge(ctx); failed != nil {
		return answer, &failure{Err: failed}
	}
	return attempt.Do(ctx, repeats, do)
}

// solveChallenge does the work that the operator asks of busy networks, and returns
// what shows it. It can be used once.
func (h *Client) solveChallenge(ctx context.Context) (string, *client.Error) {
	puzzle, fail := askAgain(ctx, h, h.challenges.AltchaChallenge, &hushv1.AltchaChallengeRequest{Action: "conceal"})
	if fail != nil {
		return "", fail.Err
	}
	tooMuch := &client.Error{Kind: client.KindRefused, Message: "the server asks for more work than this device does for it"}
	if puzzle.GetAlgorithm() != string(altcha.SHA256) || puzzle.GetMaxNumber() < 1 || puzzle.GetMaxNumber() > challengeMax ||
		len(puzzle.GetChallenge()) != challengeHash || len(puzzle.GetSalt()) > challengeSalt || len(puzzle.GetSignature()) > challengeHash {
		return "", tooMuch
	}
	found, err := altcha.SolveChallenge(puzzle.GetChallenge(), puzzle.GetSalt(), altcha.SHA256, int(puzzle.GetMaxNumber()), 0, ctx.Done())
	switch {
	case ctx.Err() != nil:
		return "", attempt.Ended(ctx.Err())
	case err != nil || found == nil:
		return "", tooMuch
	}
	payload, err := json.Marshal(solution{
		Algorithm: puzzle.GetAlgorithm(), Challenge: puzzle.GetChallenge(), Number: found.Number, Salt: puzzle.GetSalt(), Signature: puzzle.GetSignature(),
	})
	if err != nil {
		return "", &client.Error{Kind: client.KindFailure, Message: "encoding the solution of a challenge", Cause: err}
	}
	return base64.StdEncoding.EncodeToString(payload), nil
}
