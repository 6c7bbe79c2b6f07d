package apitest_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"hush/routes/apitest"
)

// custidOf returns the address to which version 2 attributes a request; anon
// for none.
func custidOf(t *testing.T, got apitest.Reply) string {
	t.Helper()
	var answer struct{ Custid string }
	if err := json.Unmarshal([]byte(got.Body), &answer); err != nil || got.Status != http.StatusOK {
		t.Errorf("answer: got %d %s, want 200 with a custid", got.Status, got.Body)
	}
	return answer.Custid
}

// Scripts of other sites may conceal and generate. They do so anonymously,
// whatever the browser adds to the request.
func TestForgeryOpenRows(t *testing.T) {
	t.Parallel()
	env, s := apitest.StartAccounts(t, apitest.Options{})
	client := s.Client(t, false, nil)
	in := env.Ada.Sessions[0]
	before := possessions(t, client, s.URL, &env.Ada)
	open := 0
	for _, row := range declaredRows() {
		if !row.open {
			continue
		}
		open++
		for _, o := range origins(s.URL) {
			for name, header := range map[string]http.Header{
				"no cookie": nil, "cookie": in.Header(), "cookie and shrimp": beside(in.Header(), http.Header{"O-Shrimp": {in.Shrimp}}),
			} {
				if !o.foreign && name != "no cookie" {
					continue // the service's own pages may act for the session: see TestForgeryRows
				}
				got := apitest.Send(t, client, row.method, s.URL+row.path, beside(o.header(), header), row.body(t))
				if custid := custidOf(t, got); custid != "anon" {
					t.Errorf("%s from %s with %s: got it done for %q, want for nobody", row.name(), o.name, name, custid)
				}
				if got.Header.Get("Access-Control-Allow-Origin") != "*" || got.Header.Get("Access-Control-Allow-Credentials") != "" ||
					got.Header.Get("Set-Cookie") != "" || strings.Contains(got.Body, in.Shrimp) {
					t.Errorf("%s from %s with %s: got %v %s, want it open, without cookies and the session's token", row.name(), o.name, name, got.Header, got.Body)
				}
			}
		}
	}
	if open != 8 {
		t.Errorf("open rows: got %d, want conceal and generate by both names in two versions", open)
	}
	if after := possessions(t, client, s.URL, &env.Ada); after != before {
		t.Errorf("ada's objects: got\n%s\nwant them unchanged:\n%s", after, before)
	}
}

// A credential in a header makes the cookie beside it count for nothing: it
// lends no name, asks for no token, and is neither renewed nor cleared.
func TestForgeryCredentialBesideCookie(t *testing.T) {
	t.Parallel()
	env, s := apitest.StartAccounts(t, apitest.Options{})
	client := s.Client(t, false, nil)
	row := s.URL + "/api/v2/account"
	for name, credential := range map[string]http.Header{
		"Bearer": apitest.Bearer(env.Bob.Token), "Basic": apitest.Basic(env.Bob.Address, env.Bob.Token),
	} {
		for cookie, in := range map[string]apitest.Session{"session": env.Ada.Sessions[0], "expired session": env.Expired} {
			for _, header := range []http.Header{beside(in.Header(), credential), beside(in.Page(s.URL), credential)} {
				got := apitest.Send(t, client, http.MethodGet, row, header, "")
				if custid := custidOf(t, got); custid != env.Bob.Address {
					t.Errorf("GET /account by %s beside a %s: got %q, want the credential's account", name, cookie, custid)
				}
				got = apitest.Send(t, client, http.MethodPost, row+"/update-locale", header, `{"locale":"en"}`)
				if custid := custidOf(t, got); custid != env.Bob.Address {
					t.Errorf("POST /update-locale by %s beside a %s: got %q, want the credential's account", name, cookie, custid)
				}
				if set := got.Header.Get("Set-Cookie"); set != "" || strings.Contains(got.Body, in.Shrimp) {
					t.Errorf("POST by %s beside a %s: got the cookie %q and %s, want the session left alone", name, cookie, set, got.Body)
				}
			}
		}
	}
	for name, credential := range map[string]http.Header{
		"a revoked token": apitest.Bearer(env.Revoked), "nothing": {"Authorization": {""}},
		"two tokens": {"Authorization": {"Bearer " + env.Ada.Token, "Bearer " + env.Ada.Token}},
	} {
		for _, path := range []string{"/api/v2/account", "/api/v2/receipt/recent", "/api/v1/status"} {
			got := apitest.Send(t, client, http.MethodGet, s.URL+path, beside(env.Ada.Sessions[0].Page(s.URL), credential), "")
			if !strings.Contains(got.Body, "Not authorized") || got.Header.Get("Set-Cookie") != "" {
				t.Errorf("GET %s by %s beside a session: got %d %s, want it refused and the session left alone", path, name, got.Status, got.Body)
			}
		}
	}
	if got := apitest.Send(t, client, http.MethodGet, row, env.Ada.Sessions[0].Header(), ""); custidOf(t, got) != env.Ada.Address {
		t.Errorf("GET /account by the session: got %s, want its account", got.Body)
	}
}
