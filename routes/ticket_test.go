package routes_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/vaulttest"
)

// Programs that follow mailed links before people do change nothing: the page
// is the same for every token, and nothing is looked up for it.
func TestTicketPagesChangeNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	s.account(t, ada, account.RoleCustomer)
	if err := s.kit.Vault.SignUps.RequestPasswordReset(t.Context(), vaulttest.Caller(1), ada); err != nil {
		t.Fatalf("RequestPasswordReset(): got error %v", err)
	}
	token := s.mail(t, outbox.MailReset)
	for _, path := range []string{"/verify/", "/reset/", "/confirm/"} {
		one := s.send(http.MethodGet, path+token, "")
		other := s.send(http.MethodGet, path+"%3Cscript%3E", "")
		wantPage(t, "GET "+path, one, http.StatusOK, `<html lang="en"`, `<form class="card" method="post" action="?">`, `<button class="button button-primary" type="submit">`)
		if one.Body.String() != other.Body.String() || strings.Contains(one.Body.String(), token) {
			t.Errorf("GET %s: got a page that depends on the token", path)
		}
		if got := s.send(http.MethodHead, path+token, ""); got.Code != http.StatusOK {
			t.Errorf("HEAD %s: got %d, want 200", path, got.Code)
		}
		if got := one.Header().Get("Referrer-Policy"); got != "same-origin" {
			t.Errorf("GET %s: got Referrer-Policy %q, want one under which the form is sent from here", path, got)
		}
	}
	w := s.send(http.MethodPost, "/reset/"+token, "newp=seventeen+small+elms&newp2=seventeen+small+elms")
	wantPage(t, "POST /reset/", w, http.StatusOK, "Your password was changed.")
	log := s.log()
	for _, part := range []string{"method=GET route=/reset/{key} ", "method=POST route=/reset/{key} ", "method=HEAD route=/verify/{key} "} {
		if !strings.Contains(log, part) {
			t.Errorf("log: got no %q in\n%s", part, log)
		}
	}
	for _, part := range []string{token, "seventeen", "elms", ada} {
		if strings.Contains(log, part) {
			t.Errorf("log: got %q in\n%s", part, log)
		}
	}
}

func TestResetPage(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	s.account(t, ada, account.RoleCustomer)
	if err := s.kit.Vault.SignUps.RequestPasswordReset(t.Context(), vaulttest.Caller(1), ada); err != nil {
		t.Fatalf("RequestPasswordReset(): got error %v", err)
	}
	path := "/reset/" + s.mail(t, outbox.MailReset)
	const form, gone = `<form class="card" method="post" action="?">`, "This link is invalid, has expired or was already used."
	for _, test := range []struct {
		body, want string
		status     int
	}{
		{"newp=seventeen+small+elms&newp2=seventeen+small", "The two passwords don&#39;t match.", 422},
		{"newp=short&newp2=short", "You can&#39;t use that password.", 422},
		{"", "You can&#39;t use that password.", 422},
		{"newp=" + strings.Repeat("ab", 600) + "&newp2=" + strings.Repeat("ab", 600), "You can&#39;t use that password.", 422},
		{"newp=%ff&newp2=%ff", "newp is not valid UTF-8", 422},
	} {
		wantPage(t, "POST with "+test.body, s.send(http.MethodPost, path, test.body), test.status, test.want, form, `role="alert"`)
	}
	german := s.send(http.MethodPost, path, "newp=short&newp2=short", "Accept-Language", "de")
	wantPage(t, "POST in German", german, 422, "Dieses Passwort können Sie nicht verwenden.", form, `role="alert"`)
	const good = "newp=seventeen+small+elms&newp2=seventeen+small+elms"
	for _, headers := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}, {"Origin", "null"},
	} {
		w := s.send(http.MethodPost, path, good, headers...)
		wantPage(t, "POST from another site", w, http.StatusForbidden, "requests from pages of other sites are refused")
	}
	w := s.send(http.MethodPost, path, good, "Sec-Fetch-Site", "same-origin")
	wantPage(t, "POST", w, http.StatusOK, "Your password was changed.", `role="status"`)
	if strings.Contains(w.Body.String(), form) {
		t.Errorf("POST: got a form on %s", w.Body)
	}
	w = s.send(http.MethodPost, path, good)
	wantPage(t, "POST again", w, http.StatusUnprocessableEntity, gone)
	if strings.Contains(w.Body.String(), form) || strings.Contains(w.Body.String(), "elms") {
		t.Errorf("POST again: got a form or the password on %s", w.Body)
	}
	s.kit.MustSignIn(t, ada, "seventeen small elms")
}

// A reset loses the earlier entries of the list, and says so.
func TestResetPageTellsWhatIsLost(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	authorization := s.account(t, ada, account.RoleCustomer)
	if w := s.send(http.MethodPost, "/api/v1/share", "secret=a", "Authorization", authorization); w.Code != http.StatusOK {
		t.Fatalf("POST /api/v1/share: got %d %s", w.Code, w.Body)
	}
	if err := s.kit.Vault.SignUps.RequestPasswordReset(t.Context(), vaulttest.Caller(1), ada); err != nil {
		t.Fatalf("RequestPasswordReset(): got error %v", err)
	}
	w := s.send(http.MethodPost, "/reset/"+s.mail(t, outbox.MailReset), "newp=seventeen+small+elms&newp2=seventeen+small+elms",
		"Origin", "http://example.com") // as over plain HTTP, to the host of the request
	wantPage(t, "POST with an origin alone", w, http.StatusOK, "Earlier entries in your list that can no longer be shown: 1")
}

