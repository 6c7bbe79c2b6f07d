package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// strange is a call that names an object of another account, and the word for
// what has to come of it.
type strange struct{ procedure, body, want string }

// The possible results of naming another account's object.
const (
	wantNotFound   = "not found"
	wantNothing    = "nothing"    // it is done to nothing
	wantCapability = "capability" // every holder of the key may, as the contract says
	wantPassphrase = "passphrase" // the key alone is not enough
	wantPublic     = "public"     // everybody may see it, once it is verified
	wantOwn        = "own"        // it makes an object of the caller's own
)

// strangeCalls name ada's objects in every RPC that takes the name of one.
func strangeCalls(ada *testAccount) []strange {
	guarded, secret := ada.guarded.Metadata.Key.Expose(), ada.guarded.Secret.Key.Expose()
	list := []strange{
		{"AccountService/RevokeApiToken", fmt.Sprintf(`{"token_id":%q}`, ada.tokenID), wantNotFound},
		{"SessionService/RevokeSessions", fmt.Sprintf(`{"session_ids":[%q]}`, ada.sessions[0].id), wantNothing},
		// The receipt alone burns, as TestBurnByReceipt of the vault holds; these ask for the passphrase.
		{"SecretService/BurnSecret", fmt.Sprintf(`{"metadata_key":%q,"require_passphrase":true}`, guarded), wantPassphrase},
		{"SecretService/BurnSecret", fmt.Sprintf(`{"metadata_key":%q,"passphrase":"wrong","require_passphrase":true}`, guarded), wantPassphrase},
		{"SecretService/RevealSecret", fmt.Sprintf(`{"secret_key":%q}`, secret), wantPassphrase},
		{"SecretService/AcknowledgeReveal", fmt.Sprintf(`{"secret_key":%q,"claim":%q}`, secret, unknownClaim), wantCapability},
		{"SecretService/GetSecret", fmt.Sprintf(`{"secret_key":%q}`, secret), wantCapability},
		{"SecretService/GetSecretStatus", fmt.Sprintf(`{"secret_key":%q}`, secret), wantCapability},
		{"SecretService/ListSecretStatus", fmt.Sprintf(`{"secret_keys":[%q]}`, secret), wantCapability},
		{"MetadataService/GetMetadata", fmt.Sprintf(`{"metadata_key":%q}`, guarded), wantCapability},
		{"MetadataService/BatchGetMetadata", fmt.Sprintf(`{"metadata_keys":[%q]}`, guarded), wantCapability},
		{"MetadataService/UpdateMetadata", fmt.Sprintf(`{"metadata_key":%q}`, guarded), wantCapability},
		{"MetadataService/WatchMetadata", fmt.Sprintf(`{"metadata_key":%q}`, guarded), wantCapability},
		{"DomainService/GetPublicImage", fmt.Sprintf(`{"domain_id":%q}`, ada.domain.ID), wantPublic},
		{"DomainService/GetPublicBrand", fmt.Sprintf(`{"domain":%q}`, ada.domain.Name), wantPublic},
		{"DomainService/AddDomain", fmt.Sprintf(`{"domain":%q}`, ada.domain.ID), wantNothing},
		{"ColonelService/BurnReportedSecret", fmt.Sprintf(`{"link":%q}`, secret), wantNotFound},
		{"AccountService/RevokeInvite", fmt.Sprintf(`{"invite_id":%q}`, strings.Repeat("0", 44)), wantNotFound},
		{"ColonelService/FindAccount", fmt.Sprintf(`{"account":%q}`, ada.address), wantNotFound},
		{"ColonelService/SetAccountRole", fmt.Sprintf(`{"account":%q,"role":"ROLE_COLONEL"}`, ada.address), wantNotFound},
		{"ColonelService/DisableAccount", fmt.Sprintf(`{"account":%q}`, ada.address), wantNotFound},
		{"ColonelService/ResetAccountPassword", fmt.Sprintf(`{"account":%q}`, ada.address), wantNotFound},
		{"ColonelService/DestroyOtherAccount", fmt.Sprintf(`{"account":%q}`, ada.address), wantNotFound},
	}
	for _, name := range []string{ada.domain.ID, ada.domain.Name, strings.ToUpper(ada.domain.Name) + "."} {
		for _, rpc := range []string{"RemoveDomain", "GetDomain", "VerifyDomain", "GetDomainBrand"} {
			list = append(list, strange{"DomainService/" + rpc, fmt.Sprintf(`{"domain":%q}`, name), wantNotFound})
		}
		for _, rpc := range []string{"GetDomainLogo", "DeleteDomainLogo"} {
			list = append(list, strange{"DomainService/" + rpc, fmt.Sprintf(`{"domain":%q,"kind":1}`, name), wantNotFound})
		}
		list = append(list,
			strange{"DomainService/UpdateDomainBrand", fmt.Sprintf(`{"domain":%q,"brand":{"description":"mine"}}`, name), wantNotFound},
			strange{"DomainService/UpdateDomainLogo", fmt.Sprintf(`{"domain":%q,"kind":1,"content":"AAAA"}`, name), wantNotFound})
	}
	// Every account may claim a name; only the one that proves it gets it.
	// Last, so that the earlier calls find no claim of the caller's.
	return append(list, strange{"DomainService/AddDomain", fmt.Sprintf(`{"domain":%q}`, ada.domain.Name), wantOwn})
}

