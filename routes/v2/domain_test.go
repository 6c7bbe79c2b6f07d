package v2

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/refusal"
	"hush/routes/routestest"
)

// testDomain returns a claim that was checked once.
func testDomain() *hushv1.Domain {
	return &hushv1.Domain{
		DomainId: "0123456789abcdef0123", DisplayDomain: "secrets.example.com", BaseDomain: "example.com",
		Subdomain: "secrets.example.com", Trd: "secrets", Tld: "com", Sld: "example",
		TxtValidationHost: "_onetime-challenge-0123456.secrets", TxtValidationValue: "fae6258d9903bad8d9be354b477b2608",
		State: hushv1.DomainState_DOMAIN_STATE_PENDING, Resolving: true, Custid: "a@b.example",
		CreateTime: routestest.At(routestest.Created), UpdateTime: routestest.At(routestest.Created + 10), CheckTime: routestest.At(routestest.Created + 20),
		Checks: []*hushv1.DomainCheck{
			{Kind: hushv1.DomainCheck_KIND_TXT, Name: "_x.example.com", Expected: []string{"v"}, Problem: "not found", Time: routestest.At(routestest.Created + 20)},
			{Kind: hushv1.DomainCheck_KIND_ADDRESS, Passed: true, Name: "secrets.example.com", Found: []string{"192.0.2.1"}, Time: routestest.At(routestest.Created + 20)},
		},
		Brand: &hushv1.Brand{PrimaryColor: new("#dc4a22"), ButtonTextLight: new(false)},
	}
}

const (
	testDomainStart = `"identifier":"0123456789abcdef0123","domainid":"0123456789abcdef0123","display_domain":"secrets.example.com",` +
		`"custid":"a@b.example","base_domain":"example.com","subdomain":"secrets.example.com","trd":"secrets","tld":"com","sld":"example",` +
		`"is_apex":false,"_original_value":"secrets.example.com","txt_validation_host":"_onetime-challenge-0123456.secrets",` +
		`"txt_validation_value":"fae6258d9903bad8d9be354b477b2608","status":"resolving","verified":false,"resolving":true,` +
		`"checks":[{"kind":"txt","passed":false,"name":"_x.example.com","expected":["v"],"found":[],"problem":"not found","time":1795236755},` +
		`{"kind":"address","passed":true,"name":"secrets.example.com","expected":[],"found":["192.0.2.1"],"problem":"","time":1795236755}],` +
		`"vhost":{"incoming_address":"secrets.example.com","is_resolving":true,"last_monitored_unix":1795236755,"status":"resolving"},`
	testBrand  = `"primary_color":"#dc4a22","button_text_light":false`
	testTimes  = `"created":1795236735,"updated":1795236745`
	testClaim  = `{` + testDomainStart + `"brand":{` + testBrand + `},` + testTimes + `}`
	noCluster  = `"cluster":{"type":null,"cluster_ip":null,"cluster_name":null,"cluster_host":null,"vhost_target":null}`
	noDetails  = `"details":{` + noCluster + `}}`
	testBase64 = "iVBORy8rAA=="
)

