package routes_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"hush/handlers"
	"hush/routes"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/passphrase"
	"hush/vault/receipt"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

const endToEndText = "This secret is end-to-end encrypted. Open its link in a browser or with the hush client."

// sealedSite is a site with end-to-end encrypted secrets, without a passphrase and
// with one.
func sealedSite(t *testing.T) (s *site, kept []sharedSecret) {
	t.Helper()
	s = newSiteWith(t, "https://hush.example", vaulttest.Options{}, func(made *handlers.Options, _ *routes.Options) { made.RateLimits = false })
	for _, entered := range []string{"", "quick otter"} {
		made, _ := s.kit.MustConcealSealed(t, vaulttest.Caller(1), vaulttest.Plaintext, entered, secret.Terms{})
		kept = append(kept, sharedSecret{made.Secret.Key.Expose(), made.Metadata.Key.Expose()})
	}
	return s, kept
}

// The interfaces that know no proofs cannot open an end-to-end encrypted secret.
// They say so, and nothing is consumed, counted or locked.
func TestLegacyRoutesDoNotOpenEndToEnd(t *testing.T) {
	t.Parallel()
	s, kept := sealedSite(t)
	for _, k := range kept {
		for range 7 { // more than the tries before a pause
			for path, status := range map[string]int{
				"/api/v1/secret/": 404, "/api/v2/secret/": 422, "/api/v2/guest/secret/": 422,
			} {
				w := s.send(http.MethodPost, path+k.SecretKey, "continue=true&passphrase=quick+otter")
				if body := w.Body.String(); w.Code != status || !strings.Contains(body, `"message":"`+endToEndText+`"`) || len(body) > 400 {
					t.Errorf("POST %sKEY: got %d %s, want %d and the sentence", path, w.Code, body, status)
				}
			}
			for _, path := range []string{"/api/v2/secret/", "/api/v3/secret/", "/api/v3/guest/secret/"} {
				w := s.send(http.MethodPost, path+k.SecretKey+"/reveal", `{"continue":true}`, "Content-Type", "application/json")
				if body := w.Body.String(); w.Code != 422 || !strings.Contains(body, `"error":"`+endToEndText+`"`) || w.Header().Get("Retry-After") != "" {
					t.Errorf("POST %sKEY/reveal: got %d %s, want 422 and the sentence", path, w.Code, body)
				}
			}
		}
		w := s.send(http.MethodPost, "/api/v1/secret/"+k.SecretKey, "")
		if got := w.Header().Get("X-OTS-Intended-Status"); got != "422" {
			t.Errorf("POST /api/v1/secret/KEY: got intended status %s, want 422", got)
		}
		w = s.send(http.MethodPost, "/api/v2/secret/"+k.SecretKey, "continue=true", "Accept-Language", "fr")
		if want := catalogue(t).Text("fr", "error.end_to_end"); !strings.Contains(w.Body.String(), want) {
			t.Errorf("POST /api/v2/secret/KEY in French: got %s, want %q", w.Body, want)
		}
		s.wantWaiting(t, k)
	}
}

// wantWaiting checks that a secret waits as before: no attempt was counted.
func (s *site) wantWaiting(t *testing.T, k sharedSecret) {
	t.Helper()
	found, err := s.kit.Vault.Secrets.GetSecret(t.Context(), caller.Caller{}, k.SecretKey)
	if err != nil || found.State != receipt.StateNew {
		t.Errorf("GetSecret(KEY): got %v in state %d, want it waiting", err, found.State)
	}
	if rows := vaulttest.RowsIn(t, s.kit.Store, passphrase.BucketAttempt); len(rows) > 0 {
		t.Errorf("attempts: got %d rows, want none", len(rows))
	}
}

// No response of a legacy route shows a link to an end-to-end encrypted secret: it
// would open nothing, and the service does not know the right one.
func TestLegacyRoutesShowNoLinkOfEndToEnd(t *testing.T) {
	t.Parallel()
	s, kept := sealedSite(t)
	authorization := s.account(t, ada, account.RoleCustomer)
	for _, k := range kept {
		for _, path := range []string{
			"/api/v1/private/" + k.MetadataKey, "/api/v2/private/" + k.MetadataKey, "/api/v2/receipt/" + k.MetadataKey,
			"/api/v2/guest/private/" + k.MetadataKey, "/api/v3/receipt/" + k.MetadataKey, "/api/v2/secret/" + k.SecretKey,
			"/api/v2/secret/" + k.SecretKey + "/status", "/api/v3/secret/" + k.SecretKey,
		} {
			w := s.send(http.MethodGet, path, "", "Authorization", authorization)
			body := w.Body.String()
			if w.Code != http.StatusOK || !strings.Contains(body, k.SecretKey) {
				t.Errorf("GET %s: got %d %s, want the receipt or the secret", path, w.Code, body)
			}
			for _, link := range []string{"secret/" + k.SecretKey, "/s#", "/e#", "#" + k.SecretKey, `"show_secret_link":true`, `"can_decrypt":true`} {
				if strings.Contains(body, link) {
					t.Errorf("GET %s: got %s in %s, want no link", path, link, body)
				}
			}
			if strings.Contains(path, "/api/v2/private/") && !strings.Contains(body, `"share_path":"","burn_path":"private/`+k.MetadataKey+`/burn"`) {
				t.Errorf("GET %s: got %s, want an empty share_path and the path that burns", path, body)
			}
		}
	}
	plain := s.share(t, "secret=a")
	w := s.send(http.MethodGet, "/api/v2/private/"+plain.MetadataKey, "")
	if !strings.Contains(w.Body.String(), `"share_url":"https://hush.example/secret/`+plain.SecretKey+`"`) {
		t.Errorf("GET /api/v2/private/KEY of the server's kind: got %s, want its link", w.Body)
	}
}

