package routes

import (
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/durationpb"

	hushv1 "hush/gen/hush/v1"
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

func decodeTerms(p params) (t terms, err error) {
	ttl, err := p.text("ttl")
	if err != nil {
		return t, err
	}
	t.ttl = parseTTL(ttl)
	if t.passphrase, err = p.text("passphrase"); err != nil {
		return t, err
	}
	if t.recipients, err = p.list("recipient"); err != nil {
		return t, err
	}
	if t.shareDomain, err = p.text("share_domain"); err != nil {
		return t, err
	}
	t.solution, err = p.text(payload)
	return t, err
}

func decodeConceal(req *request) (*hushv1.ConcealSecretRequest, error) {
	secret, _, err := req.params.scalar("secret")
	if err != nil {
		return nil, err
	}
	if secret.literal {
		return nil, errSecretText()
	}
	t, err := decodeTerms(req.params)
	if err != nil {
		return nil, err
	}
	return &hushv1.ConcealSecretRequest{
		Secret: secret.text, Ttl: t.ttl, Passphrase: t.passphrase,
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

func decodeLength(p params) (int32, error) {
	text, err := p.text("length")
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
func decodeCharacterSets(p params) (*hushv1.CharacterSets, error) {
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
		on, err := p.flag("character_sets[" + set.name + "]")
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
	passphrase, err := req.params.text("passphrase")
	if err != nil {
		return nil, err
	}
	return &hushv1.RevealSecretRequest{SecretKey: req.key, Passphrase: passphrase}, nil
}

func decodeBurn(req *request) (*hushv1.BurnSecretRequest, error) {
	passphrase, err := req.params.text("passphrase")
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
	keys, err := decodeKeys(req.params)
	return &hushv1.ListSecretStatusRequest{SecretKeys: keys}, err
}

func decodeKeys(p params) (keys []string, err error) {
	for _, name := range []string{"keys", "identifiers"} {
		texts, err := p.list(name)
		if err != nil {
			return nil, err
		}
		for _, text := range texts {
			if strings.Count(text, ",")+strings.Count(text, " ") > maxParams {
				return nil, refusal.Invalid("%s: must contain no more than 25 item(s)", name)
			}
			keys = append(keys, splitKeys(text)...)
		}
	}
	return keys, nil
}

func splitKeys(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
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
	memo, ok, err := req.params.scalar("memo")
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, refusal.Invalid("memo is missing")
	}
	return &hushv1.UpdateMetadataRequest{MetadataKey: req.key, Memo: memo.text}, nil
}

// decodeShrimp prefers the header, as old clients do.
func decodeShrimp(req *request) (*hushv1.ValidateShrimpRequest, error) {
	if shrimp := req.header.Get("O-Shrimp"); shrimp != "" {
		return &hushv1.ValidateShrimpRequest{Shrimp: shrimp}, nil
	}
	shrimp, err := req.params.text("shrimp")
	if err != nil {
		return nil, err
	}
	return &hushv1.ValidateShrimpRequest{Shrimp: shrimp}, nil
}

// isGenerate chooses by kind.
func isGenerate(req *request) (bool, error) {
	kind, err := req.params.text("kind")
	return kind == "generate", err
}

// isContinued chooses by a true continue. Anything else is a no: what it
// guards cannot be undone.
func isContinued(req *request) (bool, error) {
	sure, err := req.params.text("continue")
	return sure == "true", err
}
