package version

import (
	"slices"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/params"
)

// recentPage is the number of receipts in a list: the maximum of one call.
const recentPage = 500

// SecretField is the parameter with the text to conceal.
func SecretField() params.Field {
	return params.Field{Name: "secret", Form: params.FormVerbatim, Becomes: "secret", Required: true}
}

// LifetimeField is the parameter with how long a secret that is concealed may wait.
func LifetimeField() params.Field {
	return params.Field{Name: "ttl", Form: params.FormDuration, Becomes: "ttl", Guarded: true, About: lifetimeText}
}

const lifetimeText = "The lifetime: a number of seconds, or a number with a unit, as in `90s`, `15m`, `1h`, `3d` or `1w`. " +
	"Less than a minute becomes a minute, and more than the caller's maximum becomes the maximum. Empty, 0 and -1 become 7 days, and any other value is refused."

// NewPassphraseField is the parameter with the passphrase that protects a secret from
// now on.
func NewPassphraseField() params.Field {
	return params.Field{Name: "passphrase", Form: params.FormSpoken, Becomes: "passphrase", Guarded: true}
}

// PassphraseField is the parameter with the passphrase of a secret.
func PassphraseField() params.Field {
	return params.Field{Name: "passphrase", Form: params.FormText, Becomes: "passphrase", Guarded: true}
}

// SolutionField is the parameter with the solution of a challenge.
func SolutionField() params.Field {
	return params.Field{Name: "authenticity_payload", Form: params.FormText, Becomes: "authenticity_payload"}
}

// termsFields are the common options of concealing and generating.
func termsFields() []params.Field {
	return []params.Field{
		LifetimeField(),
		NewPassphraseField(),
		{Name: "recipient", Form: params.FormTexts, Becomes: "recipients", Guarded: true},
		{Name: "share_domain", Form: params.FormText, Becomes: "share_domain"},
		SolutionField(),
	}
}

// ConcealInput is what concealing a text takes.
func ConcealInput() call.Input[hushv1.ConcealSecretRequest] {
	return call.Fill(call.Nothing[hushv1.ConcealSecretRequest], append([]params.Field{SecretField()}, termsFields()...)...)
}

// GenerateInput is what generating a secret takes. Without a character set, the
// service's own choice applies.
func GenerateInput() call.Input[hushv1.GenerateSecretRequest] {
	return call.Fill(call.Nothing[hushv1.GenerateSecretRequest], slices.Concat(termsFields(), []params.Field{
		{Name: "length", Form: params.FormInteger, Becomes: "length"},
		{Name: "character_sets[uppercase]", Form: params.FormFlag, Becomes: "character_sets.uppercase"},
		{Name: "character_sets[lowercase]", Form: params.FormFlag, Becomes: "character_sets.lowercase"},
		{Name: "character_sets[numbers]", Form: params.FormFlag, Becomes: "character_sets.numbers"},
		{Name: "character_sets[symbols]", Form: params.FormFlag, Becomes: "character_sets.symbols"},
		{Name: "character_sets[exclude_ambiguous]", Form: params.FormFlag, Becomes: "character_sets.exclude_ambiguous"},
	})...)
}

// Generates returns a choice by kind.
func Generates() call.Choice {
	kind := params.Field{
		Name: "kind", Form: params.FormText,
		About: "`generate` generates the secret; any other value conceals `secret`.",
	}
	return call.Choice{Fields: []params.Field{kind}, Yes: func(req *call.Request) (bool, error) {
		value, err := req.Params.Text(kind.Name)
		return value == "generate", err
	}}
}

// RevealInput is what revealing the secret whose key is in the path takes.
func RevealInput() call.Input[hushv1.RevealSecretRequest] {
	return call.Fill(func(req *call.Request) (*hushv1.RevealSecretRequest, error) {
		return &hushv1.RevealSecretRequest{SecretKey: req.Key}, nil
	}, PassphraseField())
}

// BurnInput is what burning the secret whose receipt's key is in the path takes.
func BurnInput() call.Input[hushv1.BurnSecretRequest] {
	return call.Fill(DecodeBurn, PassphraseField())
}

// DecodeBurn requires the passphrase of a secret that has one.
func DecodeBurn(req *call.Request) (*hushv1.BurnSecretRequest, error) {
	return &hushv1.BurnSecretRequest{MetadataKey: req.Key, RequirePassphrase: true}, nil
}

// DecodeGetMetadata asks for the receipt whose key is in the path.
func DecodeGetMetadata(req *call.Request) (*hushv1.GetMetadataRequest, error) {
	return &hushv1.GetMetadataRequest{MetadataKey: req.Key}, nil
}

// DecodeRecent asks for the caller's receipts.
func DecodeRecent(*call.Request) (*hushv1.ListMetadataRequest, error) {
	return &hushv1.ListMetadataRequest{PageSize: recentPage}, nil
}
