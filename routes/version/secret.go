package version

import (
	"slices"
	"strconv"

	"google.golang.org/protobuf/types/known/durationpb"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/params"
	"hush/routes/refusal"
)

// recentPage is the number of receipts in a list: the maximum of one call.
const recentPage = 500

// ConcealFields are the parameters of DecodeConceal.
func ConcealFields() []params.Field {
	return slices.Concat(params.Required(params.FormText, "secret"), termsFields())
}

// GenerateFields are the parameters of DecodeGenerate.
func GenerateFields() []params.Field {
	return slices.Concat(
		params.Optional(params.FormInteger, "length"),
		params.Optional(params.FormFlag, "character_sets[uppercase]", "character_sets[lowercase]", "character_sets[numbers]",
			"character_sets[symbols]", "character_sets[exclude_ambiguous]"),
		termsFields())
}

func termsFields() []params.Field {
	return slices.Concat(
		params.Optional(params.FormDuration, "ttl"),
		params.Optional(params.FormText, "passphrase", "share_domain", Payload),
		params.Optional(params.FormTexts, "recipient"))
}

// PassphraseField is the parameter of DecodeReveal and DecodeBurn.
func PassphraseField() []params.Field { return params.Optional(params.FormText, "passphrase") }

// Payload is the parameter with the solution of a challenge.
const Payload = "authenticity_payload"

// terms are the common options of concealing and generating.
type terms struct {
	ttl         *durationpb.Duration
	passphrase  string
	recipients  []string
	shareDomain string
	solution    string
}

func decodeTerms(p params.Params) (t terms, err error) {
	if t.ttl, err = p.Duration("ttl"); err != nil {
		return t, err
	}
	if t.passphrase, err = p.Spoken("passphrase"); err != nil {
		return t, err
	}
	if t.recipients, err = p.List("recipient"); err != nil {
		return t, err
	}
	if t.shareDomain, err = p.Text("share_domain"); err != nil {
		return t, err
	}
	t.solution, err = p.Text(Payload)
	return t, err
}

// DecodeConceal decodes what ConcealFields declares.
func DecodeConceal(req *call.Request) (*hushv1.ConcealSecretRequest, error) {
	secret, err := req.Params.Verbatim("secret")
	if err != nil {
		return nil, err
	}
	t, err := decodeTerms(req.Params)
	if err != nil {
		return nil, err
	}
	return &hushv1.ConcealSecretRequest{
		Secret: secret, Ttl: t.ttl, Passphrase: t.passphrase,
		Recipients: t.recipients, ShareDomain: t.shareDomain, AuthenticityPayload: t.solution,
	}, nil
}

// DecodeGenerate decodes what GenerateFields declares.
func DecodeGenerate(req *call.Request) (*hushv1.GenerateSecretRequest, error) {
	t, err := decodeTerms(req.Params)
	if err != nil {
		return nil, err
	}
	length, err := decodeLength(req.Params)
	if err != nil {
		return nil, err
	}
	sets, err := decodeCharacterSets(req.Params)
	if err != nil {
		return nil, err
	}
	return &hushv1.GenerateSecretRequest{
		Ttl: t.ttl, Passphrase: t.passphrase, Recipients: t.recipients,
		ShareDomain: t.shareDomain, Length: length, CharacterSets: sets, AuthenticityPayload: t.solution,
	}, nil
}

func decodeLength(p params.Params) (int32, error) {
	text, err := p.Text("length")
	if err != nil || text == "" {
		return 0, err
	}
	length, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, refusal.Invalid("length must be a whole number")
	}
	return int32(length), nil
}

// decodeCharacterSets returns nil if no set is selected.
func decodeCharacterSets(p params.Params) (*hushv1.CharacterSets, error) {
	sets, chosen := new(hushv1.CharacterSets), false
	for _, set := range []struct {
		name string
		on   *bool
	}{
		{"uppercase", &sets.Uppercase},
		{"lowercase", &sets.Lowercase},
		{"numbers", &sets.Numbers},
		{"symbols", &sets.Symbols},
		{"exclude_ambiguous", &sets.ExcludeAmbiguous},
	} {
		on, err := p.Flag("character_sets[" + set.name + "]")
		if err != nil {
			return nil, err
		}
		*set.on, chosen = on, chosen || on
	}
	if !chosen {
		return nil, nil
	}
	return sets, nil
}

// DecodeReveal decodes the reveal of the secret whose key is in the path.
func DecodeReveal(req *call.Request) (*hushv1.RevealSecretRequest, error) {
	passphrase, err := req.Params.Text("passphrase")
	if err != nil {
		return nil, err
	}
	return &hushv1.RevealSecretRequest{SecretKey: req.Key, Passphrase: passphrase}, nil
}

// DecodeBurn decodes the burning of the secret whose receipt's key is in the path.
func DecodeBurn(req *call.Request) (*hushv1.BurnSecretRequest, error) {
	passphrase, err := req.Params.Text("passphrase")
	if err != nil {
		return nil, err
	}
	return &hushv1.BurnSecretRequest{MetadataKey: req.Key, Passphrase: passphrase, RequirePassphrase: true}, nil
}

// DecodeGetMetadata asks for the receipt whose key is in the path.
func DecodeGetMetadata(req *call.Request) (*hushv1.GetMetadataRequest, error) {
	return &hushv1.GetMetadataRequest{MetadataKey: req.Key}, nil
}

// DecodeRecent asks for the caller's receipts.
func DecodeRecent(*call.Request) (*hushv1.ListMetadataRequest, error) {
	return &hushv1.ListMetadataRequest{PageSize: recentPage}, nil
}

// Generates returns a choice by kind.
func Generates() call.Choice {
	return call.Choice{Fields: params.Optional(params.FormText, "kind"), Yes: func(req *call.Request) (bool, error) {
		kind, err := req.Params.Text("kind")
		return kind == "generate", err
	}}
}
