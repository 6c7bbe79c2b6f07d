package apitest_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"hush/routes/apitest"
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
	wantLink       = "link"       // the key alone is not enough, and no proof of another link
)

// asked is a request of ada's: the keys of its links, their proofs, and its id. file is the
// key of a file of hers that arrives.
type asked struct{ key, collect, proof, collectProof, id, file string }

// mustAsk makes a request with an account's token.
func mustAsk(t *testing.T, client *http.Client, url string, a *apitest.Account) asked {
	t.Helper()
	encode := base64.StdEncoding.EncodeToString
	link, collect := bytes.Repeat([]byte{2}, 32), bytes.Repeat([]byte{3}, 32)
	linkHash, collectHash := sha256.Sum256(link), sha256.Sum256(collect)
	got := apitest.Call(t, client, url, "/hush.v1.RequestService/CreateRequest", apitest.Bearer(a.Token), fmt.Sprintf(
		`{"card":%q,"link_proof_hash":%q,"collect_proof_hash":%q,"link_box":%q,"ttl":"3600s","answers":1}`,
		encode(make([]byte, 400)), encode(linkHash[:]), encode(collectHash[:]), encode(make([]byte, 104))))
	var made struct {
		RequestKey, CollectKey string
		Request                struct{ ID string }
	}
	if err := json.Unmarshal([]byte(got.Body), &made); err != nil || made.RequestKey == "" || made.Request.ID == "" {
		t.Fatalf("CreateRequest: got %d %s, want a request of the account", got.Status, got.Body)
	}
	return asked{made.RequestKey, made.CollectKey, encode(link), encode(collect), made.Request.ID, mustBeginFile(t, client, url, a)}
}

// mustBeginFile begins a file with an account's token, and returns its key.
func mustBeginFile(t *testing.T, client *http.Client, url string, a *apitest.Account) string {
	t.Helper()
	hash := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{4}, 32))
	got := apitest.Call(t, client, url, "/hush.v1.FileService/BeginFile", apitest.Bearer(a.Token), fmt.Sprintf(
		`{"size":"328","link_proof_hash":%q,"proof_hash":%q,"upload_token":%q}`, hash, hash, hash))
	var made struct{ Secret struct{ SecretKey string } }
	if err := json.Unmarshal([]byte(got.Body), &made); err != nil || made.Secret.SecretKey == "" {
		t.Fatalf("BeginFile: got %d %s, want a file of the account", got.Status, got.Body)
	}
	return made.Secret.SecretKey
}

