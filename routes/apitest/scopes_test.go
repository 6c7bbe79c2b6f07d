package apitest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/routes/apitest"
)

// receiptCaller holds a receipt's key, and maybe a credential.
type receiptCaller struct {
	name   string
	header http.Header
	// reveals says that it is the owner with the scope reveal.
	reveals bool
}

// receiptCallers are everybody who may hold the key of ada's receipt: an API
// token of each scope lists it, and links of receipts are passed on.
func receiptCallers(t *testing.T, k *apitest.Accounts, client *http.Client, url string) []receiptCaller {
	t.Helper()
	made := apitest.Call(t, client, url, "/hush.v1.AccountService/GenerateApiToken", apitest.Bearer(k.Ada.Token),
		`{"name":"both","scopes":["TOKEN_SCOPE_METADATA","TOKEN_SCOPE_REVEAL"]}`)
	both := made.At(t, "token")
	callers := []receiptCaller{
		{"anonymous", nil, false},
		{"owner's session", k.Ada.Sessions[0].Page(url), true},
		{"owner's token", apitest.Bearer(k.Ada.Token), true},
		{"owner's token by Basic", apitest.Basic(k.Ada.Address, k.Ada.Token), true},
		{"owner's token for metadata and reveal", apitest.Bearer(both), true},
		{"other account's token", apitest.Bearer(k.Bob.Token), false},
		{"other account's session", k.Bob.Sessions[0].Page(url), false},
		{"colonel's session", k.Cleo.Sessions[0].Page(url), false},
	}
	for name, scope := range apitest.Scopes() {
		// A token for reveal alone is refused wherever a receipt is shown.
		callers = append(callers, receiptCaller{"owner's token for " + name, apitest.Bearer(k.Ada.Narrow[scope]), false})
	}
	return callers
}

// receiptCall is a way to a receipt; %s is its key.
type receiptCall struct {
	method, path, body string
	// shows says that the answer has the secret's key for those who may see it.
	shows bool
}

func receiptCalls() []receiptCall {
	const rpc = "/hush.v1."
	calls := []receiptCall{
		{"POST", rpc + "MetadataService/GetMetadata", `{"metadata_key":"%s"}`, true},
		{"POST", rpc + "MetadataService/WatchMetadata", `{"metadata_key":"%s"}`, true},
		{"POST", rpc + "MetadataService/UpdateMetadata", `{"metadata_key":"%s","memo":"x"}`, true},
		{"POST", rpc + "MetadataService/BatchGetMetadata", `{"metadata_keys":["%s"]}`, true},
		{"POST", rpc + "MetadataService/ListMetadata", emptyObject, false},
		{"POST", "/api/v3/guest/receipts", "identifiers=%s", true},
		{"GET", "/api/v3/receipt/%s", "", true},
		{"PATCH", "/api/v3/guest/receipt/%s", "memo=x", true},
		{"GET", "/api/v3/receipt/recent", "", false},
		{"POST", rpc + "AccountService/ExportAccount", emptyObject, false},
		{"POST", rpc + "SecretService/BurnSecret", `{"metadata_key":"%s"}`, false},
		{"POST", "/private/%s", "", false}, // for browsers without scripts
	}
	for _, name := range []string{"private", "metadata", "receipt"} {
		v1, v2, guest := "/api/v1/"+name, "/api/v2/"+name, "/api/v2/guest/"+name
		calls = append(calls,
			receiptCall{"GET", v1 + "/%s", "", true}, receiptCall{"POST", v1 + "/%s", "", true},
			receiptCall{"GET", v1 + "/recent", "", false}, receiptCall{"POST", v1 + "/recent", "", false},
			receiptCall{"POST", v1 + "/%s/burn", "", false},
			receiptCall{"GET", v2 + "/%s", "", true}, receiptCall{"PATCH", v2 + "/%s", "memo=x", true},
			receiptCall{"GET", v2 + "/recent", "", false}, receiptCall{"POST", v2 + "/%s/burn", "continue=true", false},
			receiptCall{"GET", guest + "/%s", "", true}, receiptCall{"PATCH", guest + "/%s", "memo=x", true},
			receiptCall{"POST", guest + "/%s/burn", "continue=true", false})
	}
	return calls
}

// send fills in the receipt's key and calls.
func (c receiptCall) send(t *testing.T, client *http.Client, url string, header http.Header, key string) apitest.Reply {
	t.Helper()
	fill := strings.NewReplacer("%s", key)
	return apitest.Send(t, client, c.method, url+fill.Replace(c.path), header, fill.Replace(c.body))
}

// kept conceals a secret and returns its key and its receipt's.
func kept(t *testing.T, client *http.Client, url string, header http.Header) (secret, receipt string) {
	t.Helper()
	got := apitest.Call(t, client, url, "/hush.v1.SecretService/ConcealSecret", header, `{"secret":"x"}`)
	secret, receipt = got.At(t, "secret", "secretKey"), got.At(t, "metadata", "metadataKey")
	if len(secret) != 31 || len(receipt) != 31 {
		t.Fatalf("ConcealSecret: got %d %s, want two keys", got.Status, got.Body)
	}
	return secret, receipt
}

