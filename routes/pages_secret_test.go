package routes_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/passphrase"
	"hush/vault/vaulttest"
)

// sharedSecret holds the keys of a live secret.
type sharedSecret struct {
	SecretKey   string `json:"secret_key"`
	MetadataKey string `json:"metadata_key"`
}

// share conceals a secret; form is the body of the request.
func (s *site) share(t *testing.T, form string) (k sharedSecret) {
	t.Helper()
	w := s.send(http.MethodPost, "/api/v1/share", form)
	if err := json.Unmarshal(w.Body.Bytes(), &k); err != nil || w.Code != http.StatusOK {
		t.Fatalf("POST /api/v1/share: got %d %s", w.Code, w.Body)
	}
	return k
}

const (
	revealForm = `<form class="card" method="post" action="?">`
	goneText   = "There&#39;s no secret here."
)

// A recipient without JavaScript opens a link, thinks, and presses the button.
func TestRevealPage(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	const value = "\n<script>alert(1)</script>\n  a & b \u2713\n"
	k := s.share(t, "secret=%0A%3Cscript%3Ealert(1)%3C%2Fscript%3E%0A++a+%26+b+%E2%9C%93%0A")
	path := "/secret/" + k.SecretKey
	wantPage(t, "GET", onHost(s, http.MethodGet, path, ""), http.StatusOK, revealForm, `name="passphrase"`, `<button class="button button-primary" type="submit" name="continue" value="true">Reveal</button>`)
	for _, body := range []string{"", "passphrase=", "continue=", "continue=false", "continue=yes"} {
		w := onHost(s, http.MethodPost, path, body)
		wantPage(t, "POST "+body, w, http.StatusOK, revealForm)
	}
	w := onHost(s, http.MethodPost, path+".?utm_source=chat", "passphrase=&continue=true", "Sec-Fetch-Site", "same-origin")
	wantPage(t, "POST", w, http.StatusOK, "Here&#39;s the secret.", "<pre tabindex=\"0\">\n\n&lt;script&gt;alert(1)&lt;/script&gt;\n  a &amp; b \u2713\n</pre>")
	wantStrict(t, "POST", w)
	if body := w.Body.String(); strings.Contains(body, "<form") || strings.Contains(body, "<script") || strings.Contains(body, k.SecretKey) {
		t.Errorf("POST: got a form, a script or the key on %s", body)
	}
	if got := w.Header().Get("Referrer-Policy"); got != "no-referrer" {
		t.Errorf("POST: got Referrer-Policy %q, want no-referrer", got)
	}
	wantPage(t, "POST again", onHost(s, http.MethodPost, path, "continue=true"), http.StatusNotFound, goneText)
	for _, part := range []string{k.SecretKey, "alert", value, "utm_source"} {
		if strings.Contains(s.log(), part) {
			t.Errorf("log: got %q in\n%s", part, s.log())
		}
	}
}

// Unknown, spent, burned, expired and malformed links get the same response to
// the byte.
func TestRevealPageTellsNoReason(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	spent, burned, expired := s.share(t, "secret=a"), s.share(t, "secret=a"), s.share(t, "secret=a&ttl=60")
	s.send(http.MethodPost, "/secret/"+spent.SecretKey, "continue=true")
	s.send(http.MethodPost, "/api/v1/private/"+burned.MetadataKey+"/burn", "")
	s.kit.Clock.Advance(2 * time.Minute)
	want := answer(t, s.send(http.MethodPost, "/secret/"+unknownKey, "continue=true"))
	if !strings.HasPrefix(want, "HTTP/1.1 404") || !strings.Contains(want, goneText) || strings.Contains(want, "<form") {
		t.Errorf("POST with an unknown key: got %s", want)
	}
	for name, key := range map[string]string{
		"spent": spent.SecretKey, "burned": burned.SecretKey, "expired": expired.SecretKey, "receipt": burned.MetadataKey,
		"short": "x", "long": strings.Repeat("x", 4000), "none": "...", "upper case": strings.ToUpper(unknownKey),
	} {
		if got := answer(t, s.send(http.MethodPost, "/secret/"+key, "continue=true&passphrase=x")); got != want {
			t.Errorf("POST with one that is %s: got %s, want %s", name, got, want)
		}
	}
}

func TestRevealPageCountsTries(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	k := s.share(t, "secret=the+value&passphrase=open+sesame")
	path := "/secret/" + k.SecretKey
	wantPage(t, "POST without", s.send(http.MethodPost, path, "continue=true"), 422, "This secret needs a passphrase.", revealForm, `role="alert"`)
	for _, left := range []string{"4", "3"} {
		w := s.send(http.MethodPost, path, "continue=true&passphrase=wrong+guess")
		wantPage(t, "POST wrong", w, 422, "Wrong passphrase; the secret is still there. Attempts left before a pause: "+left, revealForm, `role="alert"`)
		if strings.Contains(w.Body.String(), "wrong guess") || w.Header().Get("Referrer-Policy") != "same-origin" {
			t.Errorf("POST wrong: got the guess, or Referrer-Policy %q", w.Header().Get("Referrer-Policy"))
		}
	}
	w := s.send(http.MethodPost, path, "continue=true&passphrase=wrong", "Accept-Language", "de")
	wantPage(t, "POST wrong in German", w, 422, "Versuche bis zu einer Pause: 2", `<html lang="de" dir="ltr">`)
	s.send(http.MethodPost, path, "continue=true&passphrase=wrong")
	w = s.send(http.MethodPost, path, "continue=true&passphrase=wrong")
	wantPage(t, "POST wrong before a pause", w, 422, "Wrong passphrase. Try again in 1 min; the secret is still there.")
	if got := w.Header().Get("Retry-After"); got != "60" {
		t.Errorf("POST wrong before a pause: got Retry-After %q, want 60", got)
	}
	w = s.send(http.MethodPost, path, "continue=true&passphrase=open+sesame")
	wantPage(t, "POST when locked", w, http.StatusTooManyRequests,
		"Too many wrong passphrases. Try again in 1 min; the secret is still there.")
	if w.Header().Get("Retry-After") == "" || strings.Contains(w.Body.String(), "the value") {
		t.Errorf("POST when locked: got Retry-After %q and %s", w.Header().Get("Retry-After"), w.Body)
	}
	s.kit.Clock.Advance(31 * time.Minute)
	wantPage(t, "POST right", s.send(http.MethodPost, path, "continue=true&passphrase=open+sesame"), 200, "the value")
}