// The attack: name the objects of another account, with an account or
// anonymously. Nothing is shown, nothing changes, and the response does not
// even reveal that they exist.
func TestMatrixObjects(t *testing.T) {
	t.Parallel()
	env, s := startAccounts(t, "--rate-limits=off", "--log-level=error")
	client := newHTTPClient(t, false, nil)
	calls := strangeCalls(&env.ada)
	wantAllObjects(t, calls)
	before := possessions(t, client, s.url, &env.ada)
	callers := map[string]http.Header{
		"other account": bearerHeader(env.bob.token), "other account's session": env.bob.sessions[0].page(s.url),
	}
	for name, header := range callers {
		for _, call := range calls {
			got := callAs(t, client, s.url, "/hush.v1."+call.procedure, header, call.body)
			if what := strangeOutcome(t, got); !call.admits(what) {
				t.Errorf("%s of what is ada's by %s: got %s (%d %s), want %s", call.procedure, name, what, got.status, got.body, call.want)
			}
			wantNoneOf(t, call.procedure+" by "+name, got, env.ada.belongings(call.body))
			if strings.Contains(got.body, `"events"`) || strings.Contains(got.body, `"deliveries"`) {
				t.Errorf("%s by %s: got %s, want neither events nor deliveries", call.procedure, name, got.body)
			}
		}
		remove := fmt.Sprintf(`{"domain":%q}`, env.ada.domain.Name) // the caller's own claim
		if got := callAs(t, client, s.url, "/hush.v1.DomainService/RemoveDomain", header, remove); got.status != http.StatusOK {
			t.Errorf("RemoveDomain of the own claim by %s: got %d %s, want 200", name, got.status, got.body)
		}
	}
	if after := possessions(t, client, s.url, &env.ada); after != before {
		t.Errorf("ada's objects: got\n%s\nwant them unchanged:\n%s", after, before)
	}
	for i, in := range env.ada.sessions {
		if got := callAs(t, client, s.url, "/hush.v1.AccountService/GetAccount", in.page(s.url), emptyObject); got.status != http.StatusOK {
			t.Errorf("session %d of ada's: got %d %s, want it alive", i, got.status, got.body)
		}
	}
}

// admits reports whether an outcome is the expected one.
func (s strange) admits(outcome string) bool {
	switch s.want {
	case wantCapability, wantOwn:
		return outcome == "ok"
	case wantNothing:
		return outcome == "ok" || outcome == "refused"
	case wantPublic:
		return outcome == wantNotFound
	}
	return outcome == s.want
}

func strangeOutcome(t *testing.T, got testReply) string {
	t.Helper()
	switch {
	case got.status == http.StatusOK:
		if strings.Contains(got.body, `"revoked":`) {
			return "revoked"
		}
		return "ok"
	case strings.Contains(got.body, `"REASON_PASSPHRASE"`):
		return wantPassphrase
	case strings.Contains(got.body, `"code":"not_found"`), got.status == http.StatusNotFound:
		return wantNotFound
	}
	return "refused"
}

// wantAllObjects wants a call for every RPC that takes the name of an object.
func wantAllObjects(t *testing.T, calls []strange) {
	t.Helper()
	naming := []protoreflect.Name{
		"domain", "domain_id", "token_id", "session_ids", "metadata_key", "metadata_keys", "secret_key", "secret_keys", "link",
		"account_id", "session_id", "exception_id", "account", "invite_id",
	}
	for procedure, method := range publicMethods() {
		named := slices.ContainsFunc(naming, func(name protoreflect.Name) bool { return method.Input().Fields().ByName(name) != nil })
		called := slices.ContainsFunc(calls, func(c strange) bool { return "/hush.v1."+c.procedure == procedure })
		if named != called {
			t.Errorf("%s takes the name of an object: %t; got a call that names somebody else's: %t", procedure, named, called)
		}
	}
}

