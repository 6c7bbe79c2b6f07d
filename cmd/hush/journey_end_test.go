package main

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
)

// report sends what people and browsers report.
func (j *traveller) report() {
	t := j.t
	j.page(http.MethodPost, "/feedback", url.Values{"msg": {"The otters are pleased"}, "tz": {"Europe/Lisbon"}}.Encode()).ok(t, "feedback")
	got := j.page(http.MethodPost, "/exception", url.Values{
		"message": {"otter is not defined"}, "type": {"ReferenceError"}, "url": {j.server.url + "/secret/x?y=z"}, "line": {"7"},
	}.Encode()).ok(t, "exception")
	got.says(t, "exception", "true", "record", "is_error")
	if strings.Contains(got.body, "y=z") {
		t.Errorf("exception: got %s, want no query kept", got.body)
	}
}

// lookAfter reads the colonel's page; others do not learn that there is one.
func (j *traveller) lookAfter() {
	t := j.t
	old := j.page(http.MethodGet, "/colonel", "").ok(t, "colonel")
	old.says(t, "colonel", travellerAddress, "record", "recent_customers", 0, "custid")
	old.says(t, "colonel", "The otters are pleased [TZ: Europe/Lisbon] ["+old.at(t, "record", "today_feedback", 0, "sender")+"]", "details", "today_feedback", 0, "msg")
	old.says(t, "colonel", "5", "record", "counts", "secrets_created") // three of the traveller, two of visitors on the domain
	index := j.rpc("ColonelService/GetIndex", `{}`).ok(t, "index")
	index.says(t, "index", "1", "counts", "domains")
	index.says(t, "index", "1", "counts", "exceptions")
	index.says(t, "index", travellerAddress, "recentAccounts", 0, "address")
	j.rpc("ColonelService/ListExceptions", `{}`).ok(t, "exceptions").says(t, "exceptions", "otter is not defined", "exceptions", 0, "message")
	o := operator{t, j.server.data}
	o.ok("", "account", "create", "customer@elsewhere.com")
	customer := bearerHeader(strings.TrimSpace(o.ok("", "token", "create", "customer@elsewhere.com").stdout))
	for _, got := range []testReply{
		sendAs(t, j.client, http.MethodGet, j.server.url+"/api/v2/colonel", customer, ""),
		sendAs(t, j.client, http.MethodGet, j.server.url+"/api/v2/colonel", nil, ""),
		callAs(t, j.client, j.server.url, "/hush.v1.ColonelService/GetIndex", customer, `{}`),
	} {
		if got.status == http.StatusOK || strings.Contains(got.body, travellerAddress) {
			t.Errorf("colonel by somebody else: got %d %s, want a refusal", got.status, got.body)
		}
	}
}

// callByGRPC does a few of the same things with generated clients.
func (j *traveller) callByGRPC() {
	t := j.t
	client := newHTTPClient(t, true, basicHeader(travellerAddress, j.token))
	ctx, url, grpc := t.Context(), j.server.url, connect.WithGRPC()
	account, err := hushv1connect.NewAccountServiceClient(client, url, grpc).GetAccount(ctx, &hushv1.GetAccountRequest{})
	if err != nil || account.GetAccount().GetAddress() != travellerAddress || account.GetAccount().GetTally().GetSecretsCreated() != 3 {
		t.Errorf("GetAccount: got %v and %v, want the account with three secrets", account, err)
	}
	domains, err := hushv1connect.NewDomainServiceClient(client, url, grpc).ListDomains(ctx, &hushv1.ListDomainsRequest{})
	if err != nil || len(domains.GetDomains()) != 1 || domains.GetDomains()[0].GetState() != hushv1.DomainState_DOMAIN_STATE_VERIFIED {
		t.Errorf("ListDomains: got %v and %v, want the one that is verified", domains, err)
	}
	list, err := hushv1connect.NewMetadataServiceClient(client, url, grpc).ListMetadata(ctx, &hushv1.ListMetadataRequest{})
	if err != nil || len(list.GetMetadata()) != 3 {
		t.Errorf("ListMetadata: got %v and %v, want three receipts", list, err)
	}
	tokens := hushv1connect.NewAccountServiceClient(newHTTPClient(t, true, j.session.page(j.server.url)), url, grpc)
	made, err := tokens.GenerateApiToken(ctx, &hushv1.GenerateApiTokenRequest{Name: "ci", Scopes: []hushv1.TokenScope{hushv1.TokenScope_TOKEN_SCOPE_CONCEAL}})
	if err != nil {
		t.Fatalf("GenerateApiToken: got %v, want nil", err)
	}
	narrow := newHTTPClient(t, true, bearerHeader(made.GetToken()))
	mustConceal(t, newRPCDriver("grpc", narrow, url, grpc), wish{secret: "by a program"})
	if _, err := hushv1connect.NewMetadataServiceClient(narrow, url, grpc).ListMetadata(ctx, &hushv1.ListMetadataRequest{}); connect.CodeOf(err) != connect.CodePermissionDenied {
		t.Errorf("ListMetadata by a token for concealing: got %v, want permission denied", err)
	}
	if _, err := tokens.RevokeApiToken(ctx, &hushv1.RevokeApiTokenRequest{TokenId: made.GetApiToken().GetTokenId()}); err != nil {
		t.Errorf("RevokeApiToken: got %v, want nil", err)
	}
	if _, err := hushv1connect.NewSessionServiceClient(narrow, url, grpc).Authcheck(ctx, &hushv1.AuthcheckRequest{}); connect.CodeOf(err) != connect.CodeUnauthenticated {
		t.Errorf("Authcheck by a token that was revoked: got %v, want unauthenticated", err)
	}
}

