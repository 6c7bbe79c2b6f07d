package routes

import (
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/durationpb"

	hushv1 "hush/gen/hush/v1"
)

// recentPage is how many receipts a list shows: the most that one call answers.
const recentPage = 500

// nothing decodes requests without fields.
func nothing[Req any](*exchange) (*Req, error) {
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

func decodeConceal(x *exchange) (*hushv1.ConcealSecretRequest, error) {
	secret, _, err := x.params.scalar("secret")
	if err != nil {
		return nil, err
	}
	if secret.literal {
		return nil, errSecretText()
	}
	t, err := decodeTerms(x.params)
	if err != nil {
		return nil, err
	}
	return &hushv1.ConcealSecretRequest{
		Secret: secret.text, Ttl: t.ttl, Passphrase: t.passphrase,
		Recipients: t.recipients, ShareDomain: t.shareDomain, AuthenticityPayload: t.solution,
	}, nil
}

func decodeGenerate(x *exchange) (*hushv1.GenerateSecretRequest, error) {
	t, err := decodeTerms(x.params)
	if err != nil {
		return nil, err
	}
	length, err := decodeLength(x.params)
	if err != nil {
		return nil, err
	}
	sets, err := decodeCharacterSets(x.params)
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
		return 0, invalid("length must be a whole number")
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

func decodeGetSecret(x *exchange) (*hushv1.GetSecretRequest, error) {
	return &hushv1.GetSecretRequest{SecretKey: x.key}, nil
}

func decodeReveal(x *exchange) (*hushv1.RevealSecretRequest, error) {
	passphrase, err := x.params.text("passphrase")
	if err != nil {
		return nil, err
	}
	return &hushv1.RevealSecretRequest{SecretKey: x.key, Passphrase: passphrase}, nil
}

func decodeBurn(x *exchange) (*hushv1.BurnSecretRequest, error) {
	passphrase, err := x.params.text("passphrase")
	if err != nil {
		return nil, err
	}
	return &hushv1.BurnSecretRequest{MetadataKey: x.key, Passphrase: passphrase}, nil
}

// decodeSureBurn is for callers who have to say that they mean it.
func decodeSureBurn(x *exchange) (*hushv1.BurnSecretRequest, error) {
	sure, err := isContinued(x)
	if err != nil {
		return nil, err
	}
	if !sure {
		return nil, invalid("Secret could not be burned.")
	}
	return decodeBurn(x)
}

func decodeSecretStatus(x *exchange) (*hushv1.GetSecretStatusRequest, error) {
	return &hushv1.GetSecretStatusRequest{SecretKey: x.key}, nil
}

// decodeSecretStatuses reads keys as texts with commas and as lists.
func decodeSecretStatuses(x *exchange) (*hushv1.ListSecretStatusRequest, error) {
	keys, err := decodeKeys(x.params)
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
				return nil, invalid("%s: must contain no more than 25 item(s)", name)
			}
			keys = append(keys, splitKeys(text)...)
		}
	}
	return keys, nil
}

func splitKeys(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

func decodeGetMetadata(x *exchange) (*hushv1.GetMetadataRequest, error) {
	return &hushv1.GetMetadataRequest{MetadataKey: x.key}, nil
}

func decodeRecent(*exchange) (*hushv1.ListMetadataRequest, error) {
	return &hushv1.ListMetadataRequest{PageSize: recentPage}, nil
}

// decodeMemo wants the note to be there: an empty one removes the note, none at
// all is a mistake.
func decodeMemo(x *exchange) (*hushv1.UpdateMetadataRequest, error) {
	memo, ok, err := x.params.scalar("memo")
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, invalid("memo is missing")
	}
	return &hushv1.UpdateMetadataRequest{MetadataKey: x.key, Memo: memo.text}, nil
}

// decodeShrimp prefers the header, as old clients do.
func decodeShrimp(x *exchange) (*hushv1.ValidateShrimpRequest, error) {
	if shrimp := x.header.Get("O-Shrimp"); shrimp != "" {
		return &hushv1.ValidateShrimpRequest{Shrimp: shrimp}, nil
	}
	shrimp, err := x.params.text("shrimp")
	if err != nil {
		return nil, err
	}
	return &hushv1.ValidateShrimpRequest{Shrimp: shrimp}, nil
}

// isGenerate chooses by kind.
func isGenerate(x *exchange) (bool, error) {
	kind, err := x.params.text("kind")
	return kind == "generate", err
}

// isContinued chooses by a true continue. Anything else is a no: what it
// guards cannot be undone.
func isContinued(x *exchange) (bool, error) {
	sure, err := x.params.text("continue")
	return sure == "true", err
}