// solve finds a challenge's number, like a browser.
func solve(t *testing.T, s *site, action string) string {
	t.Helper()
	var c struct {
		Algorithm, Challenge, Salt, Signature string
		MaxNumber                             int
	}
	w := s.send(http.MethodGet, "/api/v2/altcha/challenge?action="+action, "")
	if err := json.Unmarshal(w.Body.Bytes(), &c); err != nil || w.Code != http.StatusOK {
		t.Fatalf("GET challenge: got %d %s", w.Code, w.Body)
	}
	for number := range c.MaxNumber + 1 {
		sum := sha256.Sum256([]byte(c.Salt + strconv.Itoa(number)))
		if hex.EncodeToString(sum[:]) != c.Challenge {
			continue
		}
		payload, err := json.Marshal(map[string]any{
			"algorithm": c.Algorithm, "challenge": c.Challenge, "number": number, "salt": c.Salt, "signature": c.Signature,
		})
		if err != nil {
			t.Fatalf("encoding payload: %v", err)
		}
		return base64.StdEncoding.EncodeToString(payload)
	}
	t.Fatalf("GET challenge: got one without a solution: %s", w.Body)
	return ""
}

func TestVerifyPage(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{Policy: caller.Policy{SignUp: caller.SignUpOpen}})
	body, err := json.Marshal(map[string]string{
		"address": ada, "password": "of the first to sign up", "authenticityPayload": solve(t, s, "signup"),
	})
	if err != nil {
		t.Fatalf("encoding sign-up: %v", err)
	}
	w := s.send(http.MethodPost, "/hush.v1.AccountService/CreateAccount", string(body), "Content-Type", "application/json")
	if w.Code != http.StatusOK {
		t.Fatalf("CreateAccount: got %d %s", w.Code, w.Body)
	}
	path := "/verify/" + s.mail(t, outbox.MailVerify)
	wantPage(t, "POST /verify/ wrong", s.send(http.MethodPost, "/verify/wrong", ""), 422, "This link is invalid, has expired or was already used.")
	wantPage(t, "GET /verify/", s.send(http.MethodGet, path, "", "Accept-Language", "de"), 200, `<html lang="de"`, "Bestätigen")
	const chosen = "newp=seventeen+small+elms&newp2=seventeen+small+elms"
	const form = `<form class="card" method="post" action="?">`
	for body, want := range map[string]string{
		"": "You can&#39;t use that password.", "newp=short&newp2=short": "You can&#39;t use that password.",
		chosen + "x": "The two passwords don&#39;t match.",
	} {
		wantPage(t, "POST /verify/ with "+body, s.send(http.MethodPost, path, body), 422, want, form, `role="alert"`)
	}
	wantPage(t, "POST /verify/", s.send(http.MethodPost, path, chosen, "Accept-Language", "pt-BR"), 200, `<html lang="pt-BR" dir="ltr">`, `role="status"`)
	wantPage(t, "POST /verify/ again", s.send(http.MethodPost, path, chosen), 422, "This link is invalid, has expired or was already used.")

	s.kit.MustSignIn(t, ada, "seventeen small elms")
}

// The link to a new address works for the account that requested it, and says
// so to everyone else. A refusal leaves it valid.
func TestConfirmPage(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	s.account(t, ada, account.RoleCustomer)
	others := s.account(t, "other@example.com", account.RoleCustomer)
	const next = "countess@example.com"
	if err := s.kit.Vault.SignUps.RequestAddressChange(t.Context(), s.kit.MustSignIn(t, ada, password), next, password); err != nil {
		t.Fatalf("RequestAddressChange(): got error %v", err)
	}
	w := onHost(s, http.MethodPost, "/hush.v1.SessionService/CreateSession",
		`{"address":"`+ada+`","password":"`+password+`"}`, "Content-Type", "application/json", "Origin", "https://hush.example")
	cookie, _, _ := strings.Cut(w.Header().Get("Set-Cookie"), ";")
	path := "/confirm/" + s.mail(t, outbox.MailAddress)
	const form, say = `<form class="card" method="post" action="?">`, "to the account that asked for this address"
	wantPage(t, "GET", s.send(http.MethodGet, path, ""), 200, "Confirm your new address", say, form)
	wantPage(t, "POST by nobody", s.send(http.MethodPost, path, ""), 403, say, form, `role="alert"`)
	w = s.send(http.MethodPost, path, "", "Authorization", others)
	wantPage(t, "POST by another account", w, 403, say, form, `role="alert"`)
	w = onHost(s, http.MethodPost, path, "", "Cookie", cookie, "Origin", "https://evil.example")
	wantPage(t, "POST from another site, which has no session", w, 403, say, form, `role="alert"`)
	w = onHost(s, http.MethodPost, path, "", "Cookie", cookie, "Origin", "https://hush.example", "Accept-Language", "de")
	wantPage(t, "POST", w, 200, "Ihr Konto verwendet jetzt die neue Adresse.", `role="status"`)
	s.kit.MustSignIn(t, next, password)
	w = onHost(s, http.MethodPost, path, "", "Cookie", cookie, "Origin", "https://hush.example")
	wantPage(t, "POST again", w, 422, "This link is invalid, has expired or was already used.")
}

// Guessing tokens ends soon, with a page that says when to retry.
func TestTicketPagesAreLimited(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://hush.example", vaulttest.Options{})
	for range 10 {
		wantPage(t, "POST", s.send(http.MethodPost, "/verify/guess", ""), 422, "This link is invalid, has expired or was already used.")
	}
	w := s.send(http.MethodPost, "/reset/guess", "")
	wantPage(t, "POST above the limit", w, http.StatusTooManyRequests, "You have been rate limited.")
	if w.Header().Get("Retry-After") == "" {
		t.Error("POST above the limit: got no Retry-After")
	}
}
