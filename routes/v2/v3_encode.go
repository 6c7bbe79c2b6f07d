package v2

import (
	"slices"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/version"
)

// v3Receipt is a receipt as every answer of version 3 has it. What does not apply is
// null.
type v3Receipt struct {
	Identifier       string   `json:"identifier"`
	Key              string   `json:"key"`
	Shortid          string   `json:"shortid"`
	State            string   `json:"state"`
	OwnerID          *string  `json:"owner_id"`
	Created          int64    `json:"created"`
	Updated          int64    `json:"updated"`
	Shared           *int64   `json:"shared"`
	Previewed        *int64   `json:"previewed"`
	Revealed         *int64   `json:"revealed"`
	Burned           *int64   `json:"burned"`
	SecretTTL        int64    `json:"secret_ttl"`
	ReceiptTTL       int64    `json:"receipt_ttl"`
	Lifespan         int64    `json:"lifespan"`
	SecretShortid    string   `json:"secret_shortid"`
	SecretIdentifier *string  `json:"secret_identifier"`
	Recipients       []string `json:"recipients"`
	ShareDomain      *string  `json:"share_domain"`
	HasPassphrase    *bool    `json:"has_passphrase"`
	IsPreviewed      bool     `json:"is_previewed"`
	IsRevealed       bool     `json:"is_revealed"`
	IsBurned         bool     `json:"is_burned"`
	IsDestroyed      bool     `json:"is_destroyed"`
	IsExpired        bool     `json:"is_expired"`
	IsOrphaned       bool     `json:"is_orphaned"`
	Memo             *string  `json:"memo"`
}

func newV3Receipt(l call.Links, m *hushv1.Metadata) v3Receipt {
	r := newMetadataRecord(laterWords, l, m)
	return r.v3(m)
}

// v3 returns the receipt as version 3 has it. Unlike in version 2, a secret that expired
// is destroyed.
func (r *metadataRecord) v3(m *hushv1.Metadata) v3Receipt {
	record := v3Receipt{
		Identifier: r.Identifier, Key: r.Key, Shortid: r.Shortid, State: r.State, OwnerID: r.OwnerID,
		Created: r.Created, Updated: r.Updated, Shared: r.Shared, Previewed: r.Previewed, Revealed: r.Revealed, Burned: r.Burned,
		SecretTTL: r.SecretTTL, ReceiptTTL: r.ReceiptTTL, Lifespan: r.Lifespan,
		SecretShortid: r.SecretShortid, SecretIdentifier: textOrNull(r.SecretIdentifier),
		ShareDomain: textOrNull(r.ShareDomain), IsPreviewed: r.IsPreviewed, IsRevealed: r.IsRevealed, IsBurned: r.IsBurned,
		IsDestroyed: r.IsDestroyed || r.IsExpired, IsExpired: r.IsExpired, IsOrphaned: r.IsOrphaned, Memo: textOrNull(r.Memo),
	}
	if len(m.GetRecipients()) > 0 {
		record.Recipients = m.GetRecipients()
	}
	if version.Waits(m.GetState()) {
		record.HasPassphrase = new(m.GetHasPassphrase())
	}
	return record
}

// v3WholeReceipt is a receipt that was asked for alone.
type v3WholeReceipt struct {
	v3Receipt
	SecretState         *string `json:"secret_state"`
	NaturalExpiration   string  `json:"natural_expiration"`
	Expiration          int64   `json:"expiration"`
	ExpirationInSeconds int64   `json:"expiration_in_seconds"`
	SharePath           *string `json:"share_path"`
	BurnPath            string  `json:"burn_path"`
	ReceiptPath         string  `json:"receipt_path"`
	ShareURL            *string `json:"share_url"`
	ReceiptURL          string  `json:"receipt_url"`
	BurnURL             string  `json:"burn_url"`
}

func newV3WholeReceipt(l call.Links, m *hushv1.Metadata) v3WholeReceipt {
	r := newMetadataRecord(laterWords, l, m)
	return v3WholeReceipt{
		v3Receipt: r.v3(m), SecretState: r.SecretState,
		NaturalExpiration: r.NaturalExpiration, Expiration: r.Expiration, ExpirationInSeconds: r.ExpirationInSeconds,
		SharePath: textOrNull(r.SharePath), BurnPath: r.ReceiptPath + "/burn", ReceiptPath: r.ReceiptPath,
		ShareURL: textOrNull(r.ShareURL), ReceiptURL: r.ReceiptURL, BurnURL: r.ReceiptURL + "/burn",
	}
}

