package routes_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"hush/vault/vaulttest"
)

// burnCommand is the start of the command that burns, in HTML.
const burnCommand = "<code>curl -H &#39;Content-Type: application/json&#39; -d &#39;{"

// The sender of a secret with a passphrase burns it with the receipt's command alone.
func TestReceiptPageBurns(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	k := s.share(t, "secret=a&passphrase=forgotten")
	w := s.send(http.MethodGet, "/private/"+k.MetadataKey, "")
	command := regexp.MustCompile(`<code>curl -H 'Content-Type: application/json' -d '(.+)' https://hush\.example(/\S+)</code>`).
		FindStringSubmatch(html.UnescapeString(w.Body.String()))
	if command == nil {
		t.Fatalf("GET /private: got no command that burns in %s", w.Body)
	}
	body := strings.Replace(command[1], "KEY", k.MetadataKey, 1)
	if w := s.send(http.MethodPost, command[2], body, "Content-Type", "application/json"); w.Code != http.StatusOK {
		t.Errorf("POST %s: got %d %s, want it burned", command[2], w.Code, w.Body)
	}
	wantPage(t, "POST /private", s.send(http.MethodPost, "/private/"+k.MetadataKey, ""), http.StatusOK, "<dd>Burned unread</dd>")
}

// The sender views a receipt without JavaScript. Only the button views it.
func TestReceiptPage(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	for _, name := range []string{"private", "metadata", "receipt"} {
		k := s.share(t, "secret=the+value")
		path := "/" + name + "/" + k.MetadataKey
		wantPage(t, "GET "+name, s.send(http.MethodGet, path, ""), http.StatusOK, revealForm, ">Show</button>", burnCommand)
		wantNew(t, s, k)
		w := s.send(http.MethodPost, path+")", "")
		wantPage(t, "POST "+name, w, http.StatusOK, "<dt>Status of the secret</dt>\n<dd>Opened</dd>", "<dt>Created</dt>", "<dt>Opened</dt>", "<time datetime=")
		if body := w.Body.String(); strings.Contains(body, k.SecretKey) || strings.Contains(body, k.MetadataKey) || strings.Contains(body, "KEY") {
			t.Errorf("POST %s: got a key or a way to burn what is gone in %s", name, body)
		}
	}
}

func TestReceiptPageStates(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	waiting, burned, expired := s.share(t, "secret=a"), s.share(t, "secret=a"), s.share(t, "secret=a&ttl=60")
	s.send(http.MethodPost, "/api/v1/private/"+burned.MetadataKey+"/burn", "")
	s.kit.Clock.Advance(90 * time.Second)
	for key, want := range map[string]string{
		waiting.MetadataKey: "<dd>Not opened yet</dd>", burned.MetadataKey: "<dd>Burned unread</dd>", expired.MetadataKey: "<dd>Expired unread</dd>",
	} {
		wantPage(t, "POST", s.send(http.MethodPost, "/private/"+key, ""), http.StatusOK, want)
		wantPage(t, "POST again", s.send(http.MethodPost, "/private/"+key, ""), http.StatusOK, want)
	}
	wantPage(t, "POST waiting", s.send(http.MethodPost, "/receipt/"+waiting.MetadataKey, ""), http.StatusOK, "<dt>Can be opened until</dt>", burnCommand)
	for _, key := range []string{"x", unknownKey, waiting.SecretKey, strings.Repeat("x", 3000)} {
		w := s.send(http.MethodPost, "/private/"+key, "")
		wantPage(t, "POST unknown", w, http.StatusNotFound, "There&#39;s no receipt here.")
		if strings.Contains(w.Body.String(), "<form") {
			t.Errorf("POST unknown: got a form in %s", w.Body)
		}
	}
}
