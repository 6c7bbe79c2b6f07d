package v1

import (
	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/version"
)

// receiptAnswer is a receipt. Members that do not apply are left out; none
// is ever null. What follows ShareDomain are the address of the receipt's page and the
// names that later clients have for the members before it.
type receiptAnswer struct {
	Custid             string   `json:"custid"`
	MetadataKey        string   `json:"metadata_key"`
	SecretKey          string   `json:"secret_key,omitempty"`
	TTL                int64    `json:"ttl"`
	MetadataTTL        int64    `json:"metadata_ttl"`
	SecretTTL          *int64   `json:"secret_ttl,omitempty"`
	State              string   `json:"state"`
	Updated            int64    `json:"updated"`
	Created            int64    `json:"created"`
	Received           *int64   `json:"received,omitempty"`
	Recipient          []string `json:"recipient"`
	ShareDomain        string   `json:"share_domain"`
	Value              *string  `json:"value,omitempty"`
	PassphraseRequired *bool    `json:"passphrase_required,omitempty"`
	MetadataURL        string   `json:"metadata_url"`
	ReceiptURL         string   `json:"receipt_url"`
	Identifier         string   `json:"identifier"`
	SecretIdentifier   string   `json:"secret_identifier,omitempty"`
	ReceiptTTL         int64    `json:"receipt_ttl"`
	Recipients         []string `json:"recipients"`
	SecretValue        *string  `json:"secret_value,omitempty"`
	HasPassphrase      *bool    `json:"has_passphrase,omitempty"`
}

type revealAnswer struct {
	Value       string `json:"value"`
	SecretKey   string `json:"secret_key"`
	ShareDomain string `json:"share_domain"`
}

type burnAnswer struct {
	State          receiptAnswer `json:"state"`
	SecretShortkey string        `json:"secret_shortkey"`
}

func encodeAuthcheck(req *call.Request, _ *hushv1.AuthcheckResponse) any {
	return version.StatusAnswer{Status: "nominal", Locale: string(req.Visitor.Locale)}
}

func newReceiptAnswer(l call.Links, m *hushv1.Metadata) receiptAnswer {
	answer := receiptAnswer{
		Custid:      version.Custid(m.GetCustid()),
		MetadataKey: m.GetMetadataKey(),
		TTL:         m.GetTtl().GetSeconds(),
		MetadataTTL: m.GetTtlLeft().GetSeconds(),
		State:       version.StateWord(m.GetState()),
		Updated:     m.GetUpdateTime().GetSeconds(),
		Created:     m.GetCreateTime().GetSeconds(),
		Recipient:   version.NotNull(m.GetRecipients()),
		ShareDomain: m.GetShareDomain(),
		MetadataURL: l.Base() + "/private/" + m.GetMetadataKey(),
		ReceiptURL:  l.Base() + "/receipt/" + m.GetMetadataKey(),
		Identifier:  m.GetMetadataKey(),
		ReceiptTTL:  m.GetTtlLeft().GetSeconds(),
		Recipients:  version.NotNull(m.GetRecipients()),
	}
	if version.Waits(m.GetState()) {
		answer.SecretKey, answer.SecretIdentifier = m.GetSecretKey(), m.GetSecretKey()
		answer.SecretTTL = version.SecondsOrNull(m.GetSecretTtlLeft())
		answer.PassphraseRequired, answer.HasPassphrase = new(m.GetHasPassphrase()), new(m.GetHasPassphrase())
	}
	if m.GetState() == hushv1.State_STATE_RECEIVED {
		answer.Received = version.EpochOrNull(m.GetReceiveTime())
	}
	return answer
}

func encodeConceal(req *call.Request, res *hushv1.ConcealSecretResponse) any {
	return newReceiptAnswer(req.Links, res.GetMetadata())
}

func encodeGenerate(req *call.Request, res *hushv1.GenerateSecretResponse) any {
	answer := newReceiptAnswer(req.Links, res.GetMetadata())
	answer.Value, answer.SecretValue = new(res.GetValue()), new(res.GetValue())
	return answer
}

func encodeGetMetadata(req *call.Request, res *hushv1.GetMetadataResponse) any {
	return newReceiptAnswer(req.Links, res.GetMetadata())
}

func encodeRecent(req *call.Request, res *hushv1.ListMetadataResponse) any {
	answer := make([]receiptAnswer, 0, len(res.GetMetadata()))
	for _, m := range res.GetMetadata() {
		item := newReceiptAnswer(req.Links, m)
		item.SecretKey, item.SecretIdentifier = "", "" // a list of keys would be a list of secrets
		answer = append(answer, item)
	}
	return answer
}

func encodeReveal(req *call.Request, res *hushv1.RevealSecretResponse) any {
	return revealAnswer{
		Value:       res.GetValue(),
		SecretKey:   req.Key,
		ShareDomain: req.Links.Origin(res.GetSecret().GetShareDomain()),
	}
}

func encodeBurn(req *call.Request, res *hushv1.BurnSecretResponse) any {
	return burnAnswer{
		State:          newReceiptAnswer(req.Links, res.GetMetadata()),
		SecretShortkey: res.GetMetadata().GetSecretShortkey(),
	}
}
