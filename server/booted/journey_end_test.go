package booted_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/routes/apitest"
	"hush/server/servertest"
)

// report sends what people and browsers report.
func (j *traveller) report() {
	t := j.t
	j.page(http.MethodPost, "/feedback", url.Values{"msg": {"The otters are pleased"}, "tz": {"Europe/Lisbon"}}.Encode()).OK(t, "feedback")
	got := j.page(http.MethodPost, "/exception", url.Values{
		"message": {"otter is not defined"}, "type": {"ReferenceError"}, "url": {j.server.URL + "/secret/x?y=z"}, "line": {"7"},
	}.Encode()).OK(t, "exception")
	got.Says(t, "exception", "true", "record", "is_error")
	if strings.Contains(got.Body, "y=z") {
		t.Errorf("exception: got %s, want no query kept", got.Body)
	}
}

// lookAfter reads the colonel's page; others do not learn that there is one.
func (j *traveller) lookAfter() {
	t := j.t
	old := j.page(http.MethodGet, "/colonel", "").OK(t, "colonel")
	old.Says(t, "colonel", travellerAddress, "record", "recent_customers", 0, "custid")
	old.Says(t, "colonel", "The otters are pleased [TZ: Europe/Lisbon] ["+old.At(t, "record", "today_feedback", 0, "sender")+"]", "details", "today_feedback", 0, "msg")
	old.Says(t, "colonel", "5", "record", "counts", "secrets_created") // three of the traveller, two of visitors on the domain
	index := j.rpc("ColonelService/GetIndex", `{}`).OK(t, "index")
	index.Says(t, "index", "1", "counts", "domains")
	index.Says(t, "index", "1", "counts", "exceptions")
	index.Says(t, "index", travellerAddress, "recentAccounts", 0, "address")
	j.rpc("ColonelService/ListExceptions", `{}`).OK(t, "exceptions").Says(t, "exceptions", "otter is not defined", "exceptions", 0, "message")
	o := servertest.Operator{T: t, Data: j.server.Data}
	o.Ok("", "account", "create", "customer@elsewhere.com")
	customer := apitest.Bearer(strings.TrimSpace(o.Ok("", "token", "create", "customer@elsewhere.com").Stdout))
	for _, got := range []apitest.Reply{
		apitest.Send(t, j.client, http.MethodGet, j.server.URL+"/api/v2/colonel", customer, ""),
		apitest.Send(t, j.client, http.MethodGet, j.server.URL+"/api/v2/colonel", nil, ""),
		apitest.Call(t, j.client, j.server.URL, "/hush.v1.ColonelService/GetIndex", customer, `{}`),
	} {
		if got.Status == http.StatusOK || strings.Contains(got.Body, travellerAddress) {
			t.Errorf("colonel by somebody else: got %d %s, want a refusal", got.Status, got.Body)
		}
	}
}

// callByGRPC does a few of the same things with generated clients.
func (j *traveller) callByGRPC() {
	t := j.t
	client := servertest.HTTPClient(t, true, apitest.Basic(travellerAddress, j.token))
	ctx, url, grpc := t.Context(), j.server.URL, connect.WithGRPC()
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
	tokens := hushv1connect.NewAccountServiceClient(servertest.HTTPClient(t, true, j.session.Page(j.server.URL)), url, grpc)
	made, err := tokens.GenerateApiToken(ctx, &hushv1.GenerateApiTokenRequest{Name: "ci", Scopes: []hushv1.TokenScope{hushv1.TokenScope_TOKEN_SCOPE_CONCEAL}})
	if err != nil {
		t.Fatalf("GenerateApiToken: got %v, want nil", err)
	}
	narrow := servertest.HTTPClient(t, true, apitest.Bearer(made.GetToken()))
	apitest.MustConceal(t, apitest.NewRPCDriver("grpc", narrow, url, grpc), apitest.Terms{Secret: "by a program"})
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
	if wrong.Status == http.StatusOK || !strings.Contains(wrong.Body, "Current password is incorrect") {
		t.Errorf("change with a wrong password: got %d %s, want a refusal", wrong.Status, wrong.Body)
	}
	j.page(http.MethodPost, "/account/change-password", url.Values{"currentp": {travellerPassword}, "newp": {changedPassword}, "newp2": {changedPassword}}.Encode()).OK(t, "change")
	j.page(http.MethodGet, "/private/recent", "").OK(t, "recent").Says(t, "recent after a change", "4", "count")
	if err := servertest.SignIn(t, j.server, travellerAddress, travellerPassword); connect.CodeOf(err) != connect.CodePermissionDenied {
		t.Errorf("sign-in with the old password: got %v, want permission denied", err)
	}
	j.signInWith(changedPassword)
	j.page(http.MethodGet, "/private/recent", "").OK(t, "recent").Says(t, "recent in a new session", "4", "count")
}

