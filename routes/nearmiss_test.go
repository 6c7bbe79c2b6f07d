package routes_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"hush/vault/outbox"
	"hush/vault/receipt"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// nearMiss is what a refusal says about a name.
func nearMiss(sent, meant string) string {
	return fmt.Sprintf(`There is no parameter \"%s\". Did you mean %s?`, sent, meant)
}

// multipartOf returns a multipart form and its type.
func multipartOf(t *testing.T, values ...string) (body, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i+1 < len(values); i += 2 {
		if err := w.WriteField(values[i], values[i+1]); err != nil {
			t.Fatalf("writing a multipart form: %v", err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatalf("writing a multipart form: %v", err)
	}
	return b.String(), w.FormDataContentType()
}

// wantNothingStored checks that there is no secret and no mail.
func (s *site) wantNothingStored(t *testing.T) {
	t.Helper()
	for _, bucket := range []string{secret.BucketSecret, receipt.BucketMetadata, outbox.BucketOutbox} {
		if rows := vaulttest.RowsIn(t, s.kit.Store, bucket); len(rows) > 0 {
			t.Errorf("%s: got %d rows, want none", bucket, len(rows))
		}
	}
}

// The attack: none is needed. A sender misspells passphrase, the service ignores
// the parameter, and the secret is open to everyone who sees the link.
func TestNearMissSharesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	// Long enough not to be in a shrimp by chance.
	const text, typed = "withheld text", "hunter2"
	for _, path := range []string{
		"/api/v1/share", "/api/v1/generate", "/api/v1/create", "/api/v2/secret/conceal", "/api/v2/secret/generate", "/api/v2/guest/secret/conceal",
		"/api/v2/guest/secret/generate", "/api/v3/secret/conceal", "/api/v3/secret/generate", "/api/v3/guest/secret/conceal", "/api/v3/guest/secret/generate",
	} {
		for _, test := range []struct{ sent, meant string }{{"passphrse", "passphrase"}, {"TTL", "ttl"}, {"recipients", "recipient"}} {
			form := url.Values{"secret": {text}, test.sent: {typed}}.Encode()
			wrapped := url.Values{"secret[secret]": {text}, "secret[" + test.sent + "]": {typed}}.Encode()
			parts, partsType := multipartOf(t, "secret", text, test.sent, typed)
			for _, sent := range []struct{ how, query, body, kind string }{
				{"form", "", form, "application/x-www-form-urlencoded"},
				{"form without a type", "", form, ""},
				{"wrapped form", "", wrapped, "application/x-www-form-urlencoded"},
				{"query", "?" + form, "", ""},
				{"query beside a body", "?" + test.sent + "=" + typed, `{"secret":"` + text + `"}`, "application/json"},
				{"multipart", "", parts, partsType},
				{"JSON", "", `{"secret":"` + text + `","` + test.sent + `":"` + typed + `"}`, "application/json"},
				{"nested JSON", "", `{"secret":{"secret":"` + text + `","` + test.sent + `":["` + typed + `"]}}`, "application/json"},
				{"kind", "", form + "&kind=generate", "application/x-www-form-urlencoded"},
			} {
				w := s.send(http.MethodPost, path+sent.query, sent.body, "Content-Type", sent.kind)
				body, name := w.Body.String(), fmt.Sprintf("POST %s, %s in a %s", path, test.sent, sent.how)
				want, status := `{"success":false,"message":"`+nearMiss(test.sent, test.meant)+`","error":"`+nearMiss(test.sent, test.meant)+`","shrimp":"`, 422
				if strings.HasPrefix(path, "/api/v1") {
					want, status = `{"message":"`+nearMiss(test.sent, test.meant)+`"}`, 404
					if got := w.Header().Get("X-OTS-Intended-Status"); got != "422" {
						t.Errorf("%s: got intended status %s, want 422", name, got)
					}
				}
				if w.Code != status || !strings.HasPrefix(body, want) || strings.Contains(body, typed) || strings.Contains(body, "withheld") {
					t.Errorf("%s: got %d %s, want %d %s and no value", name, w.Code, body, status, want)
				}
			}
		}
	}
	s.wantNothingStored(t)
	for _, part := range []string{typed, text} {
		if strings.Contains(s.log(), part) {
			t.Errorf("log: got %q in\n%s", part, s.log())
		}
	}
}

// The attack: the restriction arrives where no route looks. Each of these once gave a
// link that opened without it.
func TestLostRestrictionSharesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	const typed = "hunter2"
	for _, path := range []string{"/api/v1/share", "/api/v1/generate", "/api/v2/secret/conceal", "/api/v2/secret/generate", "/api/v3/guest/secret/conceal"} {
		for _, sent := range []struct{ body, kind string }{
			{"secret[secret]=h&secert[passphrase]=" + typed, ""}, {"secret[secret]=h&secrets[passphrase]=" + typed, ""}, {"secret=h&Secret[passphrase]=" + typed, ""},
			{"secret=h&secret.passphrase=" + typed, ""}, {"secret=h&secret.[passphrase]=" + typed, ""}, {"secret=h&secret][passphrase]=" + typed, ""},
			{"secret=h&amp;passphrase=" + typed, ""}, {"secret[secret]=h&secret[pass][phrase]=" + typed, ""}, {"secret[secret][passphrase]=" + typed, ""},
			{"secret=h&passphrase" + strings.Repeat("_", 300) + "=" + typed, ""},
			{`{"secret":"h","secrets":{"passphrase":"` + typed + `","ttl":60}}`, "application/json"}, {`{"secret":{"secret":"h"},"data":{"passphrase":"` + typed + `"}}`, "application/json"},
			{`{"secret":"h","passphrase":"` + typed + `"}`, "text/json"}, {`{"secret":"h","passphrase":"` + typed + `"}`, "application/vnd.api+json"},
			{"secret=h&passphrase=" + typed, "text/plain"}, {"secret=h&passphrase=" + typed, "application/octet-stream"},
		} {
			w := s.send(http.MethodPost, path, sent.body, "Content-Type", sent.kind)
			if w.Code == http.StatusOK || w.Code >= 500 || strings.Contains(w.Body.String(), typed) {
				t.Errorf("POST %s with %.60s as %q: got %d %s, want a refusal", path, sent.body, sent.kind, w.Code, w.Body)
			}
		}
	}
	s.wantNothingStored(t)
}