// The attack: a page of another site sends the form in a visitor's browser.
func TestRevealPageRefusesOtherSites(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	k := s.share(t, "secret=the+value")
	for _, headers := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}, {"Origin", "null"},
	} {
		for _, path := range []string{"/secret/" + k.SecretKey, "/private/" + k.MetadataKey, "/metadata/" + k.MetadataKey, "/receipt/" + k.MetadataKey} {
			w := onHost(s, http.MethodPost, path, "continue=true", headers...)
			wantPage(t, "POST from another site", w, http.StatusForbidden, "requests from pages of other sites are refused")
		}
	}
	wantNew(t, s, k)
}

// wantNew checks that the receipt was not viewed and that the secret still
// opens to "the value", which uses up both.
func wantNew(t *testing.T, s *site, k sharedSecret) {
	t.Helper()
	w := s.send(http.MethodGet, "/api/v1/private/"+k.MetadataKey, "")
	if !strings.Contains(w.Body.String(), `"state":"new"`) {
		t.Errorf("GET receipt: got %d %s, want it new", w.Code, w.Body)
	}
	w = s.send(http.MethodPost, "/api/v1/secret/"+k.SecretKey, "")
	if !strings.Contains(w.Body.String(), `"value":"the value"`) {
		t.Errorf("POST secret: got %d %s, want its value", w.Code, w.Body)
	}
}

// A signed-in visitor whose browser runs no scripts now: the form has the
// session's token, without which the session may do nothing.
func TestRevealPageWithSession(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	s.account(t, ada, account.RoleCustomer)
	w := onHost(s, http.MethodPost, "/hush.v1.SessionService/CreateSession", `{"address":"`+ada+`","password":"`+password+`"}`, "Content-Type", "application/json")
	cookie, _, _ := strings.Cut(w.Header().Get("Set-Cookie"), ";")
	if w.Code != http.StatusOK || cookie == "" {
		t.Fatalf("CreateSession: got %d %s", w.Code, w.Body)
	}
	k := s.share(t, "secret=the+value")
	for _, page := range []struct{ path, want string }{{"/private/" + k.MetadataKey, "Not opened yet"}, {"/secret/" + k.SecretKey, "the value"}} {
		path := page.path
		shown := onHost(s, http.MethodGet, path, "", "Cookie", cookie, "Accept-Encoding", "gzip")
		found := regexp.MustCompile(`name="shrimp" value="([^"]+)"`).FindStringSubmatch(shown.Body.String())
		if found == nil || shown.Header().Get("Content-Encoding") != "" {
			t.Fatalf("GET %s: got no token, or a packed page, in %s", path, shown.Body)
		}
		w := onHost(s, http.MethodPost, path, "continue=true", "Cookie", cookie, "Origin", "https://hush.example")
		wantPage(t, "POST without the token", w, http.StatusForbidden, "Please refresh the page and try again", found[1])
		w = onHost(s, http.MethodPost, path, "continue=true&shrimp="+found[1], "Cookie", cookie, "Origin", "https://hush.example")
		wantPage(t, "POST", w, http.StatusOK, page.want)
	}
}

// After a hundred wrong passphrases waiting does not help, so the page does not
// ask for it.
func TestNobodyWaitsForSecretLockedForGood(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{Limits: caller.Limits{AnonymousTTL: 60 * 24 * time.Hour}})
	k := s.share(t, "secret=the+value&passphrase=open+sesame&ttl=60d")
	for tries := 0; tries < passphrase.MostTries; {
		w := s.send(http.MethodPost, "/api/v2/secret/"+k.SecretKey+"/reveal", "continue=true&passphrase=wrong")
		if wait, err := time.ParseDuration(w.Header().Get("Retry-After") + "s"); err == nil && w.Code == http.StatusTooManyRequests {
			s.kit.Clock.Advance(wait)
			continue
		}
		tries++
	}
	for _, path := range []string{"/api/v1/secret/" + k.SecretKey, "/api/v2/secret/" + k.SecretKey + "/reveal", "/secret/" + k.SecretKey} {
		w := s.send(http.MethodPost, path, "continue=true&passphrase=open+sesame")
		if got := w.Header().Get("Retry-After"); w.Code != http.StatusTooManyRequests || got != "" {
			t.Errorf("POST %s: got %d, Retry-After %q, want 429 and none", path, w.Code, got)
		}
	}
}
