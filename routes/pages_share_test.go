package routes_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"hush/resolver"
	"hush/resolver/resolvertest"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/domain"
	"hush/vault/receipt"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

const shareForm = `<textarea class="input textarea mono" id="secret" name="secret"`

// pathOn returns the path of a link on the page, by its beginning.
func pathOn(t *testing.T, w *httptest.ResponseRecorder, begins string) string {
	t.Helper()
	found := regexp.MustCompile(`>https://hush\.example(` + regexp.QuoteMeta(begins) + `[0-9a-z]{31})<`).FindStringSubmatch(w.Body.String())
	if found == nil {
		t.Fatalf("page: got no link to %s on %s", begins, w.Body)
	}
	return found[1]
}

// A sender and a recipient without JavaScript.
func TestSharePage(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	w := onHost(s, http.MethodGet, "/", "")
	wantPage(t, "GET /", w, http.StatusOK, shareForm, `spellcheck="false" required></textarea>`, `name="passphrase"`, "JavaScript is off, so the server encrypts your text",
		`<option value="604800" selected>7 days</option>`, `<form class="card" method="post" action="?">`)
	if strings.Contains(w.Body.String(), "14 days") || strings.Contains(w.Body.String(), "curl") {
		t.Errorf("GET /: got a lifetime above the maximum, or a command, in %s", w.Body)
	}
	if strings.Contains(w.Body.String(), "maxlength") {
		t.Errorf("GET /: got a field that cuts off what is pasted, in %s", w.Body)
	}
	form := url.Values{"secret": {"the <b>value</b>\r\nin two lines\r"}, "ttl": {"3600"}, "passphrase": {"open sesame"}}.Encode()
	w = onHost(s, http.MethodPost, "/", form, "Sec-Fetch-Site", "same-origin", "Origin", "https://hush.example")
	at := s.kit.Clock.Now().Add(time.Hour).UTC().Format("2006-01-02 15:04 UTC")
	wantPage(t, "POST /", w, http.StatusOK, "Your link is ready", "The recipient will need the passphrase as well as the link.", at)
	wantStrict(t, "POST /", w)
	for _, part := range []string{"value", "two lines", "open sesame", "<form", "<script"} {
		if strings.Contains(w.Body.String(), part) {
			t.Errorf("POST /: got %q on the page %s", part, w.Body)
		}
	}
	if got := w.Header().Get("Referrer-Policy"); got != "no-referrer" {
		t.Errorf("POST /: got Referrer-Policy %q, want no-referrer", got)
	}
	link, receiptPath := pathOn(t, w, "/secret/"), pathOn(t, w, "/private/")
	if got := pathOn(t, w, "/s#"); strings.TrimPrefix(got, "/s#") != strings.TrimPrefix(link, "/secret/") {
		t.Errorf("POST /: got the links %s and %s, want one secret", got, link)
	}
	wantPage(t, "POST to the receipt", onHost(s, http.MethodPost, receiptPath, ""), http.StatusOK, "Not opened yet")
	w = onHost(s, http.MethodPost, link, "continue=true&passphrase=open+sesame")
	wantPage(t, "POST to the link", w, http.StatusOK, "\nthe &lt;b&gt;value&lt;/b&gt;\nin two lines\r</pre>")
	wantPage(t, "POST to the receipt", onHost(s, http.MethodPost, receiptPath, ""), http.StatusOK, "Opened")
	for _, part := range []string{"two lines", "sesame", strings.TrimPrefix(link, "/secret/"), strings.TrimPrefix(receiptPath, "/private/")} {
		if strings.Contains(s.log(), part) {
			t.Errorf("log: got %q in\n%s", part, s.log())
		}
	}
}

