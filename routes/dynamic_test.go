package routes_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hush/resolver"
	"hush/resolver/resolvertest"
	"hush/vault/account"
	"hush/vault/vaulttest"
)

// To everyone else, a path for colonels looks like an unknown path: the same
// bytes and headers, for every method, credential and query.
func TestColonelRoutesAreHidden(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	customer := s.account(t, ada, account.RoleCustomer)
	colonel := s.account(t, "colonel@example.com", account.RoleColonel)
	for _, test := range []struct{ hidden, nothing string }{
		{"/api/v2/colonel", "/api/v2/nothing"},
		{"/api/v2/colonel/", "/api/v2/nothing/"},
		{"/api/v2/colonel?a=%zz", "/api/v2/nothing?a=%zz"},
		{"/api/v2/%63olonel", "/api/v2/%6Eothing"},
		{"/hush.v1.ColonelService/GetIndex", "/hush.v1.NothingService/GetIndex"},
		{"/hush.v1.ColonelService/Nothing", "/hush.v1.NothingService/Nothing"},
		{"/hush.v1.ColonelService/", "/hush.v1.NothingService/"},
		{"/hush.v1.ColonelService", "/hush.v1.NothingService"},
		{"/hush.v1.ColonelService/FindAccount", "/hush.v1.ColonelService/Nothing"},
		{"/hush.v1.ColonelService/DestroyOtherAccount", "/hush.v1.ColonelService/Nothing"},
		{"/hush.v1.AccountService/CreateInvite", "/hush.v1.AccountService/Nothing"},
		{"/hush.v1.AccountService/CreateInvite/", "/hush.v1.AccountService/Nothing/"},
		{"/hush.v1.AccountService/ListInvites", "/hush.v1.AccountService/Nothing"},
		{"/hush.v1.AccountService/RevokeInvite", "/hush.v1.AccountService/Nothing"},
		{"/hush.v1.AccountService/%43reateInvite?a=%zz", "/hush.v1.AccountService/%4Eothing?a=%zz"},
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"} {
			for name, headers := range map[string][]string{
				"anonymous": nil, "customer": {"Authorization", customer}, "wrong token": {"Authorization", "Bearer x"},
				"other site": {"Sec-Fetch-Site", "cross-site"}, "JSON": {"Content-Type", "application/json"},
			} {
				got, want := answer(t, s.send(method, test.hidden, "", headers...)), answer(t, s.send(method, test.nothing, "", headers...))
				if diff := cmp.Diff(want, got); diff != "" || !strings.HasPrefix(got, "HTTP/1.1 404") {
					t.Errorf("%s %s as %s: got what an unknown path does not\n%s", method, test.hidden, name, diff)
				}
			}
		}
	}
	w := s.send(http.MethodGet, "/api/v2/colonel", "", "Authorization", colonel)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"customer_count":2,`) {
		t.Errorf("GET /api/v2/colonel as colonel: got %d %s, want 200 and two accounts", w.Code, w.Body)
	}
	if w := s.send(http.MethodPost, "/api/v2/colonel", "", "Authorization", colonel); w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST /api/v2/colonel as colonel: got %d, Allow %q", w.Code, w.Header().Get("Allow"))
	}
	w = s.send(http.MethodPost, "/hush.v1.ColonelService/GetIndex", "{}", "Authorization", colonel, "Content-Type", "application/json")
	if w.Code != http.StatusOK {
		t.Errorf("GetIndex as colonel: got %d %s, want 200", w.Code, w.Body)
	}
}

// Version 2 uses the visitor's language, version 1 English, because its clients
// compare its texts.
func TestLanguages(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	words := catalogue(t)
	for _, test := range []struct{ method, path, language, want string }{
		{"GET", "/api/v2/private/x", "de", `"message":"` + words.Text("de", "error.unknown") + `"`},
		{"GET", "/api/v2/private/x", "de-AT,en;q=0.5", `"message":"` + words.Text("de", "error.unknown") + `"`},
		{"GET", "/api/v2/private/x", "tlh", `"message":"Unknown secret"`},
		{"GET", "/api/v2/private/x", "", `"message":"Unknown secret"`},
		{"GET", "/api/v2/account", "fr", `"message":"` + words.Text("fr", "error.unauthorized") + `"`},
		{"POST", "/api/v2/secret/conceal", "de", `"message":"` + words.Text("de", "error.nothing") + `"`},
		{"PUT", "/api/v2/account", "de", `"message":"` + words.Text("de", "error.method") + `"`},
		{"GET", "/api/v2/nothing", "de", `{"message":"Not Found"}`},
		{"GET", "/api/v1/private/x", "de", `"message":"Unknown secret"`},
		{"GET", "/api/v1/authcheck", "de", `{"message":"Not authorized"}`},
		{"POST", "/api/v1/share", "de", `{"message":"You did not provide anything to share"}`},
		{"GET", "/api/v1/status", "de", `{"status":"nominal","locale":"de"}`},
		{"GET", "/api/v2/status", "pt-BR", `{"status":"nominal","locale":"pt_BR"}`},
		{"GET", "/api/v2/version", "uk", `{"version":["1","2","3"],"locale":"uk"}`},
		{"GET", "/api/v2/supported-locales", "ja", `{"locales":["en","ar","de","es","fr","he","it","ja","nl","pl","pt_BR","uk"],"default_locale":"en","locale":"ja"}`},
	} {
		w := s.send(test.method, test.path, "", "Accept-Language", test.language)
		if !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s %s in %q: got %s, want %s", test.method, test.path, test.language, w.Body, test.want)
		}
	}
	if words.Text("de", "error.unknown") == "Unknown secret" {
		t.Error("catalogue: got the English text for German")
	}
	authorization := s.account(t, ada, account.RoleCustomer)
	w := s.send(http.MethodPost, "/api/v2/account/update-locale", "locale=pl", "Authorization", authorization)
	if !strings.Contains(w.Body.String(), `"new_locale":"pl","old_locale":""`) {
		t.Errorf("POST update-locale: got %d %s", w.Code, w.Body)
	}
	w = s.send(http.MethodGet, "/api/v1/authcheck", "", "Authorization", authorization, "Accept-Language", "de")
	if got := w.Body.String(); got != `{"status":"nominal","locale":"pl"}` {
		t.Errorf("GET authcheck: got %s, want the account's language", got)
	}
}

// upload returns a form with an image, which claims to be something else.
func upload(t *testing.T, name string) (body, contentType string) {
	t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, err := form.CreateFormFile(name, "../../x.svg")
	if err != nil {
		t.Fatalf("making form: %v", err)
	}
	if err := png.Encode(part, image.NewRGBA(image.Rect(0, 0, 30, 20))); err != nil {
		t.Fatalf("encoding picture: %v", err)
	}
	if err := form.Close(); err != nil {
		t.Fatalf("making form: %v", err)
	}
	return b.String(), form.FormDataContentType()
}

func TestImages(t *testing.T) {
	t.Parallel()
	dns := resolvertest.New(t)
	asks, err := resolver.New(dns.Addr)
	if err != nil {
		t.Fatalf("resolver.New(%s): got %v, want nil", dns.Addr, err)
	}
	s := newSite(t, "https://hush.example", vaulttest.Options{Host: "hush.example", Resolver: asks})
	authorization := s.account(t, ada, account.RoleCustomer)
	const prefix = "/api/v2/account/domains/secrets.example.com"
	w := s.send(http.MethodPost, "/api/v2/account/domains/add", "domain=Secrets.Example.com", "Authorization", authorization)
	var added struct {
		Record struct {
			Identifier string
			Host       string `json:"txt_validation_host"`
			Value      string `json:"txt_validation_value"`
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &added); err != nil || w.Code != http.StatusOK {
		t.Fatalf("POST add: got %d %s", w.Code, w.Body)
	}
	body, contentType := upload(t, "image")
	if w := s.send(http.MethodPost, prefix+"/logo", body, "Authorization", authorization, "Content-Type", contentType); w.Code != http.StatusOK {
		t.Fatalf("POST logo: got %d %s", w.Code, w.Body)
	}
	var shown struct {
		Record struct{ Encoded string }
	}
	w = s.send(http.MethodGet, prefix+"/logo", "", "Authorization", authorization)
	if err := json.Unmarshal(w.Body.Bytes(), &shown); err != nil || w.Code != http.StatusOK {
		t.Fatalf("GET logo: got %d %s", w.Code, w.Body)
	}
	public := "/imagine/" + added.Record.Identifier
	if w := s.send(http.MethodGet, public+"/logo.png", ""); w.Code != http.StatusNotFound {
		t.Errorf("GET %s/logo.png before the domain is verified: got %d, want 404", public, w.Code)
	}
	dns.SetTXT(added.Record.Host+".example.com", added.Record.Value)
	if w := s.send(http.MethodPost, prefix+"/verify", "", "Authorization", authorization); !strings.Contains(w.Body.String(), `"verified":true`) {
		t.Fatalf("POST verify: got %d %s", w.Code, w.Body)
	}
	w = s.send(http.MethodGet, public+"/logo.png", "", "Sec-Fetch-Site", "cross-site")
	if got := base64.StdEncoding.EncodeToString(w.Body.Bytes()); w.Code != http.StatusOK || got != shown.Record.Encoded {
		t.Errorf("GET %s/logo.png: got %d and %d bytes, want the logo", public, w.Code, w.Body.Len())
	}
	for name, want := range map[string]string{
		"Content-Type": "image/png", "Content-Security-Policy": "default-src 'none'; sandbox", "X-Content-Type-Options": "nosniff",
		"Cross-Origin-Resource-Policy": "cross-origin", "Content-Disposition": `inline; filename="logo.png"`,
		"Cache-Control": "public, max-age=300", "Referrer-Policy": "no-referrer",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("GET %s/logo.png: got %s %q, want %q", public, name, got, want)
		}
	}
	for _, path := range []string{public + "/icon.png", public + "/logo.jpg", "/imagine/x/logo.png", "/imagine/" + strings.Repeat("0", 20) + "/logo.png",
		"/imagine/" + strings.Repeat("x", 100) + "/logo.png"} {
		w := s.send(http.MethodGet, path, "")
		if got := w.Header().Get("Cache-Control"); w.Code != http.StatusNotFound || got != "no-store" {
			t.Errorf("GET %s: got %d, Cache-Control %q, want 404 and no-store", path, w.Code, got)
		}
	}
	for _, test := range []struct {
		method, path string
		status       int
		want         string
	}{
		{"GET", "/icon", 404, `"message":"Image not found"`},
		{"DELETE", "/icon", 404, `"message":"No icon exists for this domain"`},
		{"POST", "/icon", 422, `"message":"Icon file is required"`},
		{"DELETE", "/logo", 200, `"msg":"Logo removed successfully for secrets.example.com"`},
		{"GET", "/logo", 404, `"message":"Image not found"`},
	} {
		w := s.send(test.method, prefix+test.path, "", "Authorization", authorization)
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s %s: got %d %s, want %d %s", test.method, prefix+test.path, w.Code, w.Body, test.status, test.want)
		}
	}
	if w := s.send(http.MethodGet, public+"/logo.png", ""); w.Code != http.StatusNotFound || w.Body.String() != "Not Found" {
		t.Errorf("GET a deleted logo: got %d %s, want 404", w.Code, w.Body)
	}
}

// The life of an account on version 2, for the wiring of every route.
func TestAccountRows(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{Host: "hush.example"})
	authorization := s.account(t, ada, account.RoleCustomer)
	for _, test := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/account", "", 200, `"cust":{"identifier":"ada@example.com",`},
		{"GET", "/authcheck", "", 200, `"details":{"authenticated":true}}`},
		{"POST", "/account/change-password", "currentp=wrong&newp=seventeen+small+elms&newp2=seventeen+small+elms", 422,
			`"message":"Current password is incorrect"`},
		{"POST", "/account/change-password", "currentp=sixteen+tall+oaks&newp=seventeen+small+elms&newp2=seventeen+small+elms", 200, `"success":true`},
		{"POST", "/account/domains/add", "domain=", 422, `"message":"Please enter a domain"`},
		{"POST", "/account/domains/add", "domain=secrets.example.com", 200, `"display_domain":"secrets.example.com"`},
		{"POST", "/domains/add", "domain=secrets.example.com", 422, `"success":false`},
		{"GET", "/account/domains", "", 200, `"count":1,`},
		{"GET", "/domains/", "", 200, `"count":1,`},
		{"GET", "/account/domains/secrets.example.com", "", 200, `"status":"pending"`},
		{"GET", "/domains/other.example.com", "", 404, `"message":"Domain not found other.example.com"`},
		{"PUT", "/account/domains/secrets.example.com/brand", "brand[primary_color]=%23fff", 200, `"brand":{"primary_color":"#fff"}`},
		{"PUT", "/domains/secrets.example.com/brand", "brand[primary_color]=red", 422, `"message":"Invalid primary color`},
		{"GET", "/domains/secrets.example.com/brand", "", 200, `"primary_color":"#fff"`},
		{"POST", "/domains/secrets.example.com/remove", "", 200, `"message":"Removed secrets.example.com"`},
		{"POST", "/feedback", "msg=hello", 200, `"received":true`},
		{"POST", "/feedback", "msg=", 422, `"message":"You can be more original than that!"`},
		{"POST", "/exception", "message=m&type=TypeError", 200, `"is_error":true`},
		{"POST", "/exception", "", 422, `"message":"Exception data required"`},
		{"POST", "/altcha/verify", "authenticity_payload=x", 422, `"message":"Invalid Altcha payload"`},
		{"POST", "/altcha/verify-spam", "authenticity_payload=x", 422, `"success":false`},
		{"POST", "/validate-shrimp", "shrimp=x", 200, `{"isValid":false,"shrimp":"`},
		{"POST", "/account/destroy", "confirmation=wrong", 422, `"message":"Please check the password."`},
		{"POST", "/account/apitoken", "", 200, `"active":true`},
		{"POST", "/account/destroy", "confirmation=seventeen+small+elms", 200, `"details":{"burned":0}`},
		{"GET", "/account", "", 403, `"message":"Not authorized"`},
	} {
		w := s.send(test.method, "/api/v2"+test.path, test.body, "Authorization", authorization)
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s %s %s: got %d %s, want %d %s", test.method, test.path, test.body, w.Code, w.Body, test.status, test.want)
		}
		if w.Header().Get("Content-Type") != "application/json; charset=utf-8" || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s: got headers %v", test.method, test.path, w.Header())
		}
	}
	w := s.send(http.MethodPost, "/api/v2/feedback", "msg=hello")
	if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), `"message":"Cannot skip authenticity check"`) {
		t.Errorf("POST feedback without an account: got %d %s", w.Code, w.Body)
	}
	w = s.send(http.MethodPost, "/api/v2/feedback", "msg=hello&authenticity_payload="+strings.NewReplacer("+", "%2B").Replace(solve(t, s, "feedback")))
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"custid":"anon"`) {
		t.Errorf("POST feedback with a solution: got %d %s", w.Code, w.Body)
	}
}
