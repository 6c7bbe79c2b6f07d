package version

import (
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/refusal"
	"hush/routes/routestest"
)

func TestConcealInput(t *testing.T) {
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
		got, err := routestest.Decoded(t, ConcealInput().Decode, body)
		routestest.WantMessage(t, "ConcealInput("+body+")", got, want, err)
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
		_, err := routestest.Decoded(t, ConcealInput().Decode, body)
		routestest.WantRefusal(t, "ConcealInput("+body+")", err, refusal.ClassInvalid, want)
	}
}

func TestGenerateInput(t *testing.T) {
	for body, want := range map[string]*hushv1.GenerateSecretRequest{
		"": {},
		"secret=ignored&ttl=60&length=20&character_sets[numbers]=true&character_sets[symbols]=false": {
			Ttl: durationpb.New(time.Minute), Length: 20, CharacterSets: &hushv1.CharacterSets{Numbers: true},
		},
		`{"secret":{"length":20,"character_sets":{"uppercase":true,"exclude_ambiguous":true}}}`: {
			Length: 20, CharacterSets: &hushv1.CharacterSets{Uppercase: true, ExcludeAmbiguous: true},
		},
	} {
		got, err := routestest.Decoded(t, GenerateInput().Decode, body)
		routestest.WantMessage(t, "GenerateInput("+body+")", got, want, err)
	}
	for body, want := range map[string]string{
		"length=many":                  "length must be a whole number",
		`{"length":1e1}`:               "length must be a whole number",
		"character_sets[symbols]=some": "character_sets[symbols] must be true or false",
	} {
		_, err := routestest.Decoded(t, GenerateInput().Decode, body)
		routestest.WantRefusal(t, "GenerateInput("+body+")", err, refusal.ClassInvalid, want)
	}
}

// No other source can replace the key of the path.
func TestDecodeKeys(t *testing.T) {
	const body = "key=other&secret_key=other&metadata_key=other&passphrase=p&continue=true&memo=m"
	reveal, err := routestest.Decoded(t, RevealInput().Decode, body)
	routestest.WantMessage(t, "RevealInput", reveal, &hushv1.RevealSecretRequest{SecretKey: routestest.SecretKey, Passphrase: "p"}, err)
	burn, err := routestest.Decoded(t, BurnInput().Decode, body)
	routestest.WantMessage(t, "BurnInput", burn, &hushv1.BurnSecretRequest{MetadataKey: routestest.SecretKey, Passphrase: "p", RequirePassphrase: true}, err)
	metadata, err := routestest.Decoded(t, DecodeGetMetadata, body)
	routestest.WantMessage(t, "DecodeGetMetadata", metadata, &hushv1.GetMetadataRequest{MetadataKey: routestest.SecretKey}, err)
	recent, err := routestest.Decoded(t, DecodeRecent, body)
	routestest.WantMessage(t, "DecodeRecent", recent, &hushv1.ListMetadataRequest{PageSize: 500}, err)
}

func TestChoosers(t *testing.T) {
	for body, want := range map[string]bool{"": false, "kind=generate": true, "kind=share": false,
		"secret[kind]=generate": true, "kind=Generate": false} {
		if got, err := Generates().Yes(&call.Request{Params: routestest.Params(t, body)}); err != nil || got != want {
			t.Errorf("Generates(%s): got %v, %v, want %v", body, got, err, want)
		}
	}
	for body, want := range map[string]bool{"": false, "continue=true": true, "continue=false": false, "continue=yes": false} {
		if got, err := call.Continues("").Yes(&call.Request{Params: routestest.Params(t, body)}); err != nil || got != want {
			t.Errorf("Continues(%s): got %v, %v, want %v", body, got, err, want)
		}
	}
}
