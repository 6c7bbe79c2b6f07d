package routes

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

// The parameters of the decoders below.
func concealFields() []params.Field {
	return slices.Concat(params.Required(params.FormText, "secret"), termsFields())
}

func generateFields() []params.Field {
	return slices.Concat(
		params.Optional(params.FormInteger, "length"),
		params.Optional(params.FormFlag, "character_sets[uppercase]", "character_sets[lowercase]", "character_sets[numbers]",
			"character_sets[symbols]", "character_sets[exclude_ambiguous]"),
		termsFields())
}

func termsFields() []params.Field {
	return slices.Concat(
		params.Optional(params.FormDuration, "ttl"),
		params.Optional(params.FormText, "passphrase", "share_domain", payload),
		params.Optional(params.FormTexts, "recipient"))
}

func passphraseField() []params.Field { return params.Optional(params.FormText, "passphrase") }

func keysFields() []params.Field { return params.Optional(params.FormKeys, "keys", "identifiers") }

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
	t.solution, err = p.Text(payload)
	return t, err
}

func decodeConceal(req *call.Request) (*hushv1.ConcealSecretRequest, error) {
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

func decodeGenerate(req *call.Request) (*hushv1.GenerateSecretRequest, error) {
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

func decodeGetSecret(req *call.Request) (*hushv1.GetSecretRequest, error) {
	return &hushv1.GetSecretRequest{SecretKey: req.Key}, nil
}

func decodeReveal(req *call.Request) (*hushv1.RevealSecretRequest, error) {
	passphrase, err := req.Params.Text("passphrase")
	if err != nil {
		return nil, err
	}
	return &hushv1.RevealSecretRequest{SecretKey: req.Key, Passphrase: passphrase}, nil
}

func decodeBurn(req *call.Request) (*hushv1.BurnSecretRequest, error) {
	passphrase, err := req.Params.Text("passphrase")
	if err != nil {
		return nil, err
	}
	return &hushv1.BurnSecretRequest{MetadataKey: req.Key, Passphrase: passphrase, RequirePassphrase: true}, nil
}

// decodeSureBurn is for callers who must confirm.
func decodeSureBurn(req *call.Request) (*hushv1.BurnSecretRequest, error) {
	sure, err := call.Continues().Yes(req)
	if err != nil {
		return nil, err
	}
	if !sure {
		return nil, refusal.Invalid("Secret could not be burned.")
	}
	return decodeBurn(req)
}

func decodeSecretStatus(req *call.Request) (*hushv1.GetSecretStatusRequest, error) {
	return &hushv1.GetSecretStatusRequest{SecretKey: req.Key}, nil
}

// decodeSecretStatuses accepts keys as lists and as comma-separated texts.
func decodeSecretStatuses(req *call.Request) (*hushv1.ListSecretStatusRequest, error) {
	keys, err := req.Params.Keys("keys", "identifiers")
	return &hushv1.ListSecretStatusRequest{SecretKeys: keys}, err
}

func decodeGetMetadata(req *call.Request) (*hushv1.GetMetadataRequest, error) {
	return &hushv1.GetMetadataRequest{MetadataKey: req.Key}, nil
}

func decodeRecent(*call.Request) (*hushv1.ListMetadataRequest, error) {
	return &hushv1.ListMetadataRequest{PageSize: recentPage}, nil
}

// decodeMemo requires the note: an empty one removes the note, and a missing
// one is an error.
func decodeMemo(req *call.Request) (*hushv1.UpdateMetadataRequest, error) {
	memo, err := req.Params.Optional("memo")
	if err != nil {
		return nil, err
	}
	if memo == nil {
		return nil, refusal.Invalid("memo is missing")
	}
	return &hushv1.UpdateMetadataRequest{MetadataKey: req.Key, Memo: *memo}, nil
}

// decodeShrimp prefers the header, as old clients do.
func decodeShrimp(req *call.Request) (*hushv1.ValidateShrimpRequest, error) {
	if shrimp := req.Header.Get("O-Shrimp"); shrimp != "" {
		return &hushv1.ValidateShrimpRequest{Shrimp: shrimp}, nil
	}
	shrimp, err := req.Params.Text("shrimp")
	if err != nil {
		return nil, err
	}
	return &hushv1.ValidateShrimpRequest{Shrimp: shrimp}, nil
}

// generates returns a choice by kind.
func generates() call.Choice {
	return call.Choice{Fields: params.Optional(params.FormText, "kind"), Yes: func(req *call.Request) (bool, error) {
		kind, err := req.Params.Text("kind")
		return kind == "generate", err
	}}
}
