package proxies_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"hush/routes/apitest"
	"hush/server/servertest"
)

// Single sign-on, as the document has it: nginx asks a provider before it passes a request
// on. Those who are signed in there share and open over every protocol, all others get 401, and
// the provider sees nothing that opens a secret.
func TestProxyAsksAProvider(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about proxies")
	servertest.NeedProgram(t, "nginx")
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); err != nil || len(body) > 0 || r.URL.Path != "/oauth2/auth" || r.Referer() != "" {
			t.Errorf("the provider got %s with referrer %q and %d bytes (%v), want its own path alone", r.URL, r.Referer(), len(body), err)
		}
		if cookie, err := r.Cookie("provider"); err != nil || cookie.Value != "signed-in" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	t.Cleanup(provider.Close)
	_, _, backend := startBehind(t, "port")
	p := servertest.StartProxy(t, asking(t, provider.Listener.Addr().String()), backend)
	signedIn := http.Header{"Cookie": {"provider=signed-in"}, "Referer": {servertest.ProxyURL + "/secret/key"}}
	for _, driver := range p.Drivers(t, signedIn) {
		shared := apitest.MustConceal(t, driver, apitest.Terms{Secret: "of a member"})
		driver.Reveal(t.Context(), shared.SecretKey, "").WantValue(t, "reveal", "of a member")
	}
	for _, http2 := range []bool{false, true} {
		for _, path := range []string{"/", "/api/v1/share", "/hush.v1.SecretService/ConcealSecret", "/api/v2/secret/conceal"} {
			if got := apitest.Send(t, p.Client(t, http2, "", nil), http.MethodPost, servertest.ProxyURL+path, nil, "secret=x"); got.Status != http.StatusUnauthorized {
				t.Errorf("POST %s without a sign-in: got %d, want 401", path, got.Status)
			}
		}
		withPassword := signedIn.Clone()
		withPassword.Set("Authorization", apitest.Basic("kim", "of the provider").Get("Authorization"))
		client := p.Client(t, http2, "", withPassword)
		if _, err := servertest.ShareOnce(t.Context(), client, servertest.ProxyURL); err != nil {
			t.Errorf("sharing with a password of the provider: got %v, want a link", err)
		}
	}
}

// asking returns nginx's recipe with the lines of the document about single sign-on.
func asking(t *testing.T, provider string) servertest.Recipe {
	t.Helper()
	const document = "../../docs/operations/proxies.md"
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile("(?s)```nginx\n(.*?)```").FindStringSubmatch(string(text))
	if lines == nil || !strings.Contains(lines[1], "127.0.0.1:4180/") {
		t.Fatalf("%s: got no lines for nginx with a provider, want them", document)
	}
	const location = "    location / {\n"
	for _, r := range servertest.Recipes() {
		if r.Program == "nginx" {
			return r.Changed(location, strings.ReplaceAll(lines[1], "127.0.0.1:4180", provider)+location)
		}
	}
	t.Fatal("Recipes(): got none for nginx, want one")
	return servertest.Recipe{}
}
