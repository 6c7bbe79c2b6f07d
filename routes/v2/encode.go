package v2

import (
	"slices"
	"time"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/version"
)

// v2ConcealRecord has the receipt twice, for clients of two ages.
type v2ConcealRecord struct {
	Metadata    v2Metadata `json:"metadata"`
	Receipt     v2Metadata `json:"receipt"`
	Secret      v2Secret   `json:"secret"`
	ShareDomain string     `json:"share_domain"`
}

type v2ConcealDetails struct {
	Kind          string   `json:"kind"`
	Recipient     []string `json:"recipient"`
	RecipientSafe []string `json:"recipient_safe"`
	SecretValue   *string  `json:"secret_value"`
}

func (v vocabulary) v2Conceal(req *call.Request, res *hushv1.ConcealSecretResponse) any {
	return v.concealed(req, "conceal", res.GetMetadata(), res.GetSecret(), nil)
}

// v2Generate also returns the value, which no later response about the receipt
// does.
func (v vocabulary) v2Generate(req *call.Request, res *hushv1.GenerateSecretResponse) any {
	return v.concealed(req, "generate", res.GetMetadata(), res.GetSecret(), new(res.GetValue()))
}

func (v vocabulary) concealed(req *call.Request, kind string, m *hushv1.Metadata, s *hushv1.Secret, value *string) v2Envelope {
	metadata := newV2Metadata(v, req.Links, m)
	return envelope(req,
		v2ConcealRecord{
			Metadata: metadata, Receipt: metadata,
			Secret:      newV2Secret(v, req.Links, s),
			ShareDomain: m.GetShareDomain(),
		},
		newV2ConcealDetails(kind, m, value))
}

func newV2ConcealDetails(kind string, m *hushv1.Metadata, value *string) v2ConcealDetails {
	recipients := version.NotNull(m.GetRecipients())
	return v2ConcealDetails{Kind: kind, Recipient: recipients, RecipientSafe: recipients, SecretValue: value}
}

func (v vocabulary) v2GetMetadata(req *call.Request, res *hushv1.GetMetadataResponse) any {
	return v.receipt(req, res.GetMetadata())
}

func (v vocabulary) v2UpdateMetadata(req *call.Request, res *hushv1.UpdateMetadataResponse) any {
	return v.receipt(req, res.GetMetadata())
}

func (v vocabulary) receipt(req *call.Request, m *hushv1.Metadata) v2Envelope {
	return envelope(req, newV2Metadata(v, req.Links, m), newV2MetadataDetails(m, req.Now))
}

// v2BurnRecord is a receipt that also contains itself, because clients of
// different ages look in different places.
type v2BurnRecord struct {
	v2Metadata
	Metadata v2Metadata `json:"metadata"`
	Receipt  v2Metadata `json:"receipt"`
}

func (v vocabulary) v2Burn(req *call.Request, res *hushv1.BurnSecretResponse) any {
	m := res.GetMetadata()
	metadata := newV2Metadata(v, req.Links, m)
	details := newV2MetadataDetails(m, req.Now)
	details.Title = "Secret burned"
	return envelope(req, v2BurnRecord{metadata, metadata, metadata}, details)
}

// v2RecentDetails has the records once more, by whether their secrets were destroyed: in
// the later vocabulary under two names.
type v2RecentDetails struct {
	Type             string       `json:"type"`
	Since            int64        `json:"since"`
	Now              int64        `json:"now"`
	HasItems         bool         `json:"has_items"`
	Received         []v2Metadata `json:"received"`
	Notreceived      []v2Metadata `json:"notreceived"`
	RevealedReceipts []v2Metadata `json:"revealed_receipts,omitzero"`
	PendingReceipts  []v2Metadata `json:"pending_receipts,omitzero"`
}

// recentSince is how far back version 2 claims that its lists reach.
const recentSince = 30 * 24 * time.Hour

// v2Recent lists receipts by their last change, latest first.
func (v vocabulary) v2Recent(req *call.Request, res *hushv1.ListMetadataResponse) any {
	records := make([]v2Metadata, 0, len(res.GetMetadata()))
	details := v2RecentDetails{
		Type: "list", Since: req.Now.Add(-recentSince).Unix(), Now: req.Now.Unix(),
		Received: []v2Metadata{}, Notreceived: []v2Metadata{},
	}
	for _, m := range latestFirst(res.GetMetadata()) {
		item := newV2Metadata(v, req.Links, m).withoutSecretKey()
		records = append(records, item)
		details.add(item)
	}
	details.HasItems = len(records) > 0
	if v == laterWords {
		details.RevealedReceipts, details.PendingReceipts = details.Received, details.Notreceived
	}
	return listing(req, records, details)
}

// latestFirst returns receipts by their last change, latest first, and those that changed
// at the same moment as they are in list.
func latestFirst(list []*hushv1.Metadata) []*hushv1.Metadata {
	return slices.SortedStableFunc(slices.Values(list), func(a, b *hushv1.Metadata) int {
		return b.GetUpdateTime().AsTime().Compare(a.GetUpdateTime().AsTime())
	})
}

func (d *v2RecentDetails) add(item v2Metadata) {
	if item.IsDestroyed {
		d.Received = append(d.Received, item)
	} else {
		d.Notreceived = append(d.Notreceived, item)
	}
}
