package routes

import (
	"strconv"

	"google.golang.org/protobuf/types/known/durationpb"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/params"
	"hush/routes/refusal"
)

// recentPage is how many receipts a list shows: the most that one call answers.
const recentPage = 500

// nothing decodes requests without fields.
func nothing[Req any](*request) (*Req, error) {
	return new(Req), nil
}

// terms is what concealing and generating have in common.
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
	if t.passphrase, err = p.Text("passphrase"); err != nil {
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

func decodeConceal(req *request) (*hushv1.ConcealSecretRequest, error) {
	secret, err := req.params.Verbatim("secret")
	if err != nil {
		return nil, err
	}
	t, err := decodeTerms(req.params)
	if err != nil {
		return nil, err
	}
	return &hushv1.ConcealSecretRequest{
		Secret: secret, Ttl: t.ttl, Passphrase: t.passphrase,
		Recipients: t.recipients, ShareDomain: t.shareDomain, AuthenticityPayload: t.solution,
	}, nil
}

func decodeGenerate(req *request) (*hushv1.GenerateSecretRequest, error) {
	t, err := decodeTerms(req.params)
	if err != nil {
		return nil, err
	}
	length, err := decodeLength(req.params)
	if err != nil {
		return nil, err
	}
	sets, err := decodeCharacterSets(req.params)
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

// decodeCharacterSets answers nil if none is chosen.
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

func decodeGetSecret(req *request) (*hushv1.GetSecretRequest, error) {
	return &hushv1.GetSecretRequest{SecretKey: req.key}, nil
}

func decodeReveal(req *request) (*hushv1.RevealSecretRequest, error) {
	passphrase, err := req.params.Text("passphrase")
	if err != nil {
		return nil, err
	}
	return &hushv1.RevealSecretRequest{SecretKey: req.key, Passphrase: passphrase}, nil
}

func decodeBurn(req *request) (*hushv1.BurnSecretRequest, error) {
	passphrase, err := req.params.Text("passphrase")
	if err != nil {
		return nil, err
	}
	return &hushv1.BurnSecretRequest{MetadataKey: req.key, Passphrase: passphrase}, nil
}

// decodeSureBurn is for callers who have to say that they mean it.
func decodeSureBurn(req *request) (*hushv1.BurnSecretRequest, error) {
	sure, err := isContinued(req)
	if err != nil {
		return nil, err
	}
	if !sure {
		return nil, refusal.Invalid("Secret could not be burned.")
	}
	return decodeBurn(req)
}

func decodeSecretStatus(req *request) (*hushv1.GetSecretStatusRequest, error) {
	return &hushv1.GetSecretStatusRequest{SecretKey: req.key}, nil
}

// decodeSecretStatuses reads keys as texts with commas and as lists.
func decodeSecretStatuses(req *request) (*hushv1.ListSecretStatusRequest, error) {
	keys, err := req.params.Keys("keys", "identifiers")
	return &hushv1.ListSecretStatusRequest{SecretKeys: keys}, err
}

func decodeGetMetadata(req *request) (*hushv1.GetMetadataRequest, error) {
	return &hushv1.GetMetadataRequest{MetadataKey: req.key}, nil
}

func decodeRecent(*request) (*hushv1.ListMetadataRequest, error) {
	return &hushv1.ListMetadataRequest{PageSize: recentPage}, nil
}

// decodeMemo wants the note to be there: an empty one removes the note, none at
// all is a mistake.
func decodeMemo(req *request) (*hushv1.UpdateMetadataRequest, error) {
	memo, err := req.params.Optional("memo")
	if err != nil {
		return nil, err
	}
	if memo == nil {
		return nil, refusal.Invalid("memo is missing")
	}
	return &hushv1.UpdateMetadataRequest{MetadataKey: req.key, Memo: *memo}, nil
}

// decodeShrimp prefers the header, as old clients do.
func decodeShrimp(req *request) (*hushv1.ValidateShrimpRequest, error) {
	if shrimp := req.header.Get("O-Shrimp"); shrimp != "" {
		return &hushv1.ValidateShrimpRequest{Shrimp: shrimp}, nil
	}
	shrimp, err := req.params.Text("shrimp")
	if err != nil {
		return nil, err
	}
	return &hushv1.ValidateShrimpRequest{Shrimp: shrimp}, nil
}

// isGenerate chooses by kind.
func isGenerate(req *request) (bool, error) {
	kind, err := req.params.Text("kind")
	return kind == "generate", err
}

// isContinued chooses by a true continue. Anything else is a no: what it
// guards cannot be undone.
func isContinued(req *request) (bool, error) {
	sure, err := req.params.Text("continue")
	return sure == "true", err
}
