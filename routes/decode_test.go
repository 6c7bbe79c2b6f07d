package routes

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/refusal"
)

// decoded runs a decoder on a body, which is JSON if it begins like JSON.
func decoded[Req any](t *testing.T, decode call.Decoder[Req], body string) (*Req, error) {
	t.Helper()
	req := testRequest()
	req.Params = mustParams(t, body)
	return decode(req)
}

func wantMessage(t *testing.T, name string, got, want proto.Message, err error) {
	t.Helper()
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" || err != nil {
		t.Errorf("%s: got error %v and difference\n%s", name, err, diff)
	}
}

func TestDecodeConceal(t *testing.T) {
	full := &hushv1.ConcealSecretRequest{
		Secret: " a ", Ttl: durationpb.New(time.Hour), Passphrase: "123",
		Recipients: []string{"a@b.example"}, ShareDomain: "s.example",
	}
	for body, want := range map[string]*hushv1.ConcealSecretRequest{
		"": {},
		"secret=a&ttl=&passphrase=&recipient=&share_domain=&kind=share&shrimp=x":                                                   {Secret: "a"},
		"secret=+a+&ttl=3600&passphrase=123&recipient=a@b.example&share_domain=s.example":                                          full,
		`{"secret":" a ","ttl":3600.7,"passphrase":123,"recipient":["a@b.example"],"share_domain":"s.example"}`:                    full,
		`{"secret":{"secret":" a ","ttl":"3600","passphrase":"123","recipient":"a@b.example","share_domain":"s.example"},"x":[1]}`: full,
		`{"secret":{"secret":"a","ttl":null,"recipient":"","share_domain":null,"kind":"conceal"}}`:                                 {Secret: "a"},
		"secret=a&passphrase=false":                            {Secret: "a", Passphrase: "false"},
		"secret=a&recipient=a@b.example&recipient=c@b.example": {Secret: "a", Recipients: []string{"a@b.example", "c@b.example"}},
		`{"secret":{"secret":"a","recipient":[]}}`:             {Secret: "a"},
	} {
		got, err := decoded(t, decodeConceal, body)
		wantMessage(t, "decodeConceal("+body+")", got, want, err)
	}
	for body, want := range map[string]string{
		`{"secret":5}`:                   "secret must be text",
		`{"secret":true}`:                "secret must be text",
		`{"secret":["a"]}`:               "secret must be text",
		`{"secret":{"secret":{"a":1}}}`:  "secret must be text",
		`{"secret":{"secret":["a"]}}`:    "secret must be text",
		"secret[]=a":                     "secret must be text",
		"secret=a&secret=b":              "secret was given more than once",
		"secret=%ff":                     "secret is not valid UTF-8",
		`{"secret":"a","ttl":{}}`:        "ttl must be a single value",
		`{"secret":"a","passphrase":[]}`: "passphrase must be a single value",

		`{"secret":"a","passphrase":false}`:           "passphrase must be text",
		`{"secret":{"secret":"a","passphrase":true}}`: "passphrase must be text",
	} {
		_, err := decoded(t, decodeConceal, body)
		wantRefusal(t, "decodeConceal("+body+")", err, refusal.ClassInvalid, want)
	}
}

func TestDecodeGenerate(t *testing.T) {
	for body, want := range map[string]*hushv1.GenerateSecretRequest{
		"": {},
		"secret=ignored&ttl=60&length=20&character_sets[numbers]=true&character_sets[symbols]=false": {
			Ttl: durationpb.New(time.Minute), Length: 20, CharacterSets: &hushv1.CharacterSets{Numbers: true},
		},
		`{"secret":{"length":20,"character_sets":{"uppercase":true,"exclude_ambiguous":true}}}`: {
			Length: 20, CharacterSets: &hushv1.CharacterSets{Uppercase: true, ExcludeAmbiguous: true},
		},
	} {
		got, err := decoded(t, decodeGenerate, body)
		wantMessage(t, "decodeGenerate("+body+")", got, want, err)
	}
	for body, want := range map[string]string{
		"length=many":                  "length must be a whole number",
		`{"length":1e1}`:               "length must be a whole number",
		"character_sets[symbols]=some": "character_sets[symbols] must be true or false",
	} {
		_, err := decoded(t, decodeGenerate, body)
		wantRefusal(t, "decodeGenerate("+body+")", err, refusal.ClassInvalid, want)
	}
}