// changePassword keeps this session, the token and the list.
func (j *traveller) changePassword() {
	t := j.t
	wrong := j.page(http.MethodPost, "/account/change-password", url.Values{"currentp": {"not this one"}, "newp": {changedPassword}, "newp2": {changedPassword}}.Encode())
	if wrong.status == http.StatusOK || !strings.Contains(wrong.body, "Current password is incorrect") {
		t.Errorf("change with a wrong password: got %d %s, want a refusal", wrong.status, wrong.body)
	}
	j.page(http.MethodPost, "/account/change-password", url.Values{"currentp": {travellerPassword}, "newp": {changedPassword}, "newp2": {changedPassword}}.Encode()).ok(t, "change")
	j.page(http.MethodGet, "/private/recent", "").ok(t, "recent").says(t, "recent after a change", "4", "count")
	if err := signIn(t, j.server, travellerAddress, travellerPassword); connect.CodeOf(err) != connect.CodePermissionDenied {
		t.Errorf("sign-in with the old password: got %v, want permission denied", err)
	}
	j.signInWith(changedPassword)
	j.page(http.MethodGet, "/private/recent", "").ok(t, "recent").says(t, "recent in a new session", "4", "count")
}

// forgetPassword resets it with a mailed link. What was shared before is out of
// reach from then on, and the account says how much that is.
func (j *traveller) forgetPassword() {
	t := j.t
	waits := j.curl(http.MethodPost, "/api/v1/share", "secret=still+waits").ok(t, "share")
	j.rpc("AccountService/RequestPasswordReset", fmt.Sprintf(`{"address":%q}`, travellerAddress)).ok(t, "asking for a reset")
	link := j.nextMail(travellerAddress, "/reset/").Link(t)
	sendAs(t, j.client, http.MethodGet, link, nil, "").ok(t, "the mailed link")
	differ := sendAs(t, j.client, http.MethodPost, link, nil, url.Values{"newp": {resetPassword}, "newp2": {changedPassword}}.Encode())
	if differ.status == http.StatusOK {
		t.Errorf("reset with two passwords: got %d, want a refusal", differ.status)
	}
	done := sendAs(t, j.client, http.MethodPost, link, nil, url.Values{"newp": {resetPassword}, "newp2": {resetPassword}}.Encode()).ok(t, "reset")
	if !strings.Contains(done.body, "can no longer be shown: 5") {
		t.Errorf("reset: got %s, want it to say that 5 entries are out of reach", done.body)
	}
	if got := j.curl(http.MethodGet, "/api/v1/authcheck", ""); got.status == http.StatusOK {
		t.Errorf("authcheck with a token from before the reset: got %d, want a refusal", got.status)
	}
	if got := j.page(http.MethodGet, "/account", ""); got.status == http.StatusOK {
		t.Errorf("account in a session from before the reset: got %d, want a refusal", got.status)
	}
	j.signInWith(resetPassword)
	j.rpc("AccountService/GetAccount", `{}`).ok(t, "account").says(t, "account", "5", "account", "sealedCount")
	j.page(http.MethodGet, "/private/recent", "").ok(t, "recent").says(t, "recent after a reset", "0", "count")
	sendAs(t, j.client, http.MethodGet, j.server.url+"/api/v1/private/"+waits.at(t, "metadata_key"), nil, "").ok(t, "a receipt by its own link")
}

// leave ends the account. What waits is burned, and nothing is left to sign in
// to.
func (j *traveller) leave() {
	t := j.t
	kept := j.page(http.MethodPost, "/secret/conceal", "secret=the+last+one").ok(t, "conceal")
	if got := j.page(http.MethodPost, "/account/destroy", url.Values{"confirmation": {changedPassword}}.Encode()); got.status == http.StatusOK {
		t.Errorf("destroy with an old password: got %d, want a refusal", got.status)
	}
	done := j.page(http.MethodPost, "/account/destroy", url.Values{"confirmation": {resetPassword}}.Encode()).ok(t, "destroy")
	done.says(t, "destroy", "4", "details", "burned")
	newDrivers(t, j.server, nil)[0].reveal(t.Context(), kept.at(t, "record", "secret", "key"), "").want(t, "reveal after the end", outcomeUnknown)
	if err := signIn(t, j.server, travellerAddress, resetPassword); connect.CodeOf(err) != connect.CodePermissionDenied {
		t.Errorf("sign-in after the end: got %v, want permission denied", err)
	}
	if got := sendAs(t, j.client, http.MethodGet, "http://"+travellerDomain+"/healthz", nil, ""); got.status != http.StatusOK {
		t.Errorf("healthz on the domain: got %d, want 200", got.status)
	}
}
