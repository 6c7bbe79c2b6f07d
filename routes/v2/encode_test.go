package v2

import (
	"slices"
	"testing"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/routestest"
	"hush/routes/version"
)

const (
	answerStart = `{"success":true,"shrimp":"shrimp","custid":"anon",`

	newReceiptJSON = `{"identifier":"metadatakey00000000000000000000","key":"metadatakey00000000000000000000","shortkey":"metadata",` +
		`"custid":"anon","state":"new","secret_key":"secretkey0000000000000000000000","secret_identifier":"secretkey0000000000000000000000","secret_shortkey":"secret","secret_state":"new",` +
		`"secret_ttl":3600,"metadata_ttl":7200,"lifespan":7200,"share_domain":"","created":1795236735,"updated":1795236745,` +
		`"shared":null,"received":null,"burned":null,"viewed":null,"recipients":"","show_recipients":false,"memo":"",` +
		`"has_passphrase":false,"is_viewed":false,"is_received":false,"is_burned":false,"is_destroyed":false,"is_expired":false,` +
		`"is_orphaned":false,"is_truncated":false,"created_date_utc":"2026-11-21@04:52:15 UTC","expiration_stamp":"60 minutes",` +
		`"natural_expiration":"60 minutes","expiration":1795240335,"expiration_in_seconds":3600,` +
		`"share_path":"secret/secretkey0000000000000000000000","burn_path":"private/metadatakey00000000000000000000/burn",` +
		`"metadata_path":"private/metadatakey00000000000000000000",` +
		`"share_url":"https://hush.example/secret/secretkey0000000000000000000000",` +
		`"metadata_url":"https://hush.example/private/metadatakey00000000000000000000",` +
		`"burn_url":"https://hush.example/private/metadatakey00000000000000000000/burn",` +
		`"shortid":"metadata","secret_shortid":"secret","owner_id":null,"previewed":null,"revealed":null,"is_previewed":false,"is_revealed":false,` +
		`"receipt_ttl":7200,"receipt_path":"receipt/metadatakey00000000000000000000",` +
		`"receipt_url":"https://hush.example/receipt/metadatakey00000000000000000000"}`

	burnedReceiptJSON = `"identifier":"metadatakey00000000000000000000","key":"metadatakey00000000000000000000","shortkey":"metadata",` +
		`"custid":"anon","state":"burned","secret_shortkey":"secret","secret_state":null,` +
		`"secret_ttl":3600,"metadata_ttl":7200,"lifespan":7200,"share_domain":"","created":1795236735,"updated":1795236745,` +
		`"shared":null,"received":null,"burned":1795236745,"viewed":1795236740,"recipients":"","show_recipients":false,"memo":"note",` +
		`"has_passphrase":false,"is_viewed":false,"is_received":false,"is_burned":true,"is_destroyed":true,"is_expired":false,` +
		`"is_orphaned":false,"is_truncated":false,"created_date_utc":"2026-11-21@04:52:15 UTC","expiration_stamp":"60 minutes",` +
		`"natural_expiration":"60 minutes","expiration":1795240335,"expiration_in_seconds":3600,` +
		`"share_path":"","burn_path":"private/metadatakey00000000000000000000/burn",` +
		`"metadata_path":"private/metadatakey00000000000000000000","share_url":"",` +
		`"metadata_url":"https://hush.example/private/metadatakey00000000000000000000",` +
		`"burn_url":"https://hush.example/private/metadatakey00000000000000000000/burn",` +
		`"shortid":"metadata","secret_shortid":"secret","owner_id":null,"previewed":1795236740,"revealed":null,"is_previewed":false,"is_revealed":false,` +
		`"receipt_ttl":7200,"receipt_path":"receipt/metadatakey00000000000000000000",` +
		`"receipt_url":"https://hush.example/receipt/metadatakey00000000000000000000"`

	newSecretJSON = `{"identifier":"secretkey0000000000000000000000","key":"secretkey0000000000000000000000",` +
		`"secret_key":"secretkey0000000000000000000000","shortkey":"secretke","secret_shortkey":"secret","state":"new",` +
		`"secret_ttl":3600,"lifespan":3600,"original_size":"","has_passphrase":false,"verification":false,"is_truncated":false,` +
		`"is_owner":false,"share_domain":"https://hush.example","created":1795236735,"updated":1795236735,"expiration":1795240335,` +
		`"shortid":"secretke","is_previewed":false,"is_revealed":false}`
)