// belongings is what no response to another caller may contain, except what
// that caller sent.
func (a *testAccount) belongings(sent string) *canaries {
	all := &canaries{}
	for what, text := range map[string]string{
		"address": a.address, "account id": a.id, "token": a.token, "token id": a.tokenID,
		"TXT value": a.domain.TXTValue, "domain": a.domain.Name, "domain id": a.domain.ID,
		"secret key": a.plain.Secret.Key.Expose(), "metadata key": a.plain.Metadata.Key.Expose(),
		"guarded secret key": a.guarded.Secret.Key.Expose(), "guarded metadata key": a.guarded.Metadata.Key.Expose(),
		"cookie": a.sessions[0].cookie, "shrimp": a.sessions[0].shrimp, "session id": a.sessions[0].id,
	} {
		// A holder of a receipt's key sees whose it is, and the secret's key.
		shown := strings.Contains(sent, a.guarded.Metadata.Key.Expose()) && (what == "guarded secret key" || what == "address")
		if !shown && !strings.Contains(strings.ToLower(sent), text) {
			all.add(what, text)
		}
	}
	return all
}

// wantNoneOf searches a response for another account's belongings.
func wantNoneOf(t *testing.T, call string, got testReply, belongings *canaries) {
	t.Helper()
	belongings.search(t, "answer to "+call, []byte(fmt.Sprint(got.header)+got.body))
}

// possessions is whatever an account is shown of itself, but for what time and
// those who look change.
func possessions(t *testing.T, client *http.Client, url string, a *testAccount) string {
	t.Helper()
	var all strings.Builder
	for _, call := range []string{
		"AccountService/ListApiTokens", "SessionService/ListSessions", "DomainService/ListDomains", "MetadataService/ListMetadata",
	} {
		got := callAs(t, client, url, "/hush.v1."+call, bearerHeader(a.token), emptyObject)
		var answer any
		if err := json.Unmarshal([]byte(got.body), &answer); got.status != http.StatusOK || err != nil {
			t.Fatalf("%s: got %d %s, want 200 and JSON", call, got.status, got.body)
		}
		lasting, err := json.MarshalIndent(withoutTimes(answer), "", " ")
		if err != nil {
			t.Fatal(err)
		}
		all.Write(lasting)
	}
	for _, key := range []string{a.guarded.Secret.Key.Expose(), a.plain.Secret.Key.Expose()} {
		got := callAs(t, client, url, "/hush.v1.SecretService/GetSecretStatus", nil, fmt.Sprintf(`{"secret_key":%q}`, key))
		fmt.Fprintln(&all, got.status, strings.Contains(got.body, "STATE_VIEWED"))
	}
	return all.String()
}

func withoutTimes(answer any) any {
	switch at := answer.(type) {
	case map[string]any:
		for _, name := range []string{"useTime", "updateTime", "ttlLeft", "secretTtlLeft", "events"} {
			delete(at, name)
		}
		for _, value := range at {
			withoutTimes(value)
		}
	case []any:
		for _, value := range at {
			withoutTimes(value)
		}
	}
	return answer
}

// The responses of methods that list or show without naming an object are
// searched for everything that belongs to others, for every caller.
func TestMatrixShowsNobodyElses(t *testing.T) {
	t.Parallel()
	env, s := startAccounts(t, "--rate-limits=off", "--log-level=error")
	client := newHTTPClient(t, false, nil)
	table := declaredRPCs()
	for _, procedure := range procedures(t) {
		for _, column := range standings(env, s.url) {
			if !strings.Contains(column.name, "other account by") && !strings.Contains(column.name, "nonymous") {
				continue
			}
			got := callAs(t, client, s.url, procedure, column.header, table[procedure].body)
			wantNoneOf(t, procedure+" by "+column.name, got, env.ada.belongings(""))
		}
	}
	for _, row := range declaredRows() {
		got := sendAs(t, client, row.method, s.url+row.address(), bearerHeader(env.bob.token), row.body())
		env.ada.belongings("").search(t, row.name(), []byte(fmt.Sprint(got.header)+got.body))
	}
	own := callAs(t, client, s.url, "/hush.v1.AccountService/ExportAccount", bearerHeader(env.ada.token), emptyObject)
	for what, text := range maps.All(map[string]string{"address": env.ada.address, "metadata key": env.ada.plain.Metadata.Key.Expose(), "TXT value": env.ada.domain.TXTValue}) {
		if !strings.Contains(own.body, text) {
			t.Errorf("ExportAccount by its owner: got no %s, want the search to have found it there", what)
		}
	}
}