// The receipt alone burns, whatever passphrase is sent.
func TestLegacyRoutesBurnEndToEnd(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/api/v1/private/R/burn", "/api/v2/private/R/burn", "/api/v2/guest/receipt/R/burn", "/api/v3/receipt/R/burn"} {
		s, kept := sealedSite(t)
		for _, k := range kept {
			w := s.send(http.MethodPost, strings.Replace(path, "R", k.MetadataKey, 1), "continue=true&passphrase=wrong")
			if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"state":"burned"`) {
				t.Errorf("POST %s: got %d %s, want it burned", path, w.Code, w.Body)
			}
		}
	}
}

// Without JavaScript, the page of a link says how to open it. It offers no form once
// it knows the kind, and the page of the link itself has none.
func TestPagesDoNotOpenEndToEnd(t *testing.T) {
	t.Parallel()
	s, kept := sealedSite(t)
	for _, k := range kept {
		w := onHost(s, http.MethodPost, "/secret/"+k.SecretKey, "continue=true&passphrase=quick+otter")
		wantPage(t, "POST /secret/KEY", w, http.StatusUnprocessableEntity, endToEndText)
		wantStrict(t, "POST /secret/KEY", w)
		if body := w.Body.String(); strings.Contains(body, "<form") || strings.Contains(body, k.SecretKey) {
			t.Errorf("POST /secret/KEY: got a form or the key in %s", body)
		}
		s.wantWaiting(t, k)
	}
	w := onHost(s, http.MethodGet, "/e", "")
	if body := w.Body.String(); strings.Contains(body, "<form") || strings.Contains(body, "/secret/") {
		t.Errorf("GET /e: got a form or another address in %s", body)
	}
}

// The attack: read the log for links that a mail gateway has escaped, so that they
// reached the server whole. It has the template alone, and the response repeats
// nothing.
func TestEscapedLinksAreNotLogged(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	const link = "0123456789abcdefghijklmnopqrstum3Ao1zh6SF5YdWe59rNuOPLlLHUiEnvNLR1EI9lfyKV"
	for path, route := range map[string]string{
		"/e%23": "/e%23{link}", "/e%2523": "/e%23{link}", "/s%23": "/s%23{link}", "/s%2523": "/s%23{link}", "/q%23": "/q%23{link}", "/c%2523": "/c%23{link}", "/e%252523": "unknown", "/e/": "unknown",
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
			from := len(s.log())
			w := onHost(s, method, path+link, "")
			line := s.log()[from:]
			if method != http.MethodPost && !strings.Contains(line, "route="+route) {
				t.Errorf("%s %sLINK: got the line %s, want the route %s", method, path, line, route)
			}
			for _, part := range []string{link, link[:31], link[31:]} {
				if strings.Contains(line, part) || strings.Contains(fmt.Sprint(w.Header(), w.Body), part) {
					t.Errorf("%s %sLINK: got a part of the link in the log or the response", method, path)
				}
			}
		}
	}
}

// Where only end-to-end encrypted secrets may be shared, legacy routes refuse with
// the sentence, and the page without JavaScript advertises no command that would be
// refused.
func TestOnlyEndToEnd(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{Policy: caller.Policy{Kinds: caller.KindsEndToEnd}})
	const text = "Only end-to-end encrypted secrets can be shared here: in a browser, or with the hush client."
	for path, status := range map[string]int{
		"/api/v1/share": 404, "/api/v1/generate": 404, "/api/v1/create": 404, "/api/v2/secret/conceal": 403, "/api/v2/secret/generate": 403,
		"/api/v3/guest/secret/conceal": 403,
	} {
		w := s.send(http.MethodPost, path, "secret=a")
		if w.Code != status || !strings.Contains(w.Body.String(), text) {
			t.Errorf("POST %s: got %d %s, want %d and %q", path, w.Code, w.Body, status, text)
		}
	}
	if rows := vaulttest.RowsIn(t, s.kit.Store, secret.BucketSecret); len(rows) > 0 {
		t.Errorf("secrets: got %d, want none", len(rows))
	}
	w := onHost(s, http.MethodGet, "/", "")
	wantPage(t, "GET /", w, http.StatusOK, "Only end-to-end encrypted secrets can be shared here")
	if strings.Contains(w.Body.String(), "curl") {
		t.Errorf("GET /: got a command that would be refused in %s", w.Body)
	}
}
