package v2

import (
	"testing"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/routestest"
)

func TestChallengeRows(t *testing.T) {
	asked, err := routestest.Decoded(t, challengeInput().Decode, "action=signup")
	routestest.WantMessage(t, "challengeInput", asked, &hushv1.AltchaChallengeRequest{Action: "signup"}, err)
	solved, err := routestest.Decoded(t, solutionInput().Decode, `{"authenticity_payload":"p","action":"feedback"}`)
	routestest.WantMessage(t, "solutionInput", solved, &hushv1.AltchaVerifyRequest{AuthenticityPayload: "p", Action: "feedback"}, err)
	verdict, err := routestest.Decoded(t, verdictInput().Decode, "authenticity_payload=p&shrimp=s&email=a%40b&text=t")
	routestest.WantMessage(t, "verdictInput", verdict, &hushv1.AltchaVerifySpamRequest{
		AuthenticityPayload: "p", Fields: map[string]string{"email": "a@b", "text": "t"},
	}, err)

	req := routestest.Request()
	req.Params = routestest.Params(t, "authenticity_payload=p")
	for _, test := range []struct {
		name   string
		answer any
		want   string
	}{
		{"encodeChallenge", encodeChallenge(req, &hushv1.AltchaChallengeResponse{
			Algorithm: "SHA-256", Challenge: "c", MaxNumber: 50000, Salt: "s?expires=1&a=any&", Signature: "g",
		}), `{"algorithm":"SHA-256","challenge":"c","maxnumber":50000,"salt":"s?expires=1&a=any&","signature":"g"}`},
		{"encodeSolved", encodeSolved(req, nil), `{"success":true,"data":{"authenticity_payload":"p"}}`},
		{"encodeVerdict", encodeVerdict(req, &hushv1.AltchaVerifySpamResponse{Classification: "GOOD", Score: 0.5}),
			`{"success":true,"data":{"verified":true,"classification":"GOOD","score":0.5,"reasons":[]}}`},
	} {
		routestest.WantJSON(t, test.name, routestest.Encoded(t, test.answer), test.want)
	}
}