// forgetPassword resets it with a mailed link. What was shared before is out of
// reach from then on, and the account says how much that is.
func (j *traveller) forgetPassword() {
	t := j.t
	waits := j.curl(http.MethodPost, "/api/v1/share", "secret=still+waits").OK(t, "share")
	j.rpc("AccountService/RequestPasswordReset", fmt.Sprintf(`{"address":%q}`, travellerAddress)).OK(t, "asking for a reset")
	link := j.nextMail(travellerAddress, "/reset/").Link(t)
	apitest.Send(t, j.client, http.MethodGet, link, nil, "").OK(t, "the mailed link")
	differ := apitest.Send(t, j.client, http.MethodPost, link, nil, url.Values{"newp": {resetPassword}, "newp2": {changedPassword}}.Encode())
	if differ.Status == http.StatusOK {
		t.Errorf("reset with two passwords: got %d, want a refusal", differ.Status)
	}
	done := apitest.Send(t, j.client, http.MethodPost, link, nil, url.Values{"newp": {resetPassword}, "newp2": {resetPassword}}.Encode()).OK(t, "reset")
	if !strings.Contains(done.Body, "can no longer be shown: 5") {
		t.Errorf("reset: got %s, want it to say that 5 entries are out of reach", done.Body)
	}
	if got := j.curl(http.MethodGet, "/api/v1/authcheck", ""); got.Status == http.StatusOK {
		t.Errorf("authcheck with a token from before the reset: got %d, want a refusal", got.Status)
	}
	if got := j.page(http.MethodGet, "/account", ""); got.Status == http.StatusOK {
		t.Errorf("account in a session from before the reset: got %d, want a refusal", got.Status)
	}
	j.signInWith(resetPassword)
	j.rpc("AccountService/GetAccount", `{}`).OK(t, "account").Says(t, "account", "5", "account", "sealedCount")
	j.page(http.MethodGet, "/private/recent", "").OK(t, "recent").Says(t, "recent after a reset", "0", "count")
	apitest.Send(t, j.client, http.MethodGet, j.server.URL+"/api/v1/private/"+waits.At(t, "metadata_key"), nil, "").OK(t, "a receipt by its own link")
}

// leave ends the account. What waits is burned, and nothing is left to sign in
// to.
func (j *traveller) leave() {
	t := j.t
	kept := j.page(http.MethodPost, "/secret/conceal", "secret=the+last+one").OK(t, "conceal")
	if got := j.page(http.MethodPost, "/account/destroy", url.Values{"confirmation": {changedPassword}}.Encode()); got.Status == http.StatusOK {
		t.Errorf("destroy with an old password: got %d, want a refusal", got.Status)
	}
	done := j.page(http.MethodPost, "/account/destroy", url.Values{"confirmation": {resetPassword}}.Encode()).OK(t, "destroy")
	done.Says(t, "destroy", "4", "details", "burned")
	servertest.Drivers(t, j.server, nil)[0].Reveal(t.Context(), kept.At(t, "record", "secret", "key"), "").Want(t, "reveal after the end", apitest.OutcomeUnknown)
	if err := servertest.SignIn(t, j.server, travellerAddress, resetPassword); connect.CodeOf(err) != connect.CodePermissionDenied {
		t.Errorf("sign-in after the end: got %v, want permission denied", err)
	}
	if got := apitest.Send(t, j.client, http.MethodGet, "http://"+travellerDomain+"/healthz", nil, ""); got.Status != http.StatusOK {
		t.Errorf("healthz on the domain: got %d, want 200", got.Status)
	}
}