// No other source can replace the key of the path.
func TestDecodeKeys(t *testing.T) {
	const body = "key=other&secret_key=other&metadata_key=other&passphrase=p&continue=true&memo=m"
	reveal, err := decoded(t, decodeReveal, body)
	wantMessage(t, "decodeReveal", reveal, &hushv1.RevealSecretRequest{SecretKey: testSecretKey, Passphrase: "p"}, err)
	burn, err := decoded(t, decodeBurn, body)
	wantMessage(t, "decodeBurn", burn, &hushv1.BurnSecretRequest{MetadataKey: testSecretKey, Passphrase: "p", RequirePassphrase: true}, err)
	secret, err := decoded(t, decodeGetSecret, body)
	wantMessage(t, "decodeGetSecret", secret, &hushv1.GetSecretRequest{SecretKey: testSecretKey}, err)
	metadata, err := decoded(t, decodeGetMetadata, body)
	wantMessage(t, "decodeGetMetadata", metadata, &hushv1.GetMetadataRequest{MetadataKey: testSecretKey}, err)
	status, err := decoded(t, decodeSecretStatus, body)
	wantMessage(t, "decodeSecretStatus", status, &hushv1.GetSecretStatusRequest{SecretKey: testSecretKey}, err)
	memo, err := decoded(t, decodeMemo, body)
	wantMessage(t, "decodeMemo", memo, &hushv1.UpdateMetadataRequest{MetadataKey: testSecretKey, Memo: "m"}, err)
	recent, err := decoded(t, decodeRecent, body)
	wantMessage(t, "decodeRecent", recent, &hushv1.ListMetadataRequest{PageSize: 500}, err)
}

func TestDecodeSureBurn(t *testing.T) {
	for _, body := range []string{"", "continue=", "continue=false", "continue=True", "continue=1", `{"continue":1}`} {
		_, err := decoded(t, decodeSureBurn, body)
		wantRefusal(t, "decodeSureBurn("+body+")", err, refusal.ClassInvalid, "Secret could not be burned.")
	}
	for _, body := range []string{"continue=true", `{"continue":true}`, `{"continue":"true"}`} {
		got, err := decoded(t, decodeSureBurn, body)
		wantMessage(t, "decodeSureBurn("+body+")", got, &hushv1.BurnSecretRequest{MetadataKey: testSecretKey, RequirePassphrase: true}, err)
	}
}

func TestDecodeMemo(t *testing.T) {
	_, err := decoded(t, decodeMemo, `{"memo":null}`)
	wantRefusal(t, "decodeMemo(null)", err, refusal.ClassInvalid, "memo is missing")
	got, err := decoded(t, decodeMemo, `{"memo":""}`)
	wantMessage(t, "decodeMemo(empty)", got, &hushv1.UpdateMetadataRequest{MetadataKey: testSecretKey}, err)
}

func TestDecodeSecretStatuses(t *testing.T) {
	for body, want := range map[string][]string{
		"":                                      nil,
		"keys=a,b,,c":                           {"a", "b", "c"},
		"keys[]=a&keys[]=b,c":                   {"a", "b", "c"},
		`{"keys":"a, b","identifiers":["c"]}`:   {"a", "b", "c"},
		`{"identifiers":["a","b"],"keys":null}`: {"a", "b"},
	} {
		got, err := decoded(t, decodeSecretStatuses, body)
		wantMessage(t, "decodeSecretStatuses("+body+")", got, &hushv1.ListSecretStatusRequest{SecretKeys: want}, err)
	}
}

func TestDecodeShrimp(t *testing.T) {
	got, err := decoded(t, decodeShrimp, "shrimp=a")
	wantMessage(t, "decodeShrimp(parameter)", got, &hushv1.ValidateShrimpRequest{Shrimp: "a"}, err)
	req := testRequest()
	req.Header.Set("O-Shrimp", "b")
	req.Params = mustParams(t, "shrimp=a")
	got, err = decodeShrimp(req)
	wantMessage(t, "decodeShrimp(header)", got, &hushv1.ValidateShrimpRequest{Shrimp: "b"}, err)
}

func TestChoosers(t *testing.T) {
	for body, want := range map[string]bool{"": false, "kind=generate": true, "kind=share": false,
		"secret[kind]=generate": true, "kind=Generate": false} {
		if got, err := generates().Yes(&call.Request{Params: mustParams(t, body)}); err != nil || got != want {
			t.Errorf("generates(%s): got %v, %v, want %v", body, got, err, want)
		}
	}
	for body, want := range map[string]bool{"": false, "continue=true": true, "continue=false": false, "continue=yes": false} {
		if got, err := call.Continues().Yes(&call.Request{Params: mustParams(t, body)}); err != nil || got != want {
			t.Errorf("Continues(%s): got %v, %v, want %v", body, got, err, want)
		}
	}
}