// v3ReceiptDetails say what pages about a receipt show or hide.
type v3ReceiptDetails struct {
	Type            string  `json:"type"`
	DisplayLines    int     `json:"display_lines"`
	NoCache         bool    `json:"no_cache"`
	SecretRealTTL   *int64  `json:"secret_realttl"`
	ViewCount       *int    `json:"view_count"`
	HasPassphrase   *bool   `json:"has_passphrase"`
	CanDecrypt      *bool   `json:"can_decrypt"`
	SecretValue     *string `json:"secret_value"`
	ShowSecret      bool    `json:"show_secret"`
	ShowSecretLink  bool    `json:"show_secret_link"`
	ShowReceiptLink bool    `json:"show_receipt_link"`
	ShowReceipt     bool    `json:"show_receipt"`
	ShowRecipients  bool    `json:"show_recipients"`
	IsOrphaned      bool    `json:"is_orphaned"`
	IsExpired       bool    `json:"is_expired"`
}

func v3GetMetadata(req *call.Request, res *hushv1.GetMetadataResponse) any {
	return v3Whole(req, res.GetMetadata())
}

func v3UpdateMetadata(req *call.Request, res *hushv1.UpdateMetadataResponse) any {
	return v3Whole(req, res.GetMetadata())
}

func v3Burn(req *call.Request, res *hushv1.BurnSecretResponse) any {
	return v3Whole(req, res.GetMetadata())
}

func v3Whole(req *call.Request, m *hushv1.Metadata) envelope {
	d := newMetadataDetails(m, req.Now)
	details := v3ReceiptDetails{
		Type: d.Type, DisplayLines: d.DisplayLines, NoCache: d.NoCache, SecretRealTTL: d.SecretRealTTL,
		ShowSecret: d.ShowSecret, ShowSecretLink: d.ShowSecretLink, ShowReceiptLink: d.ShowReceiptLink,
		ShowReceipt: d.ShowReceipt, ShowRecipients: d.ShowRecipients, IsExpired: d.IsExpired,
	}
	if version.Waits(m.GetState()) {
		details.HasPassphrase, details.CanDecrypt = &d.HasPassphrase, &d.CanDecrypt
	}
	return newEnvelope(req, newV3WholeReceipt(req.Links, m), details)
}

// v3ListedReceipt is a receipt in a list.
type v3ListedReceipt struct {
	v3Receipt
	ShowRecipients bool `json:"show_recipients"`
}

// v3ListDetails has the records once more, by whether their secrets were destroyed. All
// lists are of the caller's own receipts, so they have no scope.
type v3ListDetails struct {
	Type             string            `json:"type"`
	Scope            *string           `json:"scope"`
	ScopeLabel       *string           `json:"scope_label"`
	Since            int64             `json:"since"`
	Now              int64             `json:"now"`
	HasItems         bool              `json:"has_items"`
	RevealedReceipts []v3ListedReceipt `json:"revealed_receipts"`
	PendingReceipts  []v3ListedReceipt `json:"pending_receipts"`
}

// v3Recent lists receipts by their last change, latest first.
func v3Recent(req *call.Request, res *hushv1.ListMetadataResponse) any {
	var records []v3ListedReceipt
	for _, m := range latestFirst(res.GetMetadata()) {
		record := newV3ListedReceipt(req.Links, m)
		record.SecretIdentifier = nil // a list of keys would be a list of secrets
		records = append(records, record)
	}
	return v3List(req, records)
}

// v3Receipts lists the receipts of anonymous callers, who know their keys.
func v3Receipts(req *call.Request, res *hushv1.BatchGetMetadataResponse) any {
	var records []v3ListedReceipt
	for _, m := range res.GetMetadata() {
		records = append(records, newV3ListedReceipt(req.Links, m))
	}
	return v3List(req, records)
}

func newV3ListedReceipt(l call.Links, m *hushv1.Metadata) v3ListedReceipt {
	return v3ListedReceipt{newV3Receipt(l, m), len(m.GetRecipients()) > 0}
}

