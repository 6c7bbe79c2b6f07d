package v2

import (
	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/params"
	"hush/routes/refusal"
	"hush/routes/version"
)

func decodeGetSecret(req *call.Request) (*hushv1.GetSecretRequest, error) {
	return &hushv1.GetSecretRequest{SecretKey: req.Key}, nil
}

// reveals returns the choice between the reveal of a secret and its description.
func reveals() call.Choice {
	return call.Continues("True reveals the secret. Otherwise the response describes it, and nothing is consumed.")
}

// sureBurnInput is what burning takes from callers who must confirm.
func sureBurnInput() call.Input[hushv1.BurnSecretRequest] {
	sure := call.Continues("Must be true, because the effect cannot be undone.")
	field := sure.Fields[0]
	field.Required = true
	return call.Fill(func(req *call.Request) (*hushv1.BurnSecretRequest, error) {
		yes, err := sure.Yes(req)
		if err != nil {
			return nil, err
		}
		if !yes {
			return nil, refusal.Invalid("Secret could not be burned.")
		}
		return version.DecodeBurn(req)
	}, field, version.PassphraseField())
}

func decodeSecretStatus(req *call.Request) (*hushv1.GetSecretStatusRequest, error) {
	return &hushv1.GetSecretStatusRequest{SecretKey: req.Key}, nil
}

// keysFields are the parameters with keys, under the names that clients of different
// ages use, for a message that has them in a field. They are lists or comma-separated
// texts.
func keysFields(field string) []params.Field {
	return []params.Field{
		{Name: "keys", Form: params.FormKeys, Becomes: field, About: "1 to 25 keys, as a list or separated by commas in one string."},
		{Name: "identifiers", Form: params.FormKeys, Becomes: field, About: "Another name for `keys`."},
	}
}

func secretStatusesInput() call.Input[hushv1.ListSecretStatusRequest] {
	return call.Fill(call.Nothing[hushv1.ListSecretStatusRequest], keysFields("secret_keys")...)
}

// memoInput requires the note: an empty one removes the note, and a missing one is an error.
func memoInput() call.Input[hushv1.UpdateMetadataRequest] {
	field := params.Field{Name: "memo", Form: params.FormText, Becomes: "memo", Required: true}
	return call.Fill(func(req *call.Request) (*hushv1.UpdateMetadataRequest, error) {
		given, err := req.Params.Optional(field.Name)
		if err != nil {
			return nil, err
		}
		if given == nil {
			return nil, refusal.Invalid("memo is missing")
		}
		return &hushv1.UpdateMetadataRequest{MetadataKey: req.Key}, nil
	}, field)
}

func shrimpField() params.Field {
	return params.Field{
		Name: "shrimp", Form: params.FormText, Becomes: "shrimp",
		About: "The token to check. The header `O-Shrimp` takes precedence.",
	}
}

// shrimpInput prefers the header, as old clients do.
func shrimpInput() call.Input[hushv1.ValidateShrimpRequest] {
	return call.Fill(call.Nothing[hushv1.ValidateShrimpRequest], shrimpField()).Checked(func(req *call.Request, into *hushv1.ValidateShrimpRequest) error {
		if sent := req.Header.Get("O-Shrimp"); sent != "" {
			into.Shrimp = sent
		}
		return nil
	})
}