// The attack: a page of another site sends the form in a visitor's browser, so that
// secrets seem to come from there. The session of an account counts for nothing
// without the session's token.
func TestSharePageRefusesOtherSites(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	for _, headers := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}, {"Origin", "null"},
	} {
		w := onHost(s, http.MethodPost, "/", "secret=the+value", headers...)
		wantPage(t, "POST from another site", w, http.StatusForbidden, "requests from pages of other sites are refused", `href="/"`)
	}
	s.account(t, ada, account.RoleCustomer)
	w := onHost(s, http.MethodPost, "/hush.v1.SessionService/CreateSession",
		`{"address":"`+ada+`","password":"`+password+`"}`, "Content-Type", "application/json", "Origin", "https://hush.example")
	cookie, _, _ := strings.Cut(w.Header().Get("Set-Cookie"), ";")
	own := []string{"Cookie", cookie, "Origin", "https://hush.example"}
	for _, body := range []string{"secret=the+value", "secret=the+value&shrimp=wrong"} {
		wantPage(t, "POST without the token", onHost(s, http.MethodPost, "/", body, own...), http.StatusForbidden, "Please refresh the page", shareForm)
	}
	if rows := vaulttest.RowsIn(t, s.kit.Store, secret.BucketSecret); len(rows) > 0 {
		t.Errorf("secrets: got %d, want none", len(rows))
	}
	w = onHost(s, http.MethodGet, "/", "", own...)
	wantPage(t, "GET with a session", w, http.StatusOK, shareForm, "30 days")
	shrimp := regexp.MustCompile(`name="shrimp" value="([^"]+)"`).FindStringSubmatch(w.Body.String())
	if shrimp == nil || w.Header().Get("Cache-Control") != "no-store" {
		t.Fatalf("GET with a session: got no token, or Cache-Control %q, in %s", w.Header().Get("Cache-Control"), w.Body)
	}
	form := url.Values{"secret": {"the value"}, "shrimp": {shrimp[1]}}.Encode()
	wantPage(t, "POST with the token", onHost(s, http.MethodPost, "/", form, own...), http.StatusOK, "Your link is ready")
	if rows := vaulttest.RowsIn(t, s.kit.Store, receipt.BucketEntry); len(rows) != 1 {
		t.Errorf("list of the account: got %d entries, want 1", len(rows))
	}
}

// What is refused is said in the visitor's language, and nothing that was entered is
// on the page.
func TestSharePageRefusals(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{Policy: caller.Policy{PassphraseRequired: true, PassphraseMin: 8}})
	wantPage(t, "GET /", onHost(s, http.MethodGet, "/", ""), http.StatusOK, `minlength="8" required`, "Minimum number of characters: 8")
	const good = "&passphrase=long+enough"
	for _, test := range []struct {
		body, language, want string
		status               int
		headers              []string
	}{
		{"secret=kept+out&passphrase=hunter2", "en", "You can&#39;t use this passphrase", 422, nil},
		{"secret=kept+out", "de", "Diese Passphrase können Sie nicht verwenden", 422, nil},
		{"secret=" + good, "en", "You did not provide anything to share", 422, nil},
		{good[1:], "de", catalogue(t).Text("de", "error.nothing"), 422, nil},
		{"secret=%ff" + good, "en", "secret", 422, nil},
		{"secret=kept+out&passphrase=" + strings.Repeat("k", 129), "en", "passphrase: must be at most 128 characters", 422, nil},
		{"secret=" + strings.Repeat("k", 102_401) + good, "fr", "Ce texte est trop long. La limite est de 102400 octets.", 413, nil},
		{"secret=kept+out&secret=x" + good, "en", "secret was given more than once", 422, nil},
		{"{", "en", `role="alert"`, 400, []string{"Content-Type", "application/json"}},
	} {
		headers := append([]string{"Accept-Language", test.language, "Sec-Fetch-Site", "same-origin"}, test.headers...)
		w := onHost(s, http.MethodPost, "/", test.body, headers...)
		name := fmt.Sprintf("POST %.40q in %s", test.body, test.language)
		wantPage(t, name, w, test.status, test.want, shareForm, `role="alert"`)
		wantStrict(t, name, w)
		for _, part := range []string{"kept out", "hunter2", "kkkk", "long enough"} {
			if strings.Contains(w.Body.String(), part) {
				t.Errorf("%s: got %q on the page", name, part)
			}
		}
		if got := w.Header().Get("Referrer-Policy"); got != "same-origin" {
			t.Errorf("%s: got Referrer-Policy %q, want same-origin, for its form", name, got)
		}
	}
	if rows := vaulttest.RowsIn(t, s.kit.Store, secret.BucketSecret); len(rows) > 0 {
		t.Errorf("secrets: got %d, want none", len(rows))
	}
}

