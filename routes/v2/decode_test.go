package v2

import (
	"testing"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/routes/call"
	"hush/routes/refusal"
	"hush/routes/routestest"
)

// No other source can replace the key of the path.
func TestDecodeKeys(t *testing.T) {
	const body = "key=other&secret_key=other&metadata_key=other&passphrase=p&continue=true&memo=m"
	secret, err := routestest.Decoded(t, decodeGetSecret, body)
	routestest.WantMessage(t, "decodeGetSecret", secret, &hushv1.GetSecretRequest{SecretKey: routestest.SecretKey}, err)
	status, err := routestest.Decoded(t, decodeSecretStatus, body)
	routestest.WantMessage(t, "decodeSecretStatus", status, &hushv1.GetSecretStatusRequest{SecretKey: routestest.SecretKey}, err)
	memo, err := routestest.Decoded(t, memoInput().Decode, body)
	routestest.WantMessage(t, "memoInput", memo, &hushv1.UpdateMetadataRequest{MetadataKey: routestest.SecretKey, Memo: "m"}, err)
}

func TestSureBurnInput(t *testing.T) {
	for _, body := range []string{"", "continue=", "continue=false", "continue=True", "continue=1", `{"continue":1}`} {
		_, err := routestest.Decoded(t, sureBurnInput().Decode, body)
		routestest.WantRefusal(t, "sureBurnInput("+body+")", err, refusal.ClassInvalid, "Secret could not be burned.")
	}
	for _, body := range []string{"continue=true", `{"continue":true}`, `{"continue":"true"}`} {
		got, err := routestest.Decoded(t, sureBurnInput().Decode, body)
		routestest.WantMessage(t, "sureBurnInput("+body+")", got, &hushv1.BurnSecretRequest{MetadataKey: routestest.SecretKey, RequirePassphrase: true}, err)
	}
}

func TestMemoInput(t *testing.T) {
	_, err := routestest.Decoded(t, memoInput().Decode, `{"memo":null}`)
	routestest.WantRefusal(t, "memoInput(null)", err, refusal.ClassInvalid, "memo is missing")
	got, err := routestest.Decoded(t, memoInput().Decode, `{"memo":""}`)
	routestest.WantMessage(t, "memoInput(empty)", got, &hushv1.UpdateMetadataRequest{MetadataKey: routestest.SecretKey}, err)
}

func TestSecretStatusesInput(t *testing.T) {
	for body, want := range map[string][]string{
		"":                                      nil,
		"keys=a,b,,c":                           {"a", "b", "c"},
		"keys[]=a&keys[]=b,c":                   {"a", "b", "c"},
		`{"keys":"a, b","identifiers":["c"]}`:   {"a", "b", "c"},
		`{"identifiers":["a","b"],"keys":null}`: {"a", "b"},
	} {
		got, err := routestest.Decoded(t, secretStatusesInput().Decode, body)
		routestest.WantMessage(t, "secretStatusesInput("+body+")", got, &hushv1.ListSecretStatusRequest{SecretKeys: want}, err)
	}
}

func TestDecodeShrimp(t *testing.T) {
	got, err := routestest.Decoded(t, shrimpInput().Decode, "shrimp=a")
	routestest.WantMessage(t, "shrimpInput(parameter)", got, &hushv1.ValidateShrimpRequest{Shrimp: "a"}, err)
	req := routestest.Request()
	req.Header.Set("O-Shrimp", "b")
	req.Params = routestest.Params(t, "shrimp=a")
	got, err = shrimpInput().Decode(req)
	routestest.WantMessage(t, "shrimpInput(header)", got, &hushv1.ValidateShrimpRequest{Shrimp: "b"}, err)
}

// What cannot be decoded never reaches the RPC: the method here would panic.
func TestRPCRefusesFirst(t *testing.T) {
	c, err := chain.Described()
	if err != nil {
		t.Fatalf("Described(): got error %v", err)
	}
	var burn chain.Service[hushv1.BurnSecretRequest, hushv1.BurnSecretResponse]
	_, err = call.RPCWith(c, burn, sureBurnInput(), firstWords.encodeBurn).Run(t.Context(), routestest.Request())
	routestest.WantRefusal(t, "burn without continue", err, refusal.ClassInvalid, "Secret could not be burned.")
}