func TestConceal(t *testing.T) {
	m, s := routestest.Receipt(hushv1.State_STATE_NEW), routestest.Secret()
	record := `"record":{"metadata":` + newReceiptJSON + `,"receipt":` + newReceiptJSON + `,"secret":` + newSecretJSON + `,"share_domain":""},`
	got := routestest.Encoded(t, firstWords.encodeConceal(routestest.Request(), &hushv1.ConcealSecretResponse{Metadata: m, Secret: s}))
	routestest.WantJSON(t, "encodeConceal", got, answerStart+record+`"details":{"kind":"conceal","recipient":[],"recipient_safe":[],"secret_value":null}}`)
	got = routestest.Encoded(t, firstWords.encodeGenerate(routestest.Request(), &hushv1.GenerateSecretResponse{Metadata: m, Secret: s, Value: "v&"}))
	routestest.WantJSON(t, "encodeGenerate", got, answerStart+record+`"details":{"kind":"generate","recipient":[],"recipient_safe":[],"secret_value":"v&"}}`)
}

func TestMetadata(t *testing.T) {
	const details = `"details":{"type":"record","title":"You saved a secret","body_class":null,"display_lines":4,` +
		`"display_feedback":false,"no_cache":true,"secret_realttl":3590,"is_received":false,"is_burned":false,"is_destroyed":false,` +
		`"is_expired":false,"is_orphaned":false,"received_date":null,"received_date_utc":null,"burned_date":null,` +
		`"burned_date_utc":null,"maxviews":1,"has_maxviews":false,"view_count":0,"has_passphrase":false,"can_decrypt":true,` +
		`"secret_value":null,"is_truncated":false,"show_secret":true,"show_secret_link":true,"show_metadata_link":true,` +
		`"show_metadata":true,"show_recipients":false,"memo":"","show_receipt_link":true,"show_receipt":true}}`
	m := routestest.Receipt(hushv1.State_STATE_NEW)
	m.ViewTime = routestest.At(routestest.Created + 10) // set by the call that answers new
	got := routestest.Encoded(t, firstWords.encodeGetMetadata(routestest.Request(), &hushv1.GetMetadataResponse{Metadata: m}))
	routestest.WantJSON(t, "encodeGetMetadata", got, answerStart+`"record":`+newReceiptJSON+`,`+details)
	got = routestest.Encoded(t, firstWords.encodeUpdateMetadata(routestest.Request(), &hushv1.UpdateMetadataResponse{Metadata: m}))
	routestest.WantJSON(t, "encodeUpdateMetadata", got, answerStart+`"record":`+newReceiptJSON+`,`+details)
}

func TestBurn(t *testing.T) {
	m := routestest.Receipt(hushv1.State_STATE_BURNED)
	m.BurnTime, m.ViewTime, m.Memo = routestest.At(routestest.Created+10), routestest.At(routestest.Created+5), "note"
	const details = `"details":{"type":"record","title":"Secret burned","body_class":null,"display_lines":4,` +
		`"display_feedback":false,"no_cache":true,"secret_realttl":null,"is_received":false,"is_burned":true,"is_destroyed":true,` +
		`"is_expired":false,"is_orphaned":false,"received_date":null,"received_date_utc":null,"burned_date":"about a minute ago",` +
		`"burned_date_utc":"2026-11-21@04:52:25 UTC","maxviews":0,"has_maxviews":false,"view_count":0,"has_passphrase":false,` +
		`"can_decrypt":false,"secret_value":null,"is_truncated":false,"show_secret":false,"show_secret_link":false,` +
		`"show_metadata_link":false,"show_metadata":true,"show_recipients":false,"memo":"note",` +
		`"show_receipt_link":false,"show_receipt":true}}`
	got := routestest.Encoded(t, firstWords.encodeBurn(routestest.Request(), &hushv1.BurnSecretResponse{Metadata: m}))
	routestest.WantJSON(t, "encodeBurn", got, answerStart+`"record":{`+burnedReceiptJSON+`,"metadata":{`+burnedReceiptJSON+`},"receipt":{`+
		burnedReceiptJSON+`}},`+details)
}