// The form takes from the same limit as every other way to share.
func TestSharePageIsLimited(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{Policy: caller.Policy{ChallengeAbove: 2}})
	for range 2 {
		wantPage(t, "POST", onHost(s, http.MethodPost, "/", "secret=x"), http.StatusOK, "Your link is ready")
	}
	wantPage(t, "POST of a busy network", onHost(s, http.MethodPost, "/", "secret=x"), 422, "each one needs a check that takes JavaScript", shareForm)
	for range 1000 {
		if w := onHost(s, http.MethodPost, "/", "secret="); w.Code == http.StatusTooManyRequests {
			wantPage(t, "POST above the limit", w, http.StatusTooManyRequests, "Too many secrets from your network. Try again in", shareForm)
			if w.Header().Get("Retry-After") == "" {
				t.Error("POST above the limit: got no Retry-After")
			}
			return
		}
	}
	t.Error("POST: got no limit")
}

// Where nothing can be shared without JavaScript, there is no form, and the page says
// why.
func TestSharePageClosed(t *testing.T) {
	t.Parallel()
	for want, policy := range map[string]caller.Policy{
		"Only end-to-end encrypted secrets can be shared here": {Kinds: caller.KindsEndToEnd},
		"You need an account to share secrets here":            {NoAnonymousCreate: true},
		"Back at noon": {Maintenance: "Back at noon"},
	} {
		s := newSite(t, "https://hush.example", vaulttest.Options{Policy: policy})
		get := onHost(s, http.MethodGet, "/", "")
		wantPage(t, "GET /", get, http.StatusOK, want)
		post := onHost(s, http.MethodPost, "/", "secret=x")
		if post.Code != http.StatusForbidden && post.Code != http.StatusServiceUnavailable {
			t.Errorf("POST /: got %d, want it refused", post.Code)
		}
		wantPage(t, "POST /", post, post.Code, want)
		if strings.Contains(get.Body.String()+post.Body.String(), "<form") {
			t.Errorf("pages: got a form, want none where %q", want)
		}
	}
	s := newSite(t, "https://hush.example", vaulttest.Options{Policy: caller.Policy{Kinds: caller.KindsServer}})
	if body := onHost(s, http.MethodGet, "/", "").Body.String(); strings.Contains(body, "your browser encrypts it") {
		t.Errorf("GET /: got a promise that the policy does not allow in %s", body)
	}
}

// On a custom domain, its owner decides whether visitors get the form.
func TestSharePageOnDomain(t *testing.T) {
	t.Parallel()
	server := resolvertest.New(t)
	r, err := resolver.New(server.Addr)
	if err != nil {
		t.Fatal(err)
	}
	server.SetA("hush.example", "192.0.2.1")
	s := newSite(t, "https://hush.example", vaulttest.Options{Host: "hush.example", Resolver: r})
	owner := s.kit.MustAccount(t, ada)
	const name = "secrets.example.com"
	d, err := s.kit.Vault.Domains.AddDomain(t.Context(), owner, name)
	if err != nil {
		t.Fatal(err)
	}
	server.SetTXT(d.TXTHost+"."+d.Base, d.TXTValue)
	server.SetA(name, "192.0.2.1")
	if d, err = s.kit.Vault.Checks.VerifyDomain(t.Context(), owner, name); err != nil || d.State != domain.DomainVerified {
		t.Fatalf("VerifyDomain(): got state %d, error %v", d.State, err)
	}
	const at, refused = "https://" + name + "/", "Secrets can&#39;t be shared here."
	headers := []string{"Sec-Fetch-Site", "same-origin", "Origin", "https://" + name}
	for _, open := range []bool{false, true, false} {
		if _, err := s.kit.Vault.Domains.UpdateDomainBrand(t.Context(), owner, name, domain.Brand{AllowPublicHomepage: &open}, nil); err != nil {
			t.Fatal(err)
		}
		get, post := s.send(http.MethodGet, at, "", headers...), s.send(http.MethodPost, at, "secret=x", headers...)
		if open {
			wantPage(t, "GET on an open domain", get, http.StatusOK, shareForm)
			wantPage(t, "POST on an open domain", post, http.StatusOK, "Your link is ready")
			continue
		}
		wantPage(t, "GET on a closed domain", get, http.StatusOK, refused)
		wantPage(t, "POST on a closed domain", post, http.StatusForbidden, refused)
		if strings.Contains(get.Body.String()+post.Body.String(), "<form") || strings.Contains(post.Body.String(), name) {
			t.Errorf("pages of a closed domain: got a form, or the domain, in %s and %s", get.Body, post.Body)
		}
	}
}

