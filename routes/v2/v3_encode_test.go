package v2

import (
	"slices"
	"testing"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/routestest"
)

// Paths that came with the later vocabulary answer in it, and the others of version 2
// keep theirs.
func TestVocabularies(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]vocabulary{
		"/guest/secret": laterWords, "/guest/receipt": laterWords, "/guest/private": laterWords, "/guest/metadata": laterWords,
		"/guest": laterWords, "/receipt": laterWords, "/secret": firstWords, "": firstWords, "/private": firstWords, "/metadata": firstWords,
	} {
		if got := wordsBelow(path); got != want {
			t.Errorf("wordsBelow(%q): got %v, want %v", path, got, want)
		}
	}
	for state, want := range map[hushv1.State][2]string{
		hushv1.State_STATE_NEW:         {"new", "new"},
		hushv1.State_STATE_VIEWED:      {"viewed", "previewed"},
		hushv1.State_STATE_RECEIVED:    {"received", "revealed"},
		hushv1.State_STATE_BURNED:      {"burned", "burned"},
		hushv1.State_STATE_EXPIRED:     {"expired", "expired"},
		hushv1.State_STATE_UNSPECIFIED: {"unknown", "unknown"},
	} {
		if got := [2]string{firstWords.state(state), laterWords.state(state)}; got != want {
			t.Errorf("state(%v): got %v, want %v", state, got, want)
		}
	}
}

func TestMetadataInLaterWords(t *testing.T) {
	t.Parallel()
	m := routestest.Receipt(hushv1.State_STATE_VIEWED)
	m.Custid, m.ViewTime = "a@b.example", routestest.At(routestest.Created+5)
	record := newMetadataRecord(laterWords, routestest.Request().Links, m)
	if record.State != "previewed" || *record.SecretState != "previewed" || record.Recipients != nil || !record.IsPreviewed || !record.IsViewed ||
		*record.Previewed != routestest.Created+5 || *record.OwnerID != "a@b.example" || record.ReceiptURL != "https://hush.example/receipt/"+routestest.MetadataKey {
		t.Errorf("newMetadataRecord(laterWords, viewed): got %+v", record)
	}
	m = routestest.Receipt(hushv1.State_STATE_RECEIVED)
	m.Recipients, m.ReceiveTime = []string{"a*****@e*****.com"}, routestest.At(routestest.Created+9)
	record = newMetadataRecord(laterWords, routestest.Request().Links, m)
	addresses, _ := record.Recipients.([]string)
	if record.State != "revealed" || !record.IsRevealed || *record.Revealed != routestest.Created+9 || !slices.Equal(addresses, m.GetRecipients()) {
		t.Errorf("newMetadataRecord(laterWords, received): got %+v", record)
	}
	list, _ := laterWords.encodeRecent(routestest.Request(), &hushv1.ListMetadataResponse{Metadata: []*hushv1.Metadata{m}}).(listEnvelope)
	details, _ := list.Details.(recentDetails)
	if len(details.RevealedReceipts) != 1 || details.PendingReceipts == nil || len(details.PendingReceipts) != 0 {
		t.Errorf("encodeRecent(laterWords): got %+v, want the receipt under both names", details)
	}
}

func TestV3Receipt(t *testing.T) {
	t.Parallel()
	const (
		base = `"identifier":"metadatakey00000000000000000000","key":"metadatakey00000000000000000000","shortid":"metadata",` +
			`"state":"previewed","owner_id":null,"created":1795236735,"updated":1795236745,"shared":null,"previewed":1795236740,` +
			`"revealed":null,"burned":null,"secret_ttl":3600,"receipt_ttl":7200,"lifespan":7200,"secret_shortid":"secret",` +
			`"secret_identifier":"secretkey0000000000000000000000","recipients":null,"share_domain":null,"has_passphrase":false,` +
			`"is_previewed":true,"is_revealed":false,"is_burned":false,"is_destroyed":false,"is_expired":false,"is_orphaned":false,"memo":null`
		whole = `,"secret_state":"previewed","natural_expiration":"60 minutes","expiration":1795240335,"expiration_in_seconds":3600,` +
			`"share_path":"secret/secretkey0000000000000000000000","burn_path":"receipt/metadatakey00000000000000000000/burn",` +
			`"receipt_path":"receipt/metadatakey00000000000000000000",` +
			`"share_url":"https://hush.example/secret/secretkey0000000000000000000000",` +
			`"receipt_url":"https://hush.example/receipt/metadatakey00000000000000000000",` +
			`"burn_url":"https://hush.example/receipt/metadatakey00000000000000000000/burn"`
		details = `"details":{"type":"record","display_lines":4,"no_cache":true,"secret_realttl":3590,"view_count":null,"has_passphrase":false,` +
			`"can_decrypt":true,"secret_value":null,"show_secret":false,"show_secret_link":false,"show_receipt_link":false,` +
			`"show_receipt":false,"show_recipients":false,"is_orphaned":false,"is_expired":false}}`
	)
	m := routestest.Receipt(hushv1.State_STATE_VIEWED)
	m.ViewTime = routestest.At(routestest.Created + 5)
	got := routestest.Encoded(t, v3GetMetadata(routestest.Request(), &hushv1.GetMetadataResponse{Metadata: m}))
	routestest.WantJSON(t, "v3GetMetadata", got, answerStart+`"record":{`+base+whole+`},`+details)
	got = routestest.Encoded(t, v3Receipts(routestest.Request(), &hushv1.BatchGetMetadataResponse{Metadata: []*hushv1.Metadata{m}}))
	listed := `[{` + base + `,"show_recipients":false}]`
	routestest.WantJSON(t, "v3Receipts", got, answerStart+`"count":1,"records":`+listed+`,"details":{"type":"list","scope":null,"scope_label":null,`+
		`"since":1792644800,"now":1795236800,"has_items":true,"revealed_receipts":[],"pending_receipts":`+listed+`}}`)
}

// What does not apply to a secret that is gone is null, and one that expired is
// destroyed.
func TestV3ReceiptOfGoneSecret(t *testing.T) {
	t.Parallel()
	m := routestest.Receipt(hushv1.State_STATE_EXPIRED)
	m.Recipients = []string{"a*****@e*****.com"}
	r := newV3WholeReceipt(routestest.Request().Links, m)
	if !r.IsDestroyed || r.HasPassphrase != nil || r.SecretIdentifier != nil || r.SecretState != nil || r.SharePath != nil || r.ShareURL != nil ||
		!slices.Equal(r.Recipients, m.GetRecipients()) {
		t.Errorf("newV3WholeReceipt(expired): got %+v, want null for what is gone", r)
	}
	list, _ := v3Recent(routestest.Request(), &hushv1.ListMetadataResponse{Metadata: []*hushv1.Metadata{m, routestest.Receipt(hushv1.State_STATE_NEW)}}).(listEnvelope)
	details, _ := list.Details.(v3ListDetails)
	if len(details.RevealedReceipts) != 1 || len(details.PendingReceipts) != 1 || details.PendingReceipts[0].SecretIdentifier != nil {
		t.Errorf("v3Recent(expired, new): got %+v, want one of each, without keys", details)
	}
}