func TestDomain(t *testing.T) {
	req, d := routestest.Request(), testDomain()
	for _, test := range []struct {
		name   string
		answer any
		want   string
	}{
		{"encodeAddDomain", encodeAddDomain(req, &hushv1.AddDomainResponse{Domain: d}), answerStart + `"record":` + testClaim + `,` + noDetails},
		{"encodeGetDomain", encodeGetDomain(req, &hushv1.GetDomainResponse{Domain: d}), answerStart + `"record":` + testClaim + `,` + noDetails},
		{"encodeVerifyDomain", encodeVerifyDomain(req, &hushv1.VerifyDomainResponse{Domain: d}), answerStart + `"record":` + testClaim + `,` + noDetails},
		{"encodeListDomains", encodeListDomains(req, &hushv1.ListDomainsResponse{Domains: []*hushv1.Domain{d, d}}),
			answerStart + `"count":2,"records":[` + testClaim + `,` + testClaim + `],` + noDetails},
		{"encodeListDomains(none)", encodeListDomains(req, &hushv1.ListDomainsResponse{}), answerStart + `"count":0,"records":[],` + noDetails},
		{"encodeRemoveDomain", encodeRemoveDomain(req, &hushv1.RemoveDomainResponse{DisplayDomain: "secrets.example.com"}),
			answerStart + `"record":{},` + noDetails[:len(noDetails)-1] + `,"message":"Removed secrets.example.com"}`},
		{"encodeGetBrand", encodeGetBrand(req, &hushv1.GetDomainBrandResponse{Domain: d}),
			answerStart + `"record":{` + testDomainStart + testTimes + `,` + testBrand + `,"brand":{` + testBrand + `}},` + noDetails},
		{"encodeUpdateBrand", encodeUpdateBrand(req, &hushv1.UpdateDomainBrandResponse{Domain: d}),
			answerStart + `"record":{` + testDomainStart + testTimes + `,` + testBrand + `,"brand":{` + testBrand + `}},` + noDetails},
	} {
		routestest.WantJSON(t, test.name, routestest.Encoded(t, test.answer), test.want)
	}
}

func TestDomainWord(t *testing.T) {
	for _, test := range []struct {
		state     hushv1.DomainState
		resolving bool
		want      string
	}{
		{hushv1.DomainState_DOMAIN_STATE_PENDING, false, "pending"},
		{hushv1.DomainState_DOMAIN_STATE_PENDING, true, "resolving"},
		{hushv1.DomainState_DOMAIN_STATE_VERIFIED, false, "verified"},
		{hushv1.DomainState_DOMAIN_STATE_VERIFIED, true, "verified"},
		{hushv1.DomainState_DOMAIN_STATE_SUSPENDED, true, "suspended"},
	} {
		if got := domainWord(&hushv1.Domain{State: test.state, Resolving: test.resolving}); got != test.want {
			t.Errorf("domainWord(%v, %v): got %s, want %s", test.state, test.resolving, got, test.want)
		}
	}
}

// No other source can replace the path's domain.
func TestDecodeDomain(t *testing.T) {
	const body = "domain=Secrets.Example.com&key=other"
	added, err := routestest.Decoded(t, addDomainInput().Decode, body)
	routestest.WantMessage(t, "addDomainInput", added, &hushv1.AddDomainRequest{Domain: "Secrets.Example.com"}, err)
	shown, err := routestest.Decoded(t, decodeGetDomain, body)
	routestest.WantMessage(t, "decodeGetDomain", shown, &hushv1.GetDomainRequest{Domain: routestest.SecretKey}, err)
	removed, err := routestest.Decoded(t, decodeRemoveDomain, body)
	routestest.WantMessage(t, "decodeRemoveDomain", removed, &hushv1.RemoveDomainRequest{Domain: routestest.SecretKey}, err)
	verified, err := routestest.Decoded(t, decodeVerifyDomain, body)
	routestest.WantMessage(t, "decodeVerifyDomain", verified, &hushv1.VerifyDomainRequest{Domain: routestest.SecretKey}, err)
	brand, err := routestest.Decoded(t, decodeGetBrand, body)
	routestest.WantMessage(t, "decodeGetBrand", brand, &hushv1.GetDomainBrandRequest{Domain: routestest.SecretKey}, err)
}

// A duplicate domain is refused in the words that clients know.
func TestDuplicateDomain(t *testing.T) {
	taken := routestest.RPCError(t, connect.CodeAlreadyExists, "there is one of that name already", &hushv1.Refusal{Reason: hushv1.Refusal_REASON_DUPLICATE})
	_, err := duplicate(routestest.RefuseWith(taken), "Duplicate domain").Run(t.Context(), routestest.Request())
	req := routestest.Request()
	req.Catalogue = routestest.Catalogue(t)
	w := httptest.NewRecorder()
	fail(w, req, refusal.Read(err))
	if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), `"message":"Duplicate domain"`) {
		t.Errorf("duplicate(taken): got %d %s, want 422 Duplicate domain", w.Code, w.Body)
	}
}