// A program that previews a link learns what kind of link it is, whether or not its
// key exists, and the image is on the service's own host.
func TestPreviews(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	k := s.share(t, "secret=the+value")
	meta := regexp.MustCompile(`<meta (?:property|name)="(?:og|twitter|description)[^>]*>`)
	previewOf := func(path string) string {
		t.Helper()
		w := onHost(s, http.MethodGet, path, "")
		head, _, _ := strings.Cut(w.Body.String(), "</head>")
		return strings.Join(meta.FindAllString(head, -1), "\n")
	}
	ofSecret, ofRequest, others := previewOf("/s"), previewOf("/q"), previewOf("/")
	if !strings.Contains(ofRequest, `<meta property="og:title" content="Someone asks you for a secret">`) {
		t.Errorf("preview of /q: got %s, want a sentence on requests", ofRequest)
	}
	for _, want := range []string{
		`<meta property="og:title" content="Someone shared a secret with you">`, `<meta name="twitter:card" content="summary_large_image">`,
		`<meta property="og:image" content="https://hush.example/preview.png">`,
	} {
		if !strings.Contains(ofSecret, want) {
			t.Errorf("preview of /s: got %s, want %s", ofSecret, want)
		}
	}
	if !strings.Contains(others, `<meta property="og:title" content="Share a secret that opens once">`) {
		t.Errorf("preview of /: got %s, want a sentence on the product", others)
	}
	for _, path := range clientPaths() {
		want := others
		if slices.ContainsFunc([]string{"/s/", "/e/", "/e%", "/s%", "/q%", "/c%", "/%65", "/secret/"}, func(p string) bool { return strings.HasPrefix(path+"/", p) }) {
			want = ofSecret
		} else if strings.HasPrefix(path+"/", "/q/") {
			want = ofRequest
		}
		if got := previewOf(path); got != want {
			t.Errorf("preview of %s: got %s, want %s", path, got, want)
		}
	}
	one, other := onHost(s, http.MethodGet, "/secret/"+k.SecretKey, ""), onHost(s, http.MethodGet, "/secret/"+unknownKey, "")
	if answer(t, one) != answer(t, other) {
		t.Error("pages of a key that exists and of one that does not: got a difference, want none")
	}
	image := onHost(s, http.MethodGet, "/preview.png", "")
	if image.Code != http.StatusOK || image.Header().Get("Content-Type") != "image/png" {
		t.Errorf("GET /preview.png: got %d %s, want an image", image.Code, image.Header().Get("Content-Type"))
	}
	if got := image.Header().Get("Cross-Origin-Resource-Policy"); got != "cross-origin" {
		t.Errorf("GET /preview.png: got Cross-Origin-Resource-Policy %q, so that no page of a chat can show it", got)
	}
	wantPage(t, "GET / in Japanese", onHost(s, http.MethodGet, "/e", "", "Accept-Language", "ja"), http.StatusOK, catalogue(t).Text("ja", "preview.secret.title"))
}
