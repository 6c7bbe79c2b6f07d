package apitest_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"hush/handlers"
	"hush/routes"
	"hush/routes/apitest"
)

// Every row of the older API, by every kind of caller, has to behave like the
// RPC that it stands for. A new row without a line of its own fails the test.
func TestMatrixRows(t *testing.T) {
	t.Parallel()
	rows := declaredRows()
	wantAllRows(t, rows)
	env, s := apitest.StartAccounts(t, apitest.Options{})
	client := s.Client(t, false, nil)
	table, columns := declaredRPCs(), standings(env, s.URL)
	for _, row := range rows {
		for _, column := range columns {
			got := apitest.Send(t, client, row.method, s.URL+row.address(), column.header, row.body(t))
			want := table[row.procedure].expects(column).inLegacy()
			if row.procedure == "preflight" || row.anyone {
				want = admitted
			}
			if strings.HasSuffix(row.path, "/account/apitoken") && column.scope == "account" {
				want = unauthenticated // a token makes none that may do more than itself
			}
			if v := legacyVerdict(t, row, got); v != want {
				t.Errorf("%s by %s: got %s (%d %s), want %s", row.name(), column.name, v, got.Status, got.Body, want)
			}
		}
	}
}

// rowsWithoutMounts returns the routing table without the RPCs.
func rowsWithoutMounts(t *testing.T) []routes.Row {
	t.Helper()
	api, err := handlers.Described()
	if err != nil {
		t.Fatalf("Described: got %v, want no error", err)
	}
	api.Mounts = nil
	return routes.Table(api)
}

// wantAllRows compares the lines of the matrix with the routing table.
func wantAllRows(t *testing.T, rows []declaredRow) {
	t.Helper()
	missing := map[string]string{}
	for _, row := range rowsWithoutMounts(t) {
		if strings.HasPrefix(row.Path, "/api/") {
			missing[row.Method+" "+row.Path] = row.Operation
		}
	}
	for _, row := range rows {
		operation, found := missing[row.name()]
		if !found {
			t.Errorf("matrix: got a line for %s, want one for each row of the routing table and no other", row.name())
		}
		name := row.procedure[strings.LastIndexByte(row.procedure, '/')+1:]
		if !strings.Contains(" "+operation+" ", " "+name+" ") {
			t.Errorf("%s: got %s, want %s", row.name(), operation, name)
		}
		delete(missing, row.name())
	}
	for name := range missing {
		t.Errorf("matrix: got no line for %s, want one for every row", name)
	}
}

// inLegacy is a verdict as far as the older API tells it: it does not tell what
// a token lacks from what is no token.
func (v verdict) inLegacy() verdict {
	if v == outOfScope {
		return unauthenticated
	}
	return v
}

// legacyVerdict reads an answer in the shape of the row's version.
func legacyVerdict(t *testing.T, row declaredRow, got apitest.Reply) verdict {
	t.Helper()
	if kind := got.Header.Get("Content-Type"); kind != "application/json; charset=utf-8" || !json.Valid([]byte(got.Body)) {
		t.Errorf("%s: got %s %q, want JSON", row.name(), kind, got.Body)
	}
	var answer struct{ Message string }
	_ = json.Unmarshal([]byte(got.Body), &answer) // a list has no message
	honest := got.Header.Get("X-Ots-Intended-Status")
	v1 := row.version() == "v1" && got.Status == http.StatusNotFound
	v2 := row.version() != "v1" && got.Status == http.StatusForbidden
	switch {
	case v2 && answer.Message == "Not authorized", v1 && honest == "401" && strings.TrimSpace(got.Body) == `{"message":"Not authorized"}`:
		return unauthenticated
	case (v2 || v1 && honest == "403") && answer.Message == "requests from pages of other sites are refused":
		return crossSite
	case (v2 || v1 && honest == "403") && answer.Message == "Please refresh the page and try again":
		return noShrimp
	case got.Status == http.StatusNotFound && answer.Message == "Not Found":
		if strings.TrimSpace(got.Body) != `{"message":"Not Found"}` {
			t.Errorf("%s: got %s, want what an unknown path answers", row.name(), got.Body)
		}
		return notThere
	}
	return admitted
}

// Only a colonel learns that there is a page for colonels, whatever the method
// and the spelling of the path.
func TestColonelPageIsHidden(t *testing.T) {
	t.Parallel()
	env, s := apitest.StartAccounts(t, apitest.Options{})
	client := s.Client(t, false, nil)
	callers := map[string]http.Header{
		"anonymous": nil, "account": apitest.Bearer(env.Ada.Token), "session": env.Ada.Sessions[0].Page(s.URL),
		"revoked token": apitest.Bearer(env.Revoked), "revoked colonel": apitest.Basic(env.Cleo.Address, env.Revoked),
	}
	methods := []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
	for _, path := range []string{"/colonel", "/colonel/", "/%63olonel", "/colonel%2F", "/colonel?x=1", "/colone%6C/", "/colonel?shrimp=%ff", "/colonel?shrimp=a&shrimp=b"} {
		for _, method := range methods {
			for name, header := range callers {
				want := apitest.Send(t, client, method, s.URL+"/api/v2/nothing", header, "")
				got := apitest.Send(t, client, method, s.URL+"/api/v2"+path, header, "")
				if got.Status != http.StatusNotFound || got.Body != want.Body || got.Header.Get("Allow") != "" {
					t.Errorf("%s %s by %s: got %d %q, want it not there", method, path, name, got.Status, got.Body)
				}
			}
		}
	}
	got := apitest.Send(t, client, "GET", s.URL+"/api/v2/colonel", apitest.Bearer(env.Cleo.Token), "")
	if got.Status != http.StatusOK {
		t.Errorf("GET /colonel by a colonel: got %d %s, want 200", got.Status, got.Body)
	}
}