// The attack: none is needed. An & in the address cuts the secret or its passphrase off,
// and a body with another type's label holds no known parameter. Each of these once gave
// a link, which opened with less than was meant.
func TestCutOffInTheAddressSharesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	// Long enough not to be in a shrimp by chance.
	const begun, typed = "thomasina", "jerry9471"
	form := "--b\r\nContent-Disposition: form-data; name=\"passphrase\"\r\n\r\n" + typed + "\r\n--b--\r\n"
	for _, path := range []string{
		"/api/v1/share", "/api/v1/generate", "/api/v2/secret/conceal", "/api/v2/secret/generate", "/api/v2/guest/secret/conceal",
		"/api/v3/secret/generate", "/api/v3/guest/secret/conceal", "/",
	} {
		for _, sent := range []struct{ query, body string }{
			{"?secret=abc&passphrase=" + begun + "&" + typed, ""}, {"?secret[secret]=abc&secret[passphrase]=" + begun + "&%zz" + typed, "secret=abc"}, {"?secret[secret]=" + begun + "&" + typed + "&ttl=60&passphrase=p&x", ""},
			{"?passphrase=" + begun + "&" + typed, "secret=abc"}, {"", form}, {"?secret=abc", form},
		} {
			w := s.send(http.MethodPost, path+sent.query, sent.body, "Content-Type", "application/x-www-form-urlencoded")
			if w.Code == http.StatusOK || w.Code >= 500 || strings.Contains(w.Body.String(), typed) || strings.Contains(w.Body.String(), begun) {
				t.Errorf("POST %s%s with %.60q: got %d %s, want a refusal without the value", path, sent.query, sent.body, w.Code, w.Body)
			}
		}
	}
	s.wantNothingStored(t)
	for _, path := range []string{"/?fbclid", "/api/v2/status?locale=de&nocache", "/secret/abc?utm_source=mail&fbclid", "/api/v2/altcha/challenge?nocache"} {
		if w := s.send(http.MethodGet, path, ""); w.Code >= 400 && w.Code != http.StatusNotFound {
			t.Errorf("GET %s: got %d %s, want an answer", path, w.Code, w.Body)
		}
	}
}

// A recipient who misspells passphrase loses neither the secret nor a try, and
// neither does a sender who burns.
func TestNearMissTriesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	k := s.share(t, "secret=kept+out&passphrase=open+sesame")
	for range 7 { // more than the tries before a pause
		for path, status := range map[string]int{
			"/api/v1/secret/" + k.SecretKey: 404, "/api/v2/secret/" + k.SecretKey: 422, "/api/v2/secret/" + k.SecretKey + "/reveal": 422,
			"/api/v2/guest/secret/" + k.SecretKey: 422, "/api/v3/secret/" + k.SecretKey + "/reveal": 422, "/api/v3/guest/secret/" + k.SecretKey + "/reveal": 422,
			"/api/v1/private/" + k.MetadataKey + "/burn": 404, "/api/v2/private/" + k.MetadataKey + "/burn": 422,
			"/api/v2/guest/receipt/" + k.MetadataKey + "/burn": 422, "/api/v3/receipt/" + k.MetadataKey + "/burn": 422,
		} {
			for _, body := range []string{"continue=true&pass_phrase=open+sesame", "continue=true&passphrase=open+sesame&pass_phrase="} {
				w := s.send(http.MethodPost, path, body)
				if got := w.Body.String(); w.Code != status || !strings.Contains(got, `"message":"`+nearMiss("pass_phrase", "passphrase")+`"`) || strings.Contains(got, "sesame") {
					t.Errorf("POST %s: got %d %s, want %d and the name", path, w.Code, got, status)
				}
			}
		}
		w := onHost(s, http.MethodPost, "/secret/"+k.SecretKey, "continue=true&pass_phrase=open+sesame")
		wantPage(t, "POST /secret/KEY", w, 422, revealForm, `There is no parameter &#34;pass_phrase&#34;. Did you mean passphrase?`)
		wantStrict(t, "POST /secret/KEY", w)
	}
	s.wantWaiting(t, k)
	w := s.send(http.MethodPost, "/api/v1/secret/"+k.SecretKey, "passphrase=open+sesame")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "kept out") {
		t.Errorf("POST /api/v1/secret/KEY: got %d %s, want the secret", w.Code, w.Body)
	}
}

