package apitest_test

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"hush/routes/apitest"
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
	env, s := apitest.StartAccounts(t, apitest.Options{})
	_, port, err := net.SplitHostPort(s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	for _, http2 := range []bool{false, true} {
		client := s.Client(t, http2, nil)
		for _, c := range hostCases(port) {
			name := fmt.Sprintf("%s, HTTP/2 %t", c.host, http2)
			site := "http://" + c.host
			ada := env.Ada.Sessions[0].Page(site)
			if taken := aliveOf(t, client, site, ada); taken != c.home {
				t.Errorf("session on %s: got it taken %t, want %t", name, taken, c.home)
			}
			if got := apitest.Send(t, client, http.MethodGet, site+"/api/v2/status", ada, ""); got.Status != http.StatusOK || (got.Header.Get("Set-Cookie") == clearedSession) == c.home {
				t.Errorf("GET status on %s: got %d and Set-Cookie %q, want the session cleared: %t", name, got.Status, got.Header.Get("Set-Cookie"), !c.home)
			}
			wantSignIn(t, client, env, s, name, site, c.home)
			wantSharing(t, client, env, name, site)
		}
	}
}

// wantSignIn checks whether one can sign in on a site, and what it says of it.
func wantSignIn(t *testing.T, client *http.Client, env *apitest.Accounts, s *apitest.Server, name, site string, home bool) {
	t.Helper()
	page := http.Header{"Origin": {site}, "Sec-Fetch-Site": {"same-origin"}}
	body := fmt.Sprintf(`{"address":%q,"password":%q}`, env.Ada.Address, apitest.Password)
	got := apitest.Call(t, client, site, "/hush.v1.SessionService/CreateSession", page, body)
	if home != (got.Status == http.StatusOK) || home != (got.Header.Get("Set-Cookie") != "") {
		t.Errorf("CreateSession on %s: got %d %s and Set-Cookie %q, want a session: %t", name, got.Status, got.Body, got.Header.Get("Set-Cookie"), home)
	}
	says := []string{`"code":"failed_precondition"`, `"reason":"REASON_ELSEWHERE"`, "signing in works only on " + s.URL}
	for _, text := range says {
		if strings.Contains(got.Body, text) == home {
			t.Errorf("CreateSession on %s: got %s, want it to say %s: %t", name, got.Body, text, !home)
		}
	}
	policy := apitest.Call(t, client, site, "/hush.v1.SystemService/GetPolicy", page, emptyObject)
	if strings.Contains(policy.Body, `"signIn":true`) != home || !strings.Contains(policy.Body, s.URL) {
		t.Errorf("GetPolicy on %s: got %s, want sign-in %t and the base URL", name, policy.Body, home)
	}
}

// wantSharing checks that a site shares and opens, and takes API tokens.
func wantSharing(t *testing.T, client *http.Client, env *apitest.Accounts, name, site string) {
	t.Helper()
	if !aliveOf(t, client, site, apitest.Bearer(env.Ada.Token)) {
		t.Errorf("API token on %s: got it refused, want it good", name)
	}
	for _, header := range []http.Header{nil, apitest.Bearer(env.Ada.Token)} {
		secret, _ := kept(t, client, site, header)
		got := apitest.Send(t, client, http.MethodPost, site+"/api/v1/secret/"+secret, nil, "")
		if got.Status != http.StatusOK || got.At(t, "value") != "x" {
			t.Errorf("POST secret on %s: got %d %s, want the value", name, got.Status, got.Body)
		}
	}
}
