package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// custidOf returns the address to which version 2 attributes a request; anon
// for none.
func custidOf(t *testing.T, got testReply) string {
	t.Helper()
	var answer struct{ Custid string }
	if err := json.Unmarshal([]byte(got.body), &answer); err != nil || got.status != http.StatusOK {
		t.Errorf("answer: got %d %s, want 200 with a custid", got.status, got.body)
	}
	return answer.Custid
}

// Scripts of other sites may conceal and generate. They do so anonymously,
// whatever the browser adds to the request.
func TestForgeryOpenRows(t *testing.T) {
	t.Parallel()
	env, s := startAccounts(t, "--rate-limits=off", "--log-level=error")
	client := newHTTPClient(t, false, nil)
	in := env.ada.sessions[0]
	before := possessions(t, client, s.url, &env.ada)
	open := 0
	for _, row := range declaredRows() {
		if !row.open {
			continue
		}
		open++
		for _, o := range origins(s.url) {
			for name, header := range map[string]http.Header{
				"no cookie": nil, "cookie": in.header(), "cookie and shrimp": beside(in.header(), http.Header{"O-Shrimp": {in.shrimp}}),
			} {
				if !o.foreign && name != "no cookie" {
					continue // the service's own pages may act for the session: see TestForgeryRows
				}
				got := sendAs(t, client, row.method, s.url+row.path, beside(o.header(), header), row.body())
				if custid := custidOf(t, got); custid != "anon" {
					t.Errorf("%s from %s with %s: got it done for %q, want for nobody", row.name(), o.name, name, custid)
				}
				if got.header.Get("Access-Control-Allow-Origin") != "*" || got.header.Get("Access-Control-Allow-Credentials") != "" ||
					got.header.Get("Set-Cookie") != "" || strings.Contains(got.body, in.shrimp) {
					t.Errorf("%s from %s with %s: got %v %s, want it open, without cookies and the session's token", row.name(), o.name, name, got.header, got.body)
				}
			}
		}
	}
	if open != 8 {
		t.Errorf("open rows: got %d, want conceal and generate by both names in two versions", open)
	}
	if after := possessions(t, client, s.url, &env.ada); after != before {
		t.Errorf("ada's objects: got\n%s\nwant them unchanged:\n%s", after, before)
	}
}

// A credential in a header makes the cookie beside it count for nothing: it
// lends no name, asks for no token, and is neither renewed nor cleared.
func TestForgeryCredentialBesideCookie(t *testing.T) {
	t.Parallel()
	env, s := startAccounts(t, "--rate-limits=off", "--log-level=error")
	client := newHTTPClient(t, false, nil)
	row := s.url + "/api/v2/account"
	for name, credential := range map[string]http.Header{
		"Bearer": bearerHeader(env.bob.token), "Basic": basicHeader(env.bob.address, env.bob.token),
	} {
		for cookie, in := range map[string]testSession{"session": env.ada.sessions[0], "expired session": env.expired} {
			for _, header := range []http.Header{beside(in.header(), credential), beside(in.page(s.url), credential)} {
				got := sendAs(t, client, http.MethodGet, row, header, "")
				if custid := custidOf(t, got); custid != env.bob.address {
					t.Errorf("GET /account by %s beside a %s: got %q, want the credential's account", name, cookie, custid)
				}
				got = sendAs(t, client, http.MethodPost, row+"/update-locale", header, `{"locale":"en"}`)
				if custid := custidOf(t, got); custid != env.bob.address {
					t.Errorf("POST /update-locale by %s beside a %s: got %q, want the credential's account", name, cookie, custid)
				}
				if set := got.header.Get("Set-Cookie"); set != "" || strings.Contains(got.body, in.shrimp) {
					t.Errorf("POST by %s beside a %s: got the cookie %q and %s, want the session left alone", name, cookie, set, got.body)
				}
			}
		}
	}
	for name, credential := range map[string]http.Header{
		"a revoked token": bearerHeader(env.revoked), "nothing": {"Authorization": {""}},
		"two tokens": {"Authorization": {"Bearer " + env.ada.token, "Bearer " + env.ada.token}},
	} {
		for _, path := range []string{"/api/v2/account", "/api/v2/receipt/recent", "/api/v1/status"} {
			got := sendAs(t, client, http.MethodGet, s.url+path, beside(env.ada.sessions[0].page(s.url), credential), "")
			if !strings.Contains(got.body, "Not authorized") || got.header.Get("Set-Cookie") != "" {
				t.Errorf("GET %s by %s beside a session: got %d %s, want it refused and the session left alone", path, name, got.status, got.body)
			}
		}
	}
	if got := sendAs(t, client, http.MethodGet, row, env.ada.sessions[0].header(), ""); custidOf(t, got) != env.ada.address {
		t.Errorf("GET /account by the session: got %s, want its account", got.body)
	}
}
