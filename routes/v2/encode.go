package v2

import (
	"slices"
	"time"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/version"
)

// concealRecord has the receipt twice, for clients of two ages.
type concealRecord struct {
	Metadata    metadataRecord `json:"metadata"`
	Receipt     metadataRecord `json:"receipt"`
	Secret      secretRecord   `json:"secret"`
	ShareDomain string         `json:"share_domain"`
}

type concealDetails struct {
	Kind          string   `json:"kind"`
	Recipient     []string `json:"recipient"`
	RecipientSafe []string `json:"recipient_safe"`
	SecretValue   *string  `json:"secret_value"`
}

func (v vocabulary) encodeConceal(req *call.Request, res *hushv1.ConcealSecretResponse) any {
	return v.concealed(req, "conceal", res.GetMetadata(), res.GetSecret(), nil)
}

// encodeGenerate also returns the value, which no later response about the receipt
// does.
func (v vocabulary) encodeGenerate(req *call.Request, res *hushv1.GenerateSecretResponse) any {
	return v.concealed(req, "generate", res.GetMetadata(), res.GetSecret(), new(res.GetValue()))
}

func (v vocabulary) concealed(req *call.Request, kind string, m *hushv1.Metadata, s *hushv1.Secret, value *string) envelope {
	metadata := newMetadataRecord(v, req.Links, m)
	return newEnvelope(req,
		concealRecord{
			Metadata: metadata, Receipt: metadata,
			Secret:      newSecretRecord(v, req.Links, s),
			ShareDomain: m.GetShareDomain(),
		},
		newConcealDetails(kind, m, value))
}

func newConcealDetails(kind string, m *hushv1.Metadata, value *string) concealDetails {
	recipients := version.NotNull(m.GetRecipients())
	return concealDetails{Kind: kind, Recipient: recipients, RecipientSafe: recipients, SecretValue: value}
}

func (v vocabulary) encodeGetMetadata(req *call.Request, res *hushv1.GetMetadataResponse) any {
	return v.receipt(req, res.GetMetadata())
}

func (v vocabulary) encodeUpdateMetadata(req *call.Request, res *hushv1.UpdateMetadataResponse) any {
	return v.receipt(req, res.GetMetadata())
}

func (v vocabulary) receipt(req *call.Request, m *hushv1.Metadata) envelope {
	return newEnvelope(req, newMetadataRecord(v, req.Links, m), newMetadataDetails(m, req.Now))
}

// burnRecord is a receipt that also contains itself, because clients of
// different ages look in different places.
type burnRecord struct {
	metadataRecord
	Metadata metadataRecord `json:"metadata"`
	Receipt  metadataRecord `json:"receipt"`
}

func (v vocabulary) encodeBurn(req *call.Request, res *hushv1.BurnSecretResponse) any {
	m := res.GetMetadata()
	metadata := newMetadataRecord(v, req.Links, m)
	details := newMetadataDetails(m, req.Now)
	details.Title = "Secret burned"
	return newEnvelope(req, burnRecord{metadata, metadata, metadata}, details)
}

// recentDetails has the records once more, by whether their secrets were destroyed: in
// the later vocabulary under two names.
type recentDetails struct {
	Type             string           `json:"type"`
	Since            int64            `json:"since"`
	Now              int64            `json:"now"`
	HasItems         bool             `json:"has_items"`
	Received         []metadataRecord `json:"received"`
	Notreceived      []metadataRecord `json:"notreceived"`
	RevealedReceipts []metadataRecord `json:"revealed_receipts,omitzero"`
	PendingReceipts  []metadataRecord `json:"pending_receipts,omitzero"`
}

// recentSince is how far back version 2 claims that its lists reach.
const recentSince = 30 * 24 * time.Hour

// encodeRecent lists receipts by their last change, latest first.
func (v vocabulary) encodeRecent(req *call.Request, res *hushv1.ListMetadataResponse) any {
	records := make([]metadataRecord, 0, len(res.GetMetadata()))
	details := recentDetails{
		Type: "list", Since: req.Now.Add(-recentSince).Unix(), Now: req.Now.Unix(),
		Received: []metadataRecord{}, Notreceived: []metadataRecord{},
	}
	for _, m := range latestFirst(res.GetMetadata()) {
		item := newMetadataRecord(v, req.Links, m).withoutSecretKey()
		records = append(records, item)
		details.add(item)
	}
	details.HasItems = len(records) > 0
	if v == laterWords {
		details.RevealedReceipts, details.PendingReceipts = details.Received, details.Notreceived
	}
	return newListEnvelope(req, records, details)
}

// latestFirst returns receipts by their last change, latest first, and those that changed
// at the same moment as they are in list.
func latestFirst(list []*hushv1.Metadata) []*hushv1.Metadata {
	return slices.SortedStableFunc(slices.Values(list), func(a, b *hushv1.Metadata) int {
		return b.GetUpdateTime().AsTime().Compare(a.GetUpdateTime().AsTime())
	})
}

func (d *recentDetails) add(item metadataRecord) {
	if item.IsDestroyed {
		d.Received = append(d.Received, item)
	} else {
		d.Notreceived = append(d.Notreceived, item)
	}
}
