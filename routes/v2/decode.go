package v2

import (
	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/params"
	"hush/routes/refusal"
	"hush/routes/version"
)

func keysFields() []params.Field { return params.Optional(params.FormKeys, "keys", "identifiers") }

func decodeGetSecret(req *call.Request) (*hushv1.GetSecretRequest, error) {
	return &hushv1.GetSecretRequest{SecretKey: req.Key}, nil
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
	return version.DecodeBurn(req)
}

func decodeSecretStatus(req *call.Request) (*hushv1.GetSecretStatusRequest, error) {
	return &hushv1.GetSecretStatusRequest{SecretKey: req.Key}, nil
}

// decodeSecretStatuses accepts keys as lists and as comma-separated texts.
func decodeSecretStatuses(req *call.Request) (*hushv1.ListSecretStatusRequest, error) {
	keys, err := req.Params.Keys("keys", "identifiers")
	return &hushv1.ListSecretStatusRequest{SecretKeys: keys}, err
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
