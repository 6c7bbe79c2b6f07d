package main

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
)

// hostCase is a host that a request is sent to.
type hostCase struct {
	host string
	home bool // whether it is the service's own
}

// hostCases are hosts of a service that listens on 127.0.0.1 without a base URL.
func hostCases(port string) []hostCase {
	return []hostCase{
		{"127.0.0.1:" + port, true}, {"127.0.0.1", true}, {"localhost:" + port, true}, {"localhost", true}, {"LOCALHOST:80", true},
		{"localhost.:" + port, true}, {"127.3.2.1:" + port, true}, {"[::1]:" + port, true},
		{"secrets.tenant-team.com", false}, {"secrets.tenant-team.com:" + port, false}, {"localhost.tenant-team.com:" + port, false},
		{"127.0.0.1.tenant-team.com", false}, {"192.0.2.1:" + port, false}, {"hush:" + port, false},
	}
}

// The attack: a tenant has a name that leads to this service. People sign in
// there, or come with the session that they made there; then the tenant points
// the name at a machine of its own and reads the cookies of all who come back.
// So there are no sessions but on the service's own host.
func TestSessionsOnTheOwnHostAlone(t *testing.T) {
	t.Parallel()
	env, s := startAccounts(t, "--rate-limits=off", "--log-level=error")
	_, port, err := net.SplitHostPort(s.addr)
	if err != nil {
		t.Fatal(err)
	}
	for _, http2 := range []bool{false, true} {
		client := toServer(t, s, http2)
		for _, c := range hostCases(port) {
			name := fmt.Sprintf("%s, HTTP/2 %t", c.host, http2)
			site := "http://" + c.host
			ada := env.ada.sessions[0].page(site)
			if taken := aliveOf(t, client, site, ada); taken != c.home {
				t.Errorf("session on %s: got it taken %t, want %t", name, taken, c.home)
			}
			if got := sendAs(t, client, http.MethodGet, site+"/api/v2/status", ada, ""); got.status != http.StatusOK || (got.header.Get("Set-Cookie") == clearedSession) == c.home {
				t.Errorf("GET status on %s: got %d and Set-Cookie %q, want the session cleared: %t", name, got.status, got.header.Get("Set-Cookie"), !c.home)
			}
			wantSignIn(t, client, env, s, name, site, c.home)
			wantSharing(t, client, env, name, site)
		}
	}
}

// wantSignIn checks whether one can sign in on a site, and what it says of it.
func wantSignIn(t *testing.T, client *http.Client, env *testEnv, s *testServer, name, site string, home bool) {
	t.Helper()
	page := http.Header{"Origin": {site}, "Sec-Fetch-Site": {"same-origin"}}
	body := fmt.Sprintf(`{"address":%q,"password":%q}`, env.ada.address, testPassword)
	got := callAs(t, client, site, "/hush.v1.SessionService/CreateSession", page, body)
	if home != (got.status == http.StatusOK) || home != (got.header.Get("Set-Cookie") != "") {
		t.Errorf("CreateSession on %s: got %d %s and Set-Cookie %q, want a session: %t", name, got.status, got.body, got.header.Get("Set-Cookie"), home)
	}
	says := []string{`"code":"failed_precondition"`, `"reason":"REASON_ELSEWHERE"`, "signing in works only on " + s.url}
	for _, text := range says {
		if strings.Contains(got.body, text) == home {
			t.Errorf("CreateSession on %s: got %s, want it to say %s: %t", name, got.body, text, !home)
		}
	}
	policy := callAs(t, client, site, "/hush.v1.SystemService/GetPolicy", page, emptyObject)
	if strings.Contains(policy.body, `"signIn":true`) != home || !strings.Contains(policy.body, s.url) {
		t.Errorf("GetPolicy on %s: got %s, want sign-in %t and the base URL", name, policy.body, home)
	}
}

// wantSharing checks that a site shares and opens, and takes API tokens.
func wantSharing(t *testing.T, client *http.Client, env *testEnv, name, site string) {
	t.Helper()
	if !aliveOf(t, client, site, bearerHeader(env.ada.token)) {
		t.Errorf("API token on %s: got it refused, want it good", name)
	}
	for _, header := range []http.Header{nil, bearerHeader(env.ada.token)} {
		secret, _ := kept(t, client, site, header)
		got := sendAs(t, client, http.MethodPost, site+"/api/v1/secret/"+secret, nil, "")
		if got.status != http.StatusOK || got.at(t, "value") != "x" {
			t.Errorf("POST secret on %s: got %d %s, want the value", name, got.status, got.body)
		}
	}
}

// toServer is a client for which every name leads to the server.
func toServer(t *testing.T, s *testServer, http2 bool) *http.Client {
	t.Helper()
	client := anywhere(t, s)
	transport := client.Transport.(*http.Transport)
	transport.Protocols = new(http.Protocols)
	transport.Protocols.SetHTTP1(!http2)
	transport.Protocols.SetUnencryptedHTTP2(http2)
	return client
}