// The attack: an API token for metadata alone is stolen, from a script that
// looks after receipts. It lists the account's receipts and asks for each, with
// the token or without it; a receipt that answered the secret's key or a link
// would let the thief read every secret that has no passphrase. A token for the
// account does the same by way of the export.
func TestNarrowTokensReadNoSecrets(t *testing.T) {
	t.Parallel()
	env, s := apitest.StartAccounts(t, apitest.Options{})
	client := s.Client(t, false, nil)
	for _, caller := range receiptCallers(t, env, client, s.URL) {
		for _, call := range receiptCalls() {
			name := call.method + " " + call.path + " by " + caller.name
			secret, receipt := kept(t, client, s.URL, apitest.Bearer(env.Ada.Token))
			got := call.send(t, client, s.URL, caller.header, receipt)
			want := caller.reveals && call.shows
			if shown := strings.Contains(fmt.Sprint(got.Header, got.Body), secret); shown != want {
				t.Errorf("%s: got the secret's key %t in %d %s, want %t", name, shown, got.Status, got.Body, want)
			}
			if got.Status == http.StatusOK && !want {
				wantNoLink(t, name, got)
			}
		}
	}
}

// wantNoLink checks that a record of version 2 has texts where clients want
// them, as the record of a received secret has, and one of version 3 null.
func wantNoLink(t *testing.T, name string, got apitest.Reply) {
	t.Helper()
	if !strings.Contains(got.Body, `"share_url":`) {
		return
	}
	empty := func(member string) bool {
		count := func(value string) int { return strings.Count(got.Body, `"`+member+`":`+value) }
		return count(`""`)+count("null") == count("")
	}
	if !empty("share_url") || !empty("share_path") || strings.Contains(got.Body, `"secret_key"`) {
		t.Errorf("%s: got %s, want empty links and no key", name, got.Body)
	}
}

// An anonymous receipt is its sender's only proof: every holder is shown the
// link again.
func TestAnonymousReceiptsShowTheirLink(t *testing.T) {
	t.Parallel()
	env, s := apitest.StartAccounts(t, apitest.Options{})
	client := s.Client(t, false, nil)
	for _, caller := range receiptCallers(t, env, client, s.URL) {
		for _, call := range receiptCalls() {
			if !call.shows {
				continue
			}
			secret, receipt := kept(t, client, s.URL, nil)
			got := call.send(t, client, s.URL, caller.header, receipt)
			if shown := strings.Contains(got.Body, secret); shown != (got.Status == http.StatusOK) {
				t.Errorf("%s %s by %s: got the secret's key %t in %d %s", call.method, call.path, caller.name, shown, got.Status, got.Body)
			}
		}
	}
}

// A token that may conceal is answered the link of what it conceals, and never
// again.
func TestConcealTokenGetsItsLinkOnce(t *testing.T) {
	t.Parallel()
	env, s := apitest.StartAccounts(t, apitest.Options{})
	client := s.Client(t, false, nil)
	header := apitest.Bearer(env.Ada.Narrow[apitest.Scopes()["conceal"]])
	for _, call := range []struct{ path, body string }{
		{"/hush.v1.SecretService/ConcealSecret", `{"secret":"x"}`},
		{"/hush.v1.SecretService/GenerateSecret", emptyObject},
		{"/api/v1/share", "secret=x"},
		{"/api/v1/generate", ""},
		{"/api/v2/secret/conceal", "secret=x"},
		{"/api/v2/secret/generate", ""},
	} {
		got := apitest.Send(t, client, http.MethodPost, s.URL+call.path, header, call.body)
		if got.Status != http.StatusOK || !strings.Contains(got.Body, `"secret_key":"`) && !strings.Contains(got.Body, `"secretKey":"`) {
			t.Errorf("POST %s: got %d %s, want the secret's key", call.path, got.Status, got.Body)
		}
	}
	secret, receipt := kept(t, client, s.URL, header)
	for _, call := range receiptCalls() {
		got := call.send(t, client, s.URL, header, receipt)
		if strings.Contains(got.Body, secret) {
			t.Errorf("%s %s: got %d %s, want no key", call.method, call.path, got.Status, got.Body)
		}
	}
}

// The same over gRPC and gRPC-Web.
func TestNarrowTokensReadNoSecretsGRPC(t *testing.T) {
	t.Parallel()
	env, s := apitest.StartAccounts(t, apitest.Options{})
	client := s.Client(t, false, nil)
	for _, caller := range receiptCallers(t, env, client, s.URL) {
		for name, rpc := range map[string]hushv1connect.MetadataServiceClient{
			"gRPC":     hushv1connect.NewMetadataServiceClient(s.Client(t, true, caller.header), s.URL, connect.WithGRPC()),
			"gRPC-Web": hushv1connect.NewMetadataServiceClient(s.Client(t, false, caller.header), s.URL, connect.WithGRPCWeb()),
		} {
			secret, receipt := kept(t, client, s.URL, apitest.Bearer(env.Ada.Token))
			got, err := rpc.GetMetadata(t.Context(), &hushv1.GetMetadataRequest{MetadataKey: receipt})
			if shown := strings.Contains(fmt.Sprint(got, err), secret); shown != caller.reveals {
				t.Errorf("GetMetadata over %s by %s: got the secret's key %t (%v), want %t", name, caller.name, shown, err, caller.reveals)
			}
		}
	}
}
