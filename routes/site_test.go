package routes_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"hush/handlers"
	"hush/handlers/chain"
	"hush/routes"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/outbox"
	"hush/vault/signup"
	"hush/vault/vaulttest"
)

// site is the whole tree on a real vault.
type site struct {
	kit *vaulttest.Kit
	h   http.Handler

	holders int // made so far

	mu    sync.Mutex
	mails []outbox.Mail
	lines bytes.Buffer // of the log
}

// Write keeps a line of the log.
func (s *site) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lines.Write(line)
}

// log returns everything logged so far.
func (s *site) log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lines.String()
}

func newSite(t *testing.T, base string, opts vaulttest.Options) *site {
	t.Helper()
	return newSiteWith(t, base, opts, func(*handlers.Options, *routes.Options) {})
}

// newSiteWith is newSite with changed options.
func newSiteWith(t *testing.T, base string, opts vaulttest.Options, change func(*handlers.Options, *routes.Options)) *site {
	t.Helper()
	s := new(site)
	opts.Manual = true
	opts.Send = s.keep
	s.kit = vaulttest.New(t, opts)
	at, err := url.Parse(base)
	if err != nil {
		t.Fatalf("parsing %s: %v", base, err)
	}
	made := handlers.Options{
		Settings: chain.Settings{Log: slog.New(slog.NewTextHandler(s, nil)), Now: s.kit.Clock.Now, BaseURL: at, RateLimits: true},
		Vault:    s.kit.Vault, Version: "1.2.3",
	}
	served := routes.Options{BaseURL: at, Catalogue: catalogue(t), Now: s.kit.Clock.Now}
	change(&made, &served)
	if served.API, err = handlers.New(made); err != nil {
		t.Fatalf("handlers.New(): got error %v", err)
	}
	if s.h, err = routes.New(served); err != nil {
		t.Fatalf("New(): got error %v", err)
	}
	return s
}

func (s *site) keep(_ context.Context, m outbox.Mail) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mails = append(s.mails, m)
	return nil
}

// mail sends the queued mails and returns the key of the last one of a kind.
func (s *site) mail(t *testing.T, kind outbox.MailKind) string {
	t.Helper()
	if _, err := s.kit.Vault.Outbox.PostDue(t.Context()); err != nil {
		t.Fatalf("PostDue(): got error %v", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range slices.Backward(s.mails) {
		if m.Kind == kind {
			return string(m.Key)
		}
	}
	t.Fatalf("mails: got none of kind %d", kind)
	return ""
}

// send sends a request; headers are pairs of a name and a value. One with a
// body has the form's type unless a header says otherwise.
func (s *site) send(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.h.ServeHTTP(w, r)
	return w
}

const (
	ada      = "ada@example.com"
	password = "sixteen tall oaks"
)

// account creates an account and returns the header of a token with all scopes.
func (s *site) account(t *testing.T, address caller.Text, role account.Role) (authorization string) {
	t.Helper()
	made := signup.OperatorAccount{Address: address, Password: password, Role: role}
	if _, err := s.kit.Vault.Operator().SignUps.CreateAccount(t.Context(), made); err != nil {
		t.Fatalf("CreateAccount(): got error %v", err)
	}
	token, _, err := s.kit.Vault.Operator().Tokens.CreateToken(t.Context(), address, credential.NewToken{})
	if err != nil {
		t.Fatalf("CreateToken(): got error %v", err)
	}
	return "Bearer " + token.Expose()
}

// answer returns a whole response as text.
func answer(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	var b strings.Builder
	if err := w.Result().Write(&b); err != nil {
		t.Fatalf("writing answer: %v", err)
	}
	return b.String()
}

func wantPage(t *testing.T, name string, w *httptest.ResponseRecorder, status int, parts ...string) {
	t.Helper()
	body := w.Body.String()
	if w.Code != status || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("%s: got %d %s, want a page with %d", name, w.Code, w.Header().Get("Content-Type"), status)
	}
	for _, part := range parts {
		if !strings.Contains(body, part) {
			t.Errorf("%s: got no %q in %s", name, part, body)
		}
	}
}