func v3List(req *call.Request, records []v3ListedReceipt) listEnvelope {
	details := v3ListDetails{
		Type: "list", Since: req.Now.Add(-recentSince).Unix(), Now: req.Now.Unix(), HasItems: len(records) > 0,
		RevealedReceipts: []v3ListedReceipt{}, PendingReceipts: []v3ListedReceipt{},
	}
	for _, record := range records {
		if record.IsDestroyed {
			details.RevealedReceipts = append(details.RevealedReceipts, record)
		} else {
			details.PendingReceipts = append(details.PendingReceipts, record)
		}
	}
	return newListEnvelope(req, version.NotNull(slices.Clone(records)), details)
}

// v3Secret is the recipient's view as every answer of version 3 has it.
type v3Secret struct {
	Identifier    string  `json:"identifier"`
	Key           string  `json:"key"`
	Shortid       string  `json:"shortid"`
	State         string  `json:"state"`
	HasPassphrase bool    `json:"has_passphrase"`
	Verification  bool    `json:"verification"`
	IsPreviewed   bool    `json:"is_previewed"`
	IsRevealed    bool    `json:"is_revealed"`
	SecretValue   *string `json:"secret_value,omitempty"`
}

// v3WholeSecret is a secret outside of lists.
type v3WholeSecret struct {
	v3Secret
	SecretTTL int64 `json:"secret_ttl"`
	Lifespan  int64 `json:"lifespan"`
	Created   int64 `json:"created"`
	Updated   int64 `json:"updated"`
}

func newV3Secret(l call.Links, s *hushv1.Secret) v3WholeSecret {
	r := newSecretRecord(laterWords, l, s)
	return v3WholeSecret{
		v3Secret: v3Secret{
			Identifier: r.Identifier, Key: r.Key, Shortid: r.Shortid, State: r.State,
			HasPassphrase: r.HasPassphrase, Verification: r.Verification, IsPreviewed: r.IsPreviewed, IsRevealed: r.IsRevealed,
		},
		SecretTTL: r.SecretTTL, Lifespan: r.Lifespan, Created: r.Created, Updated: r.Updated,
	}
}

type v3ConcealRecord struct {
	Receipt     v3Receipt     `json:"receipt"`
	Secret      v3WholeSecret `json:"secret"`
	ShareDomain *string       `json:"share_domain"`
}

func v3Conceal(req *call.Request, res *hushv1.ConcealSecretResponse) any {
	return v3Concealed(req, "conceal", res.GetMetadata(), res.GetSecret(), nil)
}

// v3Generate also returns the value, which no later response about the receipt does.
func v3Generate(req *call.Request, res *hushv1.GenerateSecretResponse) any {
	return v3Concealed(req, "generate", res.GetMetadata(), res.GetSecret(), new(res.GetValue()))
}

func v3Concealed(req *call.Request, kind string, m *hushv1.Metadata, s *hushv1.Secret, value *string) envelope {
	record := v3ConcealRecord{
		Receipt: newV3Receipt(req.Links, m), Secret: newV3Secret(req.Links, s), ShareDomain: textOrNull(m.GetShareDomain()),
	}
	return newEnvelope(req, record, newConcealDetails(kind, m, value))
}

func v3GetSecret(req *call.Request, res *hushv1.GetSecretResponse) any {
	return newEnvelope(req, newV3Secret(req.Links, res.GetSecret()), notRevealed(res.GetSecret()))
}

func v3Reveal(req *call.Request, res *hushv1.RevealSecretResponse) any {
	record := newV3Secret(req.Links, res.GetSecret())
	record.SecretValue = new(res.GetValue())
	record.Updated = req.Now.Unix()
	return newEnvelope(req, record, revealed(res.GetSecret(), res.GetValue()))
}

// v3SecretStatus has no record of an unknown secret but its state.
func v3SecretStatus(req *call.Request, res *hushv1.GetSecretStatusResponse) any {
	s := res.GetStatus().GetSecret()
	if s == nil {
		return newEnvelope(req, unknownStatus{State: laterWords.state(res.GetStatus().GetState())}, struct{}{})
	}
	return newEnvelope(req, newV3Secret(req.Links, s), statusDetails{RealTTL: s.GetTtlLeft().GetSeconds()})
}

// v3SecretStatuses leaves out unknown keys.
func v3SecretStatuses(req *call.Request, res *hushv1.ListSecretStatusResponse) any {
	records := make([]v3Secret, 0, len(res.GetStatuses()))
	for _, status := range res.GetStatuses() {
		if s := status.GetSecret(); s != nil {
			records = append(records, newV3Secret(req.Links, s).v3Secret)
		}
	}
	return newListEnvelope(req, records, struct{}{})
}
