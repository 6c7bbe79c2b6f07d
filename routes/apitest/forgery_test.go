package apitest_test

import (
	"net/http"
	"strings"
	"testing"

	"hush/routes/apitest"
)

// origin is what the headers of a request say about the page that made it.
type origin struct {
	name         string
	site, origin string // Sec-Fetch-Site and Origin; empty for none
	// foreign pages are of another site. Others are of this one, or say
	// nothing at all.
	foreign, silent bool
}

// origins are the combinations of headers. own is the service's base URL.
func origins(own string) []origin {
	withUser := strings.Replace(own, "://", "://x@", 1)
	return []origin{
		{name: "nothing", silent: true},
		{name: "same-origin", site: "same-origin"},
		{name: "typed by hand", site: "none"},
		{name: "same-site", site: "same-site", foreign: true},
		{name: "cross-site", site: "cross-site", foreign: true},
		{name: "own origin", origin: own},
		{name: "foreign origin", origin: "https://evil.example", foreign: true},
		{name: "null origin", origin: "null", foreign: true},
		{name: "own origin with a user", origin: withUser, foreign: true},
		{name: "same-origin with its origin", site: "same-origin", origin: own},
		{name: "same-origin, origin with a user", site: "same-origin", origin: withUser, foreign: true},
		{name: "cross-site with a foreign origin", site: "cross-site", origin: "https://evil.example", foreign: true},
	}
}

func (o origin) header() http.Header {
	header := http.Header{}
	if o.site != "" {
		header.Set("Sec-Fetch-Site", o.site)
	}
	if o.origin != "" {
		header.Set("Origin", o.origin)
	}
	return header
}

// proof is what a request brings as the session's token.
type proof struct {
	name    string
	headers []string // that carry it
	shrimp  string
	query   string // for routes that have parameters
	good    bool
}

// proofs are the good tokens, in each of their places, and the bad ones.
func proofs(in, another, strangers apitest.Session) []proof {
	list := []proof{
		{name: "no shrimp"},
		{name: "shrimp", headers: []string{"O-Shrimp"}, shrimp: in.Shrimp, good: true},
		{name: "shrimp as Onetime-Shrimp", headers: []string{"Onetime-Shrimp"}, shrimp: in.Shrimp, good: true},
		{name: "shrimp as X-CSRF-Token", headers: []string{"X-Csrf-Token"}, shrimp: in.Shrimp, good: true},
		{name: "shrimp as parameter", query: in.Shrimp, good: true},
		{name: "half a shrimp", headers: []string{"O-Shrimp"}, shrimp: in.Shrimp[:24]},
		{name: "the session for a shrimp", headers: []string{"O-Shrimp"}, shrimp: in.Cookie},
		{name: "another one as parameter", query: another.Shrimp},
		{name: "a bad header before a good parameter", headers: []string{"O-Shrimp"}, shrimp: another.Shrimp, query: in.Shrimp},
	}
	for _, name := range []string{"O-Shrimp", "Onetime-Shrimp", "X-Csrf-Token"} {
		list = append(list,
			proof{name: "wrong shrimp as " + name, headers: []string{name}, shrimp: strings.Repeat("a", 49)},
			proof{name: "another session's as " + name, headers: []string{name}, shrimp: another.Shrimp},
			proof{name: "another account's as " + name, headers: []string{name}, shrimp: strangers.Shrimp})
	}
	return list
}

func (p proof) header() http.Header {
	header := http.Header{}
	for _, name := range p.headers {
		header.Set(name, p.shrimp)
	}
	return header
}

// target is a route that changes something, called with a session's cookie.
type target struct {
	name, method, path, body string
	declared                 declared
	open                     bool
	parameters               bool // whether the shrimp may be one
	judge                    func(apitest.Reply) verdict
}

// expects is the rule: another site's request comes without the session, and
// one in the session's name has to say where it is from and to bring the
// session's token.
func (g target) expects(o origin, p proof) verdict {
	good := p.good && (p.query == "" || g.parameters)
	switch {
	case g.declared.access == "colonel":
		return notThere
	case o.foreign && g.declared.access == "account":
		return unauthenticated
	case o.foreign && !g.open:
		return crossSite
	case o.foreign, g.declared.forgeable:
		return admitted
	case o.silent:
		return crossSite
	case !good:
		return noShrimp
	}
	return admitted
}

// barrage sends every combination that a target is tried with: each origin with
// and without a good token, and each token from the service's own pages. The
// session is asked for anew each time, since it may end.
func (g target) barrage(t *testing.T, client *http.Client, url string, session func() apitest.Session, another, strangers apitest.Session) {
	t.Helper()
	for _, o := range origins(url) {
		for _, p := range proofs(session(), another, strangers)[:2] {
			g.try(t, client, url, session(), o, p)
		}
	}
	for i := range proofs(session(), another, strangers)[2:] {
		in := session()
		g.try(t, client, url, in, origins(url)[1], proofs(in, another, strangers)[i+2])
	}
}

func (g target) try(t *testing.T, client *http.Client, url string, in apitest.Session, o origin, p proof) {
	t.Helper()
	path := url + g.path
	if p.query != "" {
		path += "?shrimp=" + p.query
	}
	got := apitest.Send(t, client, g.method, path, beside(in.Header(), o.header(), p.header()), g.body)
	if v := g.judge(got); v != g.expects(o, p) {
		t.Errorf("%s from %s with %s: got %s (%d %s), want %s", g.name, o.name, p.name, v, got.Status, got.Body, g.expects(o, p))
	}
	if o.foreign && strings.Contains(got.Header.Get("Set-Cookie"), "hush") {
		t.Errorf("%s from %s: got the cookie %q, want another site's request to leave the session alone", g.name, o.name, got.Header.Get("Set-Cookie"))
	}
}