// The page's form sends no near miss, but a program that fills it in may. It gets
// the form again, in its language.
func TestNearMissOnTheSharePage(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	for language, want := range map[string]string{
		"en": `There is no parameter &#34;Passphrase&#34;. Did you mean passphrase?`,
		"de": `Es gibt keinen Parameter &#34;Passphrase&#34;. Meinten Sie passphrase?`,
		"fr": `paramètre &#34;Passphrase&#34;`,
	} {
		w := onHost(s, http.MethodPost, "/", "secret=kept+out&Passphrase=hunter2", "Accept-Language", language)
		wantPage(t, "POST / in "+language, w, 422, shareForm, `role="alert"`, want)
		if body := w.Body.String(); strings.Contains(body, "hunter2") || strings.Contains(body, "kept out") {
			t.Errorf("POST / in %s: got what was entered in %s", language, body)
		}
	}
	w := s.send(http.MethodPost, "/api/v2/secret/conceal", "secret=kept+out&ttl_=60", "Accept-Language", "nl")
	if want := `Er is geen parameter \"ttl_\". Bedoelde u ttl?`; !strings.Contains(w.Body.String(), want) {
		t.Errorf("POST /api/v2/secret/conceal in Dutch: got %s, want %s", w.Body, want)
	}
	w = s.send(http.MethodPost, "/api/v1/share", "secret=kept+out&ttl_=60", "Accept-Language", "nl")
	if want := nearMiss("ttl_", "ttl"); !strings.Contains(w.Body.String(), want) {
		t.Errorf("POST /api/v1/share in Dutch: got %s, want %s", w.Body, want)
	}
	s.wantNothingStored(t)
}

// Everything that clients in the field and the service that they were written for
// send goes on being accepted.
func TestParametersOfClientsAreAccepted(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	const beyond = "SECRET_KEY=y&METADATA_KEY=y&secret_key=y&metadata_key=y&custid=anon&metadata_ttl=1&secret_ttl=1&receipt_ttl=1&passphrase_required=true&" +
		"has_passphrase=true&correct_passphrase=true&recipient_safe[]=x&recipient_name=x&show_recipients=true&realttl=1&secret_realttl=1&ttl_options[]=60&" +
		"continue=true&shrimp=x&token=true&locale=en&tz=UTC&title=x&url=x&type=x&state=new&value=x&created=1&updated=1&memo=x&key=x&identifier=x&version=1"
	for _, path := range []string{"/api/v1/share", "/api/v1/create", "/api/v1/generate", "/api/v2/secret/conceal", "/api/v2/secret/generate", "/api/v3/guest/secret/conceal"} {
		for _, form := range []string{
			"secret=a&ttl=3600&passphrase=&recipient=&share_domain=&kind=share&" + beyond,
			"secret=a&ttl=3600&passphrase=&recipient[]=&" + beyond,
			"secret[secret]=a&secret[ttl]=3600&secret[passphrase]=&secret[recipient]=&secret[share_domain]=&secret[kind]=conceal&" + beyond,
			"secret[secret]=a&secret[ttl]=3600&secret[recipient][]=&length=12&character_sets[numbers]=true&" + beyond,
		} {
			for how, sent := range map[string][2]string{"body": {"", form}, "query": {"?" + form, ""}} {
				w := s.send(http.MethodPost, path+sent[0], sent[1])
				if body := w.Body.String(); w.Code != http.StatusOK || !strings.Contains(body, `"secret_ttl":3600`) {
					t.Errorf("POST %s with %.60s in the %s: got %d %s, want a secret for an hour", path, form, how, w.Code, body)
				}
			}
		}
	}
	for _, path := range []string{"/api/v1/secret/", "/api/v2/secret/", "/secret/"} {
		k := s.share(t, "secret=a&passphrase=open+sesame")
		w := onHost(s, http.MethodPost, path+k.SecretKey, "passphrase=open+sesame&tll=1&recipients=x&Recipient=x&"+beyond)
		if w.Code != http.StatusOK {
			t.Errorf("POST %sKEY: got %d %s, want the secret, which takes no lifetime and no recipient", path, w.Code, w.Body)
		}
	}
}
