package routes_test

import (
	"net/http"
	"testing"
	"time"

	"hush/handlers"
	"hush/routes"
	"hush/vault/vaulttest"
)

// Who looks for a contact finds the operator's, and learns for how long it holds by the
// clock of the service.
func TestSecurityContact(t *testing.T) {
	t.Parallel()
	for contact, link := range map[string]string{
		"security@example.com":       "mailto:security@example.com",
		"a%b+c@example.com":          "mailto:a%25b+c@example.com",
		"https://example.com/report": "https://example.com/report",
	} {
		s := newSiteWith(t, "https://hush.example", vaulttest.Options{}, func(made *handlers.Options, _ *routes.Options) {
			made.Instance.SecurityContact = contact
		})
		w := onHost(s, http.MethodGet, "/.well-known/security.txt", "")
		want := "Contact: " + link + "\n" +
			"Expires: " + s.kit.Clock.Now().UTC().AddDate(0, 0, 30).Format(time.RFC3339) + "\n" +
			"Canonical: https://hush.example/.well-known/security.txt\n" +
			"Policy: https://hush.example/security\n"
		if w.Code != http.StatusOK || w.Body.String() != want || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("security.txt for %s: got %d %q %q, want 200 %q", contact, w.Code, w.Header().Get("Content-Type"), w.Body, want)
		}
		wantStrict(t, "security.txt", w)
	}
}

func TestNoSecurityContact(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	w := onHost(s, http.MethodGet, "/.well-known/security.txt", "")
	if want := "The operator of this service named no contact for reports of weaknesses.\n"; w.Code != http.StatusNotFound || w.Body.String() != want {
		t.Errorf("security.txt: got %d %q, want 404 %q", w.Code, w.Body, want)
	}
	wantStrict(t, "security.txt", w)
}
