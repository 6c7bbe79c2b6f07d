package apitest_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"hush/routes/apitest"
)

// anyOrigin lists the RPCs that pages of any origin may call, written by hand.
func anyOrigin() []string {
	return []string{
		"RequestService/CreateRequest", "RequestService/GetRequest", "RequestService/AnswerRequest", "RequestService/GetCollection",
		"RequestService/WatchCollection", "RequestService/BurnAnswer",
		"SecretService/ConcealSecret", "SecretService/GenerateSecret", "SecretService/GetSecret", "SecretService/RevealSecret", "SecretService/AcknowledgeReveal",
		"FileService/BeginFile", "FileService/PutPart", "FileService/GetUpload", "FileService/RestartUpload", "FileService/FinishFile",
		"FileService/CancelUpload", "FileService/GetPart",
		"SecretService/BurnSecret", "SecretService/GetSecretStatus", "SecretService/ListSecretStatus",
		"MetadataService/GetMetadata", "MetadataService/BatchGetMetadata", "MetadataService/UpdateMetadata", "MetadataService/WatchMetadata",
		"SystemService/GetStatus", "SystemService/GetVersion", "SystemService/GetSupportedLocales", "SystemService/GetPolicy",
		"ChallengeService/AltchaChallenge", "DomainService/GetPublicBrand", "DomainService/GetPublicImage",
	}
}

func isAnyOrigin(procedure string) bool {
	return slices.Contains(anyOrigin(), strings.TrimPrefix(procedure, "/hush.v1."))
}

// stranger is a caller from a page of another site, and what it brings.
type stranger struct {
	name   string
	header http.Header
	// ambient callers bring what a browser may have added by itself.
	ambient, signed bool
}

// strangers are such callers from every foreign page.
func strangers(env *apitest.Accounts, url string) []stranger {
	bearer, basic := apitest.Bearer(env.Ada.Token), apitest.Basic(env.Ada.Address, env.Ada.Token)
	list := []stranger{
		{"an extension with Basic", beside(http.Header{"Origin": {"chrome-extension://abcdefgh"}, "Sec-Fetch-Site": {"cross-site"}}, basic), false, true},
		{"a program's page with Basic", beside(http.Header{"Origin": {"tauri://localhost"}}, basic), false, true},
		{"an extension with a session", beside(http.Header{"Origin": {"moz-extension://abcdefgh"}}, env.Ada.Sessions[0].Header()), true, false},
	}
	for _, o := range origins(url) {
		if !o.foreign {
			continue
		}
		list = append(list,
			stranger{o.name + " with nothing", o.header(), false, false},
			stranger{o.name + " with another cookie", beside(o.header(), http.Header{"Cookie": {"theme=dark"}}), false, false},
			stranger{o.name + " with Bearer", beside(o.header(), bearer), false, true},
			stranger{o.name + " with Bearer beside a session", beside(o.header(), env.Ada.Sessions[0].Header(), bearer), false, true},
			stranger{o.name + " with Basic", beside(o.header(), basic), true, true},
			stranger{o.name + " with a session", beside(o.header(), env.Ada.Sessions[0].Header()), true, false},
			stranger{o.name + " with an expired session", beside(o.header(), env.Expired.Header()), true, false})
	}
	return list
}

// expects is the rule: a page of another site may share and open, with what its
// script brings, but not with what the browser adds by itself.
func (s stranger) expects(d declared, procedure string, open bool) verdict {
	switch {
	case d.access == "colonel":
		return notThere
	case d.access == "account" && !s.signed:
		return unauthenticated
	case !open && (s.ambient || !isAnyOrigin(procedure)):
		return crossSite
	}
	return admitted
}

// shares reports whether the call would make a secret or a request of ada's: those are
// TestForeignOriginShares's.
func (s stranger) shares(procedure string) bool {
	return s.signed && (strings.HasSuffix(procedure, "/ConcealSecret") || strings.HasSuffix(procedure, "/GenerateSecret") || strings.HasSuffix(procedure, "/CreateRequest") ||
		strings.HasSuffix(procedure, "/BeginFile"))
}

