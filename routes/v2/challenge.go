package v2

import (
	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/version"
)

func decodeChallenge(req *call.Request) (*hushv1.AltchaChallengeRequest, error) {
	action, err := req.Params.Text("action")
	if err != nil {
		return nil, err
	}
	return &hushv1.AltchaChallengeRequest{Action: action}, nil
}

func decodeSolution(req *call.Request) (*hushv1.AltchaVerifyRequest, error) {
	solution, err := req.Params.Text(version.Payload)
	if err != nil {
		return nil, err
	}
	action, err := req.Params.Text("action")
	if err != nil {
		return nil, err
	}
	return &hushv1.AltchaVerifyRequest{AuthenticityPayload: solution, Action: action}, nil
}

// decodeVerdict treats all other parameters as the form that the verdict is
// about.
func decodeVerdict(req *call.Request) (*hushv1.AltchaVerifySpamRequest, error) {
	verdict, err := req.Params.Text(version.Payload)
	if err != nil {
		return nil, err
	}
	fields, err := req.Params.Others(version.Payload, "shrimp")
	if err != nil {
		return nil, err
	}
	return &hushv1.AltchaVerifySpamRequest{AuthenticityPayload: verdict, Fields: fields}, nil
}

type challengeAnswer struct {
	Algorithm string `json:"algorithm"`
	Challenge string `json:"challenge"`
	MaxNumber int64  `json:"maxnumber"`
	Salt      string `json:"salt"`
	Signature string `json:"signature"`
}

func encodeChallenge(_ *call.Request, res *hushv1.AltchaChallengeResponse) any {
	return challengeAnswer{
		Algorithm: res.GetAlgorithm(), Challenge: res.GetChallenge(), MaxNumber: res.GetMaxNumber(),
		Salt: res.GetSalt(), Signature: res.GetSignature(),
	}
}

type dataAnswer struct {
	Success bool `json:"success"`
	Data    any  `json:"data"`
}

type solvedData struct {
	Payload string `json:"authenticity_payload"`
}

// encodeSolved returns the solution again, although it is spent now.
func encodeSolved(req *call.Request, _ *hushv1.AltchaVerifyResponse) any {
	solution, _ := req.Params.Text(version.Payload) // it was read before
	return dataAnswer{Success: true, Data: solvedData{Payload: solution}}
}

type verdictData struct {
	Verified       bool     `json:"verified"`
	Classification string   `json:"classification"`
	Score          float64  `json:"score"`
	Reasons        []string `json:"reasons"`
}

func encodeVerdict(_ *call.Request, res *hushv1.AltchaVerifySpamResponse) any {
	return dataAnswer{Success: true, Data: verdictData{
		Verified: true, Classification: res.GetClassification(), Score: res.GetScore(), Reasons: version.NotNull(res.GetReasons()),
	}}
}
