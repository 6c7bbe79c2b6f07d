package routes

import (
	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
)

type v1StatusAnswer struct {
	Status string `json:"status"`
	Locale string `json:"locale"`
}

// v1MetadataAnswer is a receipt. Members that do not apply are left out; none
// is ever null.
type v1MetadataAnswer struct {
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
}

type v1RevealAnswer struct {
	Value       string `json:"value"`
	SecretKey   string `json:"secret_key"`
	ShareDomain string `json:"share_domain"`
}

type v1BurnAnswer struct {
	State          v1MetadataAnswer `json:"state"`
	SecretShortkey string           `json:"secret_shortkey"`
}

func v1Status(_ *call.Request, res *hushv1.GetStatusResponse) any {
	return v1StatusAnswer{Status: res.GetStatus(), Locale: res.GetLocale()}
}

func v1Authcheck(req *call.Request, _ *hushv1.AuthcheckResponse) any {
	return v1StatusAnswer{Status: "nominal", Locale: string(req.Visitor.Locale)}
}

func v1Metadata(m *hushv1.Metadata) v1MetadataAnswer {
	answer := v1MetadataAnswer{
		Custid:      custid(m.GetCustid()),
		MetadataKey: m.GetMetadataKey(),
		TTL:         m.GetTtl().GetSeconds(),
		MetadataTTL: m.GetTtlLeft().GetSeconds(),
		State:       stateWord(m.GetState()),
		Updated:     epoch(m.GetUpdateTime()),
		Created:     epoch(m.GetCreateTime()),
		Recipient:   notNull(m.GetRecipients()),
		ShareDomain: m.GetShareDomain(),
	}
	if waits(m.GetState()) {
		answer.SecretKey = m.GetSecretKey()
		answer.SecretTTL = secondsOrNull(m.GetSecretTtlLeft())
		answer.PassphraseRequired = new(m.GetHasPassphrase())
	}
	if m.GetState() == hushv1.State_STATE_RECEIVED {
		answer.Received = epochOrNull(m.GetReceiveTime())
	}
	return answer
}

func v1Conceal(_ *call.Request, res *hushv1.ConcealSecretResponse) any {
	return v1Metadata(res.GetMetadata())
}

func v1Generate(_ *call.Request, res *hushv1.GenerateSecretResponse) any {
	answer := v1Metadata(res.GetMetadata())
	answer.Value = new(res.GetValue())
	return answer
}

func v1GetMetadata(_ *call.Request, res *hushv1.GetMetadataResponse) any {
	return v1Metadata(res.GetMetadata())
}

func v1Recent(_ *call.Request, res *hushv1.ListMetadataResponse) any {
	answer := make([]v1MetadataAnswer, 0, len(res.GetMetadata()))
	for _, m := range res.GetMetadata() {
		item := v1Metadata(m)
		item.SecretKey = "" // a list of keys would be a list of secrets
		answer = append(answer, item)
	}
	return answer
}

func v1Reveal(req *call.Request, res *hushv1.RevealSecretResponse) any {
	return v1RevealAnswer{
		Value:       res.GetValue(),
		SecretKey:   req.Key,
		ShareDomain: req.Links.Origin(res.GetSecret().GetShareDomain()),
	}
}

func v1Burn(_ *call.Request, res *hushv1.BurnSecretResponse) any {
	return v1BurnAnswer{
		State:          v1Metadata(res.GetMetadata()),
		SecretShortkey: res.GetMetadata().GetSecretShortkey(),
	}
}