// Extensions of browsers, installed programs, and pages on a LAN without TLS
// call from an origin that is not the service's. They may share and open.
//
// The attack: a page of another site uses what the browser of a victim adds by
// itself, which is a session's cookie or a Basic credential that was typed
// once. That is refused, as is everything that makes sessions or changes
// accounts, whatever it brings.
func TestForeignOrigins(t *testing.T) {
	t.Parallel()
	env, s := apitest.StartAccounts(t, apitest.Options{})
	client := s.Client(t, false, nil)
	before := possessions(t, client, s.URL, &env.Ada)
	table := declaredRPCs()
	for _, procedure := range procedures(t) {
		unknown := unknownBeside(t, client, s.URL, procedure)
		for _, c := range strangers(env, s.URL) {
			if c.shares(procedure) {
				continue
			}
			got := apitest.Send(t, client, http.MethodPost, s.URL+procedure, beside(c.header, http.Header{"Content-Type": {"application/json"}}), table[procedure].body)
			if v, want := verdictOf(t, got, unknown), c.expects(table[procedure], procedure, false); v != want {
				t.Errorf("%s by %s: got %s (%d %s), want %s", procedure, c.name, v, got.Status, got.Body, want)
			}
			if got.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s by %s: got Access-Control-Allow-Origin %q, want none", procedure, c.name, got.Header.Get("Access-Control-Allow-Origin"))
			}
		}
	}
	for _, row := range declaredRows() {
		if row.method == http.MethodGet || row.method == http.MethodOptions {
			continue
		}
		for _, c := range strangers(env, s.URL) {
			if c.shares(row.procedure) {
				continue
			}
			got := apitest.Send(t, client, row.method, s.URL+row.address(), c.header, row.body(t))
			if v, want := legacyVerdict(t, row, got), c.expects(table[row.procedure], row.procedure, row.open); v != want {
				t.Errorf("%s by %s: got %s (%d %s), want %s", row.name(), c.name, v, got.Status, got.Body, want)
			}
			if allowed := got.Header.Get("Access-Control-Allow-Origin"); (allowed == "*") != row.open {
				t.Errorf("%s by %s: got Access-Control-Allow-Origin %q, want it on open rows alone", row.name(), c.name, allowed)
			}
		}
	}
	if after := possessions(t, client, s.URL, &env.Ada); after != before {
		t.Errorf("ada's objects: got\n%s\nwant them unchanged:\n%s", after, before)
	}
}

// What a script of any origin shares with a token is the account's.
func TestForeignOriginShares(t *testing.T) {
	t.Parallel()
	env, s := apitest.StartAccounts(t, apitest.Options{})
	client := s.Client(t, false, nil)
	for _, c := range strangers(env, s.URL) {
		got := apitest.Send(t, client, http.MethodPost, s.URL+"/api/v1/share", c.header, "secret=x")
		want := http.StatusOK
		if c.ambient {
			want = http.StatusNotFound
		}
		if got.Status != want || c.signed && !c.ambient && !strings.Contains(got.Body, env.Ada.Address) ||
			!c.signed && strings.Contains(got.Body, env.Ada.Address) || got.Header.Get("Set-Cookie") != "" {
			t.Errorf("POST /share by %s: got %d %s, want %d", c.name, got.Status, got.Body, want)
		}
	}
}

// No answer asks a browser for a password. A browser that was never asked has
// none to add.
func TestNoChallenge(t *testing.T) {
	t.Parallel()
	env, s := apitest.StartAccounts(t, apitest.Options{})
	client := s.Client(t, false, nil)
	for _, path := range []string{"/", "/api/v1/authcheck", "/api/v2/account", "/api/v3/receipt/recent", "/hush.v1.AccountService/GetAccount"} {
		for _, header := range []http.Header{nil, apitest.Basic(env.Ada.Address, "x"), apitest.Bearer("x")} {
			got := apitest.Send(t, client, http.MethodPost, s.URL+path, beside(header, http.Header{"Content-Type": {"application/json"}}), emptyObject)
			if asks := got.Header.Get("WWW-Authenticate"); asks != "" || got.Status == http.StatusOK {
				t.Errorf("POST %s: got %d and WWW-Authenticate %q, want no challenge", path, got.Status, asks)
			}
		}
	}
}