// strangeCalls name ada's objects in every RPC that takes the name of one. Her request is
// named with the proof of another link, and with that of its own other link.
func strangeCalls(ada *apitest.Account, a asked) []strange {
	guarded, secret := ada.Guarded.Metadata.Key.Expose(), ada.Guarded.Secret.Key.Expose()
	list := []strange{
		{"AccountService/RevokeApiToken", fmt.Sprintf(`{"token_id":%q}`, ada.TokenID), wantNotFound},
		{"SessionService/RevokeSessions", fmt.Sprintf(`{"session_ids":[%q]}`, ada.Sessions[0].ID), wantNothing},
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
		{"DomainService/GetPublicImage", fmt.Sprintf(`{"domain_id":%q}`, ada.Domain.ID), wantPublic},
		{"DomainService/GetPublicBrand", fmt.Sprintf(`{"domain":%q}`, ada.Domain.Name), wantPublic},
		{"DomainService/AddDomain", fmt.Sprintf(`{"domain":%q}`, ada.Domain.ID), wantNothing},
		{"ColonelService/BurnReportedSecret", fmt.Sprintf(`{"link":%q}`, secret), wantNotFound},
		{"AccountService/RevokeInvite", fmt.Sprintf(`{"invite_id":%q}`, strings.Repeat("0", 44)), wantNotFound},
		{"ColonelService/FindAccount", fmt.Sprintf(`{"account":%q}`, ada.Address), wantNotFound},
		{"ColonelService/SetAccountRole", fmt.Sprintf(`{"account":%q,"role":"ROLE_COLONEL"}`, ada.Address), wantNotFound},
		{"ColonelService/DisableAccount", fmt.Sprintf(`{"account":%q}`, ada.Address), wantNotFound},
		{"ColonelService/ResetAccountPassword", fmt.Sprintf(`{"account":%q}`, ada.Address), wantNotFound},
		{"ColonelService/DestroyOtherAccount", fmt.Sprintf(`{"account":%q}`, ada.Address), wantNotFound},
	}
	for _, rpc := range []string{"PutPart", "GetUpload", "RestartUpload", "FinishFile", "CancelUpload", "GetPart"} {
		body := declaredRPCs()["/hush.v1.FileService/"+rpc].body
		want := wantLink // the upload token is another one
		if rpc == "GetPart" {
			want = wantNotFound
		}
		list = append(list, strange{"FileService/" + rpc, strings.Replace(body, unknownKey, a.file, 1), want},
			strange{"FileService/" + rpc, strings.Replace(body, unknownKey, secret, 1), wantNotFound})
	}
	answer := declaredRPCs()["/hush.v1.RequestService/AnswerRequest"].body
	for key, want := range map[string]string{a.key: wantLink, a.collect: wantNotFound} {
		list = append(list, strange{"ColonelService/WithdrawReportedRequest", fmt.Sprintf(`{"request_key":%q}`, key), wantNotFound})
		for _, proof := range []string{unknownClaim, a.collectProof} {
			list = append(list,
				strange{"RequestService/GetRequest", fmt.Sprintf(`{"request_key":%q,"link_proof":%q}`, key, proof), want},
				strange{"RequestService/AnswerRequest", strings.NewReplacer(`"request_key":"`+unknownKey, `"request_key":"`+key,
					`"link_proof":"`+unknownClaim, `"link_proof":"`+proof).Replace(answer), want})
		}
	}
	for key, want := range map[string]string{a.collect: wantLink, a.key: wantNotFound} {
		for _, proof := range []string{unknownClaim, a.proof} {
			link := fmt.Sprintf(`{"collect_key":%q,"collect_proof":%q`, key, proof)
			list = append(list,
				strange{"RequestService/GetCollection", link + `}`, want}, strange{"RequestService/WatchCollection", link + `}`, want},
				strange{"RequestService/BurnAnswer", link + `,"number":"AQEBAQEBAQEBAQEBAQEBAQ=="}`, want},
				strange{"RequestService/CloseRequest", link + `,"burn_answers":true}`, want})
		}
	}
	list = append(list, strange{"RequestService/CloseRequest", fmt.Sprintf(`{"id":%q,"burn_answers":true}`, a.id), wantNotFound})
	for _, name := range []string{ada.Domain.ID, ada.Domain.Name, strings.ToUpper(ada.Domain.Name) + "."} {
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
	return append(list, strange{"DomainService/AddDomain", fmt.Sprintf(`{"domain":%q}`, ada.Domain.Name), wantOwn})
}

// The attack: name the objects of another account, with an account or
// anonymously. Nothing is shown, nothing changes, and the response does not
// even reveal that they exist.
func TestMatrixObjects(t *testing.T) {
	t.Parallel()
	env, s := apitest.StartAccounts(t, apitest.Options{})
	client := s.Client(t, false, nil)
	a := mustAsk(t, client, s.URL, &env.Ada)
	calls := strangeCalls(&env.Ada, a)
	wantAllObjects(t, calls)
	before := possessions(t, client, s.URL, &env.Ada)
	callers := map[string]http.Header{
		"other account": apitest.Bearer(env.Bob.Token), "other account's session": env.Bob.Sessions[0].Page(s.URL),
	}
	for name, header := range callers {
		for _, call := range calls {
			got := apitest.Call(t, client, s.URL, "/hush.v1."+call.procedure, header, call.body)
			if what := strangeOutcome(t, got); !call.admits(what) {
				t.Errorf("%s of what is ada's by %s: got %s (%d %s), want %s", call.procedure, name, what, got.Status, got.Body, call.want)
			}
			wantNoneOf(t, call.procedure+" by "+name, got, belongingsOf(&env.Ada, a, call.body))
			if strings.Contains(got.Body, `"events"`) || strings.Contains(got.Body, `"deliveries"`) {
				t.Errorf("%s by %s: got %s, want neither events nor deliveries", call.procedure, name, got.Body)
			}
		}
		remove := fmt.Sprintf(`{"domain":%q}`, env.Ada.Domain.Name) // the caller's own claim
		if got := apitest.Call(t, client, s.URL, "/hush.v1.DomainService/RemoveDomain", header, remove); got.Status != http.StatusOK {
			t.Errorf("RemoveDomain of the own claim by %s: got %d %s, want 200", name, got.Status, got.Body)
		}
	}
	if after := possessions(t, client, s.URL, &env.Ada); after != before {
		t.Errorf("ada's objects: got\n%s\nwant them unchanged:\n%s", after, before)
	}
	for i, in := range env.Ada.Sessions {
		if got := apitest.Call(t, client, s.URL, "/hush.v1.AccountService/GetAccount", in.Page(s.URL), emptyObject); got.Status != http.StatusOK {
			t.Errorf("session %d of ada's: got %d %s, want it alive", i, got.Status, got.Body)
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

func strangeOutcome(t *testing.T, got apitest.Reply) string {
	t.Helper()
	switch {
	case strings.Contains(got.Body, `"REASON_LINK"`), // a stream says so with status 200
		strings.Contains(got.Body, `"the upload token is wrong"`):
		return wantLink
	case got.Status == http.StatusOK && strings.Contains(got.Body, `"error":{"code":"not_found"`):
		return wantNotFound
	case got.Status == http.StatusOK:
		if strings.Contains(got.Body, `"revoked":`) {
			return "revoked"
		}
		return "ok"
	case strings.Contains(got.Body, `"REASON_PASSPHRASE"`):
		return wantPassphrase
	case strings.Contains(got.Body, `"code":"not_found"`), got.Status == http.StatusNotFound:
		return wantNotFound
	}
	return "refused"
}

// wantAllObjects wants a call for every RPC that takes the name of an object.
func wantAllObjects(t *testing.T, calls []strange) {
	t.Helper()
	naming := []protoreflect.Name{
		"domain", "domain_id", "token_id", "session_ids", "metadata_key", "metadata_keys", "secret_key", "secret_keys", "link",
		"account_id", "session_id", "exception_id", "account", "invite_id", "request_key", "collect_key", "id",
	}
	for procedure, method := range apitest.PublicMethods() {
		named := slices.ContainsFunc(naming, func(name protoreflect.Name) bool { return method.Input().Fields().ByName(name) != nil })
		called := slices.ContainsFunc(calls, func(c strange) bool { return "/hush.v1."+c.procedure == procedure })
		if named != called {
			t.Errorf("%s takes the name of an object: %t; got a call that names somebody else's: %t", procedure, named, called)
		}
	}
}

// belongingsOf is what no response to another caller may contain, except what
// that caller sent.
func belongingsOf(a *apitest.Account, request asked, sent string) *apitest.Canaries {
	all := &apitest.Canaries{}
	for what, text := range map[string]string{
		"address": a.Address, "account id": a.ID, "token": a.Token, "token id": a.TokenID,
		"TXT value": a.Domain.TXTValue, "domain": a.Domain.Name, "domain id": a.Domain.ID,
		"secret key": a.Plain.Secret.Key.Expose(), "metadata key": a.Plain.Metadata.Key.Expose(),
		"guarded secret key": a.Guarded.Secret.Key.Expose(), "guarded metadata key": a.Guarded.Metadata.Key.Expose(),
		"cookie": a.Sessions[0].Cookie, "shrimp": a.Sessions[0].Shrimp, "session id": a.Sessions[0].ID,
		"request key": request.key, "collect key": request.collect, "request id": request.id,
	} {
		// A holder of a receipt's key sees whose it is, and the secret's key.
		shown := strings.Contains(sent, a.Guarded.Metadata.Key.Expose()) && (what == "guarded secret key" || what == "address")
		if !shown && !strings.Contains(strings.ToLower(sent), text) {
			all.Add(what, text)
		}
	}
	return all
}

// wantNoneOf searches a response for another account's belongings.
func wantNoneOf(t *testing.T, call string, got apitest.Reply, belongings *apitest.Canaries) {
	t.Helper()
	belongings.Search(t, "answer to "+call, []byte(fmt.Sprint(got.Header)+got.Body))
}

// possessions is whatever an account is shown of itself, but for what time and
// those who look change.
func possessions(t *testing.T, client *http.Client, url string, a *apitest.Account) string {
	t.Helper()
	var all strings.Builder
	for _, call := range []string{
		"AccountService/ListApiTokens", "SessionService/ListSessions", "DomainService/ListDomains", "MetadataService/ListMetadata",
		"RequestService/ListRequests",
	} {
		got := apitest.Call(t, client, url, "/hush.v1."+call, apitest.Bearer(a.Token), emptyObject)
		var answer any
		if err := json.Unmarshal([]byte(got.Body), &answer); got.Status != http.StatusOK || err != nil {
			t.Fatalf("%s: got %d %s, want 200 and JSON", call, got.Status, got.Body)
		}
		lasting, err := json.MarshalIndent(withoutTimes(answer), "", " ")
		if err != nil {
			t.Fatal(err)
		}
		all.Write(lasting)
	}
	for _, key := range []string{a.Guarded.Secret.Key.Expose(), a.Plain.Secret.Key.Expose()} {
		got := apitest.Call(t, client, url, "/hush.v1.SecretService/GetSecretStatus", nil, fmt.Sprintf(`{"secret_key":%q}`, key))
		fmt.Fprintln(&all, got.Status, strings.Contains(got.Body, "STATE_VIEWED"))
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
	env, s := apitest.StartAccounts(t, apitest.Options{})
	client := s.Client(t, false, nil)
	table, a := declaredRPCs(), mustAsk(t, client, s.URL, &env.Ada)
	for _, procedure := range procedures(t) {
		for _, column := range standings(env, s.URL) {
			if !strings.Contains(column.name, "other account by") && !strings.Contains(column.name, "nonymous") {
				continue
			}
			got := apitest.Call(t, client, s.URL, procedure, column.header, table[procedure].body)
			wantNoneOf(t, procedure+" by "+column.name, got, belongingsOf(&env.Ada, a, ""))
		}
	}
	for _, row := range declaredRows() {
		got := apitest.Send(t, client, row.method, s.URL+row.address(), apitest.Bearer(env.Bob.Token), row.body(t))
		belongingsOf(&env.Ada, a, "").Search(t, row.name(), []byte(fmt.Sprint(got.Header)+got.Body))
	}
	own := apitest.Call(t, client, s.URL, "/hush.v1.AccountService/ExportAccount", apitest.Bearer(env.Ada.Token), emptyObject)
	for what, text := range maps.All(map[string]string{"address": env.Ada.Address, "metadata key": env.Ada.Plain.Metadata.Key.Expose(), "TXT value": env.Ada.Domain.TXTValue, "request id": a.id}) {
		if !strings.Contains(own.Body, text) {
			t.Errorf("ExportAccount by its owner: got no %s, want the search to have found it there", what)
		}
	}
}
