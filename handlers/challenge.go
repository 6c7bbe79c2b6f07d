package handlers

import (
	"context"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/vault/challenge"
)

// ChallengeService is hush.v1.ChallengeService.
type ChallengeService struct {
	challenges *challenge.Challenges
}

// AltchaChallenge creates a challenge.
func (s *ChallengeService) AltchaChallenge(ctx context.Context, req *hushv1.AltchaChallengeRequest) (*hushv1.AltchaChallengeResponse, error) {
	c, err := s.challenges.NewChallenge(ctx, chain.CallerFrom(ctx), req.GetAction())
	if err != nil {
		return nil, err
	}
	return &hushv1.AltchaChallengeResponse{
		Algorithm: c.Algorithm, Challenge: c.Challenge, MaxNumber: c.MaxNumber,
		Salt: c.Salt, Signature: c.Signature, ExpireTime: stamp(c.Expires),
	}, nil
}

// AltchaVerify checks a solution and spends it.
func (s *ChallengeService) AltchaVerify(ctx context.Context, req *hushv1.AltchaVerifyRequest) (*hushv1.AltchaVerifyResponse, error) {
	if err := s.challenges.VerifyChallenge(ctx, chain.CallerFrom(ctx), req.GetAuthenticityPayload(), req.GetAction()); err != nil {
		return nil, err
	}
	return &hushv1.AltchaVerifyResponse{}, nil
}

// AltchaVerifySpam checks a signed verdict and spends it.
func (s *ChallengeService) AltchaVerifySpam(ctx context.Context, req *hushv1.AltchaVerifySpamRequest) (*hushv1.AltchaVerifySpamResponse, error) {
	verdict, err := s.challenges.VerifySpam(ctx, chain.CallerFrom(ctx), req.GetAuthenticityPayload(), req.GetFields())
	if err != nil {
		return nil, err
	}
	return &hushv1.AltchaVerifySpamResponse{
		Classification: verdict.Classification, Score: verdict.Score, Reasons: verdict.Reasons,
	}, nil
}