// The attack: a page of another site makes the victim's browser, which is
// signed in, send requests. No RPC does anything in the session's name unless
// the request comes from a page of the service and holds the session's token.
func TestForgeryRPC(t *testing.T) {
	t.Parallel()
	env, s := apitest.StartAccounts(t, apitest.Options{})
	client := s.Client(t, false, nil)
	table := declaredRPCs()
	for _, procedure := range procedures(t) {
		if procedure == "/hush.v1.SessionService/DestroySession" {
			continue // it ends the session: see TestForgerySignOut
		}
		unknown := unknownBeside(t, client, s.URL, procedure)
		g := target{
			name: procedure, method: http.MethodPost, path: procedure, body: table[procedure].body, declared: table[procedure],
			judge: func(got apitest.Reply) verdict { return verdictOf(t, got, unknown) },
		}
		session := func() apitest.Session { return env.Ada.Sessions[0] }
		g.barrage(t, client, s.URL, session, env.Ada.Sessions[1], env.Bob.Sessions[0])
	}
}

// Signing out ends the session where it is admitted, and only there.
func TestForgerySignOut(t *testing.T) {
	t.Parallel()
	env, s := apitest.StartAccounts(t, apitest.Options{})
	client := s.Client(t, false, nil)
	const procedure = "/hush.v1.SessionService/DestroySession"
	unknown := unknownBeside(t, client, s.URL, procedure)
	next := 1
	alive := func() apitest.Session {
		in := env.Ada.Sessions[next]
		if got := apitest.Call(t, client, s.URL, "/hush.v1.SessionService/Authcheck", in.Page(s.URL), emptyObject); got.Status != http.StatusOK {
			if next++; next == len(env.Ada.Sessions) {
				t.Fatalf("DestroySession: got %d sessions ended, want some left", next-1)
			}
			in = env.Ada.Sessions[next]
		}
		return in
	}
	ended := 0
	g := target{
		name: procedure, method: http.MethodPost, path: procedure, body: emptyObject, declared: declaredRPCs()[procedure],
		judge: func(got apitest.Reply) verdict {
			v := verdictOf(t, got, unknown)
			if v == admitted {
				ended++
			}
			return v
		},
	}
	g.barrage(t, client, s.URL, alive, env.Ada.Sessions[0], env.Bob.Sessions[0])
	alive()
	if next != ended+1 || ended == 0 {
		t.Errorf("DestroySession: got %d sessions ended by %d calls that were admitted, want as many", next-1, ended)
	}
}

// The same for the rows of the older API.
func TestForgeryRows(t *testing.T) {
	t.Parallel()
	env, s := apitest.StartAccounts(t, apitest.Options{})
	client := s.Client(t, false, nil)
	table := declaredRPCs()
	session := func() apitest.Session { return env.Ada.Sessions[0] }
	for _, row := range declaredRows() {
		if row.method == http.MethodGet || row.method == http.MethodOptions {
			continue
		}
		g := target{
			name: row.name(), method: row.method, path: row.address(), body: row.body(t),
			declared: table[row.procedure], open: row.open, parameters: true,
			judge: func(got apitest.Reply) verdict { return legacyVerdict(t, row, got) },
		}
		g.barrage(t, client, s.URL, session, env.Ada.Sessions[1], env.Bob.Sessions[0])
	}
}

// The same for the forms behind mailed links. They do nothing in the session's
// name, but no other site's page may send them.
func TestForgeryPages(t *testing.T) {
	t.Parallel()
	env, s := apitest.StartAccounts(t, apitest.Options{})
	client := s.Client(t, false, nil)
	session := func() apitest.Session { return env.Ada.Sessions[0] }
	judge := func(got apitest.Reply) verdict {
		switch {
		case got.Status == http.StatusForbidden && strings.Contains(got.Body, "pages of other sites"):
			return crossSite
		case got.Status == http.StatusForbidden && strings.Contains(got.Body, "the account that asked"):
			return unauthenticated
		case got.Status == http.StatusForbidden:
			return noShrimp
		}
		return admitted
	}
	found := 0
	for _, row := range rowsWithoutMounts(t) {
		if row.Method == http.MethodGet || strings.HasPrefix(row.Path, "/api/") {
			continue
		}
		found++
		access := "public"
		if strings.HasPrefix(row.Path, "/confirm/") {
			access = "account" // a session counts from pages of the service alone
		}
		g := target{
			name: row.Method + " " + row.Path, method: row.Method, path: strings.Replace(row.Path, "{key}", unknownKey, 1),
			body:     "continue=true&newp=" + apitest.Password + "&newp2=" + apitest.Password,
			declared: declared{access: access, forgeable: mailed(row.Path)}, parameters: !mailed(row.Path), judge: judge,
		}
		g.barrage(t, client, s.URL, session, env.Ada.Sessions[1], env.Bob.Sessions[0])
	}
	if found == 0 {
		t.Error("routing table: got no form outside the API, want those behind mailed links")
	}
}

// mailed reports whether a page is behind a mailed link, whose token no other
// site knows.
func mailed(path string) bool {
	for _, prefix := range []string{"/verify/", "/reset/", "/confirm/"} {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}