func TestMetadataStates(t *testing.T) {
	m := routestest.Receipt(hushv1.State_STATE_VIEWED)
	m.HasPassphrase, m.Recipients, m.ShareDomain = true, []string{"a*****@e*****.com", "b*****@e*****.com"}, "s.example"
	record, details := newMetadataRecord(firstWords, routestest.Request().Links, m), newMetadataDetails(m, routestest.Now())
	if record.Recipients != "a*****@e*****.com, b*****@e*****.com" || !record.ShowRecipients || !record.HasPassphrase || !record.IsViewed ||
		record.ShareURL != "https://s.example/secret/"+routestest.SecretKey || *record.SecretState != "viewed" {
		t.Errorf("newMetadataRecord(viewed): got %+v", record)
	}
	if details.ShowSecret || details.ShowSecretLink || details.ShowMetadata || details.ShowRecipients || details.CanDecrypt {
		t.Errorf("newMetadataDetails(viewed): got %+v", details)
	}
	for state, want := range map[hushv1.State][5]bool{
		hushv1.State_STATE_NEW:      {},
		hushv1.State_STATE_VIEWED:   {true},
		hushv1.State_STATE_RECEIVED: {false, true, false, true},
		hushv1.State_STATE_BURNED:   {false, false, true, true},
		hushv1.State_STATE_EXPIRED:  {false, false, false, false, true},
	} {
		r := newMetadataRecord(firstWords, call.Links{}, routestest.Receipt(state))
		if got := [5]bool{r.IsViewed, r.IsReceived, r.IsBurned, r.IsDestroyed, r.IsExpired}; got != want {
			t.Errorf("newMetadataRecord(%v): got %v, want %v", state, got, want)
		}
	}
}

func TestRecent(t *testing.T) {
	newer, older := routestest.Receipt(hushv1.State_STATE_VIEWED), routestest.Receipt(hushv1.State_STATE_RECEIVED)
	newer.Custid, older.Custid, older.CreateTime = "a@b.example", "a@b.example", routestest.At(routestest.Created-100)
	older.UpdateTime = routestest.At(routestest.Created + 11)
	req := routestest.Request()
	req.Visitor.Custid = "a@b.example"
	list, ok := firstWords.encodeRecent(req, &hushv1.ListMetadataResponse{Metadata: []*hushv1.Metadata{newer, older}}).(listEnvelope)
	if !ok || list.Count != 2 || list.Custid != "a@b.example" {
		t.Fatalf("encodeRecent(two): got %+v", list)
	}
	records, details := list.Records.([]metadataRecord), list.Details.(recentDetails)
	if records[0].State != "received" || records[1].State != "viewed" || records[1].SecretKey != "" || records[1].ShareURL != "" {
		t.Errorf("encodeRecent(two): got %+v, want the last one that changed first, and no keys", records)
	}
	if len(details.Received) != 1 || len(details.Notreceived) != 1 || details.Since != routestest.Now().Unix()-30*86400 || details.Now != routestest.Now().Unix() {
		t.Errorf("encodeRecent(two): got %+v", details)
	}
	got := routestest.Encoded(t, firstWords.encodeRecent(routestest.Request(), &hushv1.ListMetadataResponse{}))
	routestest.WantJSON(t, "encodeRecent(none)", got, answerStart+`"count":0,"records":[],"details":{"type":"list","since":1792644800,"now":1795236800,`+
		`"has_items":false,"received":[],"notreceived":[]}}`)
}

// Secrets that ended in the same second are listed like the others: the newest
// first.
func TestRecentOfOneSecond(t *testing.T) {
	res := &hushv1.ListMetadataResponse{}
	for _, key := range []string{"third", "second", "first"} {
		m := routestest.Receipt(hushv1.State_STATE_BURNED)
		m.MetadataKey = key
		res.Metadata = append(res.Metadata, m)
	}
	list, _ := firstWords.encodeRecent(routestest.Request(), res).(listEnvelope)
	details, _ := list.Details.(recentDetails)
	var got []string
	for _, record := range details.Received {
		got = append(got, record.Key)
	}
	if want := []string{"third", "second", "first"}; !slices.Equal(got, want) {
		t.Errorf("encodeRecent(burned in one second): got %v, want %v", got, want)
	}
}

