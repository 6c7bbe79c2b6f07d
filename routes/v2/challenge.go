package v2

import (
	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/params"
	"hush/routes/version"
)

func actionField() params.Field {
	return params.Field{Name: "action", Form: params.FormText, Becomes: "action"}
}

func challengeInput() call.Input[hushv1.AltchaChallengeRequest] {
	return call.Fill(call.Nothing[hushv1.AltchaChallengeRequest], actionField())
}

// requiredSolutionField is the solution where it is all that a route is about.
func requiredSolutionField() params.Field {
	field := version.SolutionField()
	field.Required = true
	return field
}

func solutionInput() call.Input[hushv1.AltchaVerifyRequest] {
	return call.Fill(call.Nothing[hushv1.AltchaVerifyRequest], requiredSolutionField(), actionField())
}

// verdictInput treats all other parameters as the form that the verdict is about.
func verdictInput() call.Input[hushv1.AltchaVerifySpamRequest] {
	payload := requiredSolutionField()
	takes := call.Fill(call.Nothing[hushv1.AltchaVerifySpamRequest], payload, params.Field{Name: params.AnyName, Form: params.FormText})
	return takes.Checked(func(req *call.Request, message *hushv1.AltchaVerifySpamRequest) (err error) {
		message.Fields, err = req.Params.Others(payload.Name, shrimpField().Name)
		return err
	})
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
	solved, _ := req.Params.Text(version.SolutionField().Name) // it was read before
	return dataAnswer{Success: true, Data: solvedData{Payload: solved}}
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
