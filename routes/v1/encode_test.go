package v1

import (
	"testing"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/routestest"
	"hush/routes/version"
)

const (
	receiptStart = `{"custid":"anon","metadata_key":"metadatakey00000000000000000000",`
	// receiptPages and what follows it are the ends of receipts.
	receiptPages = `,"metadata_url":"https://hush.example/private/metadatakey00000000000000000000",` +
		`"receipt_url":"https://hush.example/receipt/metadatakey00000000000000000000","identifier":"metadatakey00000000000000000000",`
	endedReceipt   = receiptPages + `"receipt_ttl":7190,"recipients":[]}`
	waitingReceipt = receiptPages + `"secret_identifier":"secretkey0000000000000000000000","receipt_ttl":7190,`
)

func TestReceipt(t *testing.T) {
	protected := routestest.Receipt(hushv1.State_STATE_VIEWED)
	protected.HasPassphrase, protected.Custid = true, "a&b@example.com"
	protected.Recipients, protected.ShareDomain = []string{"fr*****@e*****.com"}, "s.example"
	received := routestest.Receipt(hushv1.State_STATE_RECEIVED)
	received.ReceiveTime = routestest.At(routestest.Created + 10)
	stale := routestest.Receipt(hushv1.State_STATE_BURNED)
	stale.SecretKey, stale.SecretTtlLeft = routestest.SecretKey, routestest.Seconds(1)
	const tail = `"updated":1795236745,"created":1795236735,`
	for _, test := range []struct {
		name string
		m    *hushv1.Metadata
		want string
	}{
		{"new", routestest.Receipt(hushv1.State_STATE_NEW), receiptStart + `"secret_key":"secretkey0000000000000000000000","ttl":3600,` +
			`"metadata_ttl":7190,"secret_ttl":3590,"state":"new",` + tail +
			`"recipient":[],"share_domain":"","passphrase_required":false` + waitingReceipt + `"recipients":[],"has_passphrase":false}`},
		{"viewed", protected, `{"custid":"a&b@example.com","metadata_key":"metadatakey00000000000000000000",` +
			`"secret_key":"secretkey0000000000000000000000","ttl":3600,"metadata_ttl":7190,"secret_ttl":3590,"state":"viewed",` +
			tail + `"recipient":["fr*****@e*****.com"],"share_domain":"s.example","passphrase_required":true` +
			waitingReceipt + `"recipients":["fr*****@e*****.com"],"has_passphrase":true}`},
		{"received", received, receiptStart + `"ttl":3600,"metadata_ttl":7190,"state":"received",` + tail +
			`"received":1795236745,"recipient":[],"share_domain":""` + endedReceipt},
		{"burned", stale, receiptStart + `"ttl":3600,"metadata_ttl":7190,"state":"burned",` + tail + `"recipient":[],"share_domain":""` + endedReceipt},
		{"expired", routestest.Receipt(hushv1.State_STATE_EXPIRED), receiptStart + `"ttl":3600,"metadata_ttl":7190,"state":"expired",` +
			tail + `"recipient":[],"share_domain":""` + endedReceipt},
		{"nothing", nil, `{"custid":"anon","metadata_key":"","ttl":0,"metadata_ttl":0,"state":"unknown","updated":0,"created":0,` +
			`"recipient":[],"share_domain":"","metadata_url":"https://hush.example/private/","receipt_url":"https://hush.example/receipt/",` +
			`"identifier":"","receipt_ttl":0,"recipients":[]}`},
	} {
		got := routestest.Encoded(t, encodeGetMetadata(routestest.Request(), &hushv1.GetMetadataResponse{Metadata: test.m}))
		routestest.WantJSON(t, "encodeGetMetadata("+test.name+")", got, test.want)
		got = routestest.Encoded(t, encodeConceal(routestest.Request(), &hushv1.ConcealSecretResponse{Metadata: test.m}))
		routestest.WantJSON(t, "encodeConceal("+test.name+")", got, test.want)
	}
}

func TestAnswers(t *testing.T) {
	req := routestest.Request()
	m := routestest.Receipt(hushv1.State_STATE_NEW)
	const times = `"updated":1795236745,"created":1795236735,"recipient":[],"share_domain":""`
	item := receiptStart + `"ttl":3600,"metadata_ttl":7190,"secret_ttl":3590,"state":"new",` + times + `,"passphrase_required":false` +
		receiptPages + `"receipt_ttl":7190,"recipients":[],"has_passphrase":false}`
	domain := routestest.Secret()
	domain.ShareDomain = "s.example"
	for _, test := range []struct {
		name   string
		answer any
		want   string
	}{
		{"EncodeStatus", version.EncodeStatus(req, &hushv1.GetStatusResponse{Status: "nominal", Locale: "en"}), `{"status":"nominal","locale":"en"}`},
		{"encodeAuthcheck", encodeAuthcheck(req, &hushv1.AuthcheckResponse{Custid: "a"}), `{"status":"nominal","locale":"en"}`},
		{"encodeGenerate", encodeGenerate(req, &hushv1.GenerateSecretResponse{Metadata: m, Value: "<v&>"}),
			receiptStart + `"secret_key":"secretkey0000000000000000000000","ttl":3600,"metadata_ttl":7190,"secret_ttl":3590,"state":"new",` +
				times + `,"value":"<v&>","passphrase_required":false` + waitingReceipt + `"recipients":[],"secret_value":"<v&>","has_passphrase":false}`},
		{"encodeReveal", encodeReveal(req, &hushv1.RevealSecretResponse{Secret: routestest.Secret(), Value: "é\n\x00</script>"}),
			`{"value":"é\n\u0000</script>","secret_key":"secretkey0000000000000000000000","share_domain":"https://hush.example"}`},
		{"encodeReveal(domain)", encodeReveal(req, &hushv1.RevealSecretResponse{Secret: domain}),
			`{"value":"","secret_key":"secretkey0000000000000000000000","share_domain":"https://s.example"}`},
		{"encodeBurn", encodeBurn(req, &hushv1.BurnSecretResponse{Metadata: routestest.Receipt(hushv1.State_STATE_BURNED)}),
			`{"state":` + receiptStart + `"ttl":3600,"metadata_ttl":7190,"state":"burned",` + times + endedReceipt + `,"secret_shortkey":"secret"}`},
		{"encodeRecent", encodeRecent(req, &hushv1.ListMetadataResponse{Metadata: []*hushv1.Metadata{m, m}}), "[" + item + "," + item + "]"},
		{"encodeRecent(none)", encodeRecent(req, &hushv1.ListMetadataResponse{}), "[]"},
	} {
		routestest.WantJSON(t, test.name, routestest.Encoded(t, test.answer), test.want)
	}
}