func TestSecret(t *testing.T) {
	s := routestest.Secret()
	got := routestest.Encoded(t, firstWords.encodeGetSecret(routestest.Request(), &hushv1.GetSecretResponse{Secret: s}))
	routestest.WantJSON(t, "encodeGetSecret", got, answerStart+`"record":`+newSecretJSON+`,"details":{"continue":false,"is_owner":false,"show_secret":false,`+
		`"correct_passphrase":true,"display_lines":4,"one_liner":false}}`)

	s.HasPassphrase = true
	locked := firstWords.encodeGetSecret(routestest.Request(), &hushv1.GetSecretResponse{Secret: s}).(envelope)
	if d := locked.Details.(secretDetails); d.CorrectPassphrase {
		t.Errorf("encodeGetSecret(passphrase): got correct_passphrase true, want false")
	}

	s = routestest.Secret()
	s.State, s.Owned, s.ShareDomain = hushv1.State_STATE_RECEIVED, true, "s.example"
	got = routestest.Encoded(t, firstWords.encodeReveal(routestest.Request(), &hushv1.RevealSecretResponse{Secret: s, Value: "é<\n"}))
	routestest.WantJSON(t, "encodeReveal", got, answerStart+`"record":{"identifier":"secretkey0000000000000000000000","key":"secretkey0000000000000000000000",`+
		`"secret_key":"secretkey0000000000000000000000","shortkey":"secretke","secret_shortkey":"secret","state":"received",`+
		`"secret_ttl":3600,"lifespan":3600,"original_size":"3","has_passphrase":false,"verification":false,"is_truncated":false,`+
		`"is_owner":true,"share_domain":"https://s.example","created":1795236735,"updated":1795236800,"expiration":1795240335,`+
		`"secret_value":"é<\n","shortid":"secretke","is_previewed":false,"is_revealed":true},"details":{"continue":true,"is_owner":true,"show_secret":true,"correct_passphrase":true,`+
		`"display_lines":5,"one_liner":false}}`)
}

func TestSecretStatus(t *testing.T) {
	known := &hushv1.SecretStatus{SecretKey: routestest.SecretKey, State: hushv1.State_STATE_NEW, Secret: routestest.Secret()}
	unknown := &hushv1.SecretStatus{SecretKey: "x"}
	req := routestest.Request()
	for _, test := range []struct {
		name   string
		answer any
		want   string
	}{
		{"encodeSecretStatus", firstWords.encodeSecretStatus(req, &hushv1.GetSecretStatusResponse{Status: known}),
			answerStart + `"record":` + newSecretJSON + `,"details":{"realttl":3590}}`},
		{"encodeSecretStatus(unknown)", firstWords.encodeSecretStatus(req, &hushv1.GetSecretStatusResponse{Status: unknown}),
			answerStart + `"record":{"state":"unknown"},"details":{}}`},
		{"encodeSecretStatuses", firstWords.encodeSecretStatuses(req, &hushv1.ListSecretStatusResponse{Statuses: []*hushv1.SecretStatus{unknown, known}}),
			answerStart + `"count":1,"records":[` + newSecretJSON + `],"details":{}}`},
	} {
		routestest.WantJSON(t, test.name, routestest.Encoded(t, test.answer), test.want)
	}
}

func TestSystem(t *testing.T) {
	req := routestest.Request()
	for _, test := range []struct {
		name   string
		answer any
		want   string
	}{
		{"EncodeStatus", version.EncodeStatus(req, &hushv1.GetStatusResponse{Status: "nominal", Locale: "en"}), `{"status":"nominal","locale":"en"}`},
		{"encodeVersion", encodeVersion(req, &hushv1.GetVersionResponse{Version: "0.1.0", Locale: "en"}), `{"version":["0","1","0"],"locale":"en"}`},
		{"encodeLocales", encodeLocales(req, &hushv1.GetSupportedLocalesResponse{Locales: []string{"en"}, DefaultLocale: "en", Locale: "en"}),
			`{"locales":["en"],"default_locale":"en","locale":"en"}`},
		{"encodeShrimp", encodeShrimp(req, &hushv1.ValidateShrimpResponse{Valid: true, Shrimp: "s"}), `{"isValid":true,"shrimp":"s"}`},
	} {
		routestest.WantJSON(t, test.name, routestest.Encoded(t, test.answer), test.want)
	}
}

// Encoders accept an empty response.
func TestEmptyResponses(t *testing.T) {
	req := routestest.Request()
	for name, answer := range map[string]any{
		"conceal":  firstWords.encodeConceal(req, &hushv1.ConcealSecretResponse{}),
		"generate": firstWords.encodeGenerate(req, nil),
		"metadata": firstWords.encodeGetMetadata(req, nil),
		"burn":     firstWords.encodeBurn(req, nil),
		"secret":   firstWords.encodeGetSecret(req, nil),
		"reveal":   firstWords.encodeReveal(req, nil),
		"status":   firstWords.encodeSecretStatus(req, nil),
	} {
		if routestest.Encoded(t, answer) == "" {
			t.Errorf("%s: got no answer", name)
		}
	}
}
