package routes_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers"
	"hush/routes"
	"hush/routes/params"
)

// described returns the endpoints of the present API.
func described(t *testing.T) []routes.Endpoint {
	t.Helper()
	api, err := handlers.Described()
	if err != nil {
		t.Fatalf("Described(): got error %v", err)
	}
	return routes.Endpoints(api)
}

// The endpoints are the table's lines, in its order, without the mounts.
func TestEndpointsAreTheTable(t *testing.T) {
	var got []routes.Row
	for _, e := range described(t) {
		got = append(got, routes.Row{Method: e.Method, Path: e.Path, Operation: e.Operation})
		if rpc := e.Access != hushv1.Access_ACCESS_UNSPECIFIED; rpc != (len(e.Procedures) > 0) {
			t.Errorf("%s %s: got access %v of %q", e.Method, e.Path, e.Access, e.Procedures)
		}
		if api := strings.HasPrefix(e.Path, "/api/"); api != (e.Version != "") || api && !strings.HasPrefix(e.Path, "/api/"+e.Version+"/") {
			t.Errorf("%s %s: got version %q", e.Method, e.Path, e.Version)
		}
	}
	if want := rowsWithoutMounts(t); !slices.Equal(got, want) {
		t.Errorf("Endpoints(): got %v, want %v", got, want)
	}
}

func TestEndpointParams(t *testing.T) {
	found := map[string]routes.Endpoint{}
	for _, e := range described(t) {
		found[e.Method+" "+e.Path] = e
	}
	for _, test := range []struct {
		endpoint, name, in string
		form               params.Form
		required           bool
	}{
		{"POST /api/v1/share", "secret", "body", params.FormVerbatim, true},
		{"POST /api/v1/share", "ttl", "body", params.FormDuration, false},
		{"POST /api/v1/create", "secret", "body", params.FormVerbatim, false},
		{"POST /api/v1/create", "kind", "body", params.FormText, false},
		{"POST /api/v1/secret/{key}", "key", "path", params.FormText, true},
		{"POST /api/v2/private/{key}/burn", "continue", "body", params.FormFlag, true},
		{"POST /api/v2/secret/{key}", "continue", "body", params.FormFlag, false},
		{"GET /api/v2/altcha/challenge", "action", "query", params.FormText, false},
		{"PUT /api/v2/domains/{domain}/brand", "brand[colour]", "body", params.FormText, false},
		{"POST /secret/{key}", "passphrase", "body", params.FormText, false},
	} {
		described := func(p routes.Param) bool {
			return p.Name == test.name && p.In == test.in && p.Form == test.form && p.Required == test.required
		}
		if got := found[test.endpoint].Params; !slices.ContainsFunc(got, described) {
			t.Errorf("%s: got parameters %v, want %s in the %s, %s, required %t, among them", test.endpoint, got, test.name, test.in, test.form, test.required)
		}
	}
	colonel := found["GET /api/v2/colonel"]
	if colonel.Access != hushv1.Access_ACCESS_COLONEL || !slices.Equal(colonel.Procedures, []string{"/hush.v1.ColonelService/GetIndex"}) {
		t.Errorf("GET /api/v2/colonel: got %v of %q", colonel.Access, colonel.Procedures)
	}
	if open := found["POST /api/v2/secret/conceal"]; !open.AnyOrigin || open.AnyCredential {
		t.Errorf("POST /api/v2/secret/conceal: got any origin %t, any credential %t", open.AnyOrigin, open.AnyCredential)
	}
	if status := found["GET /api/v2/status"]; status.AnyOrigin || !status.AnyCredential {
		t.Errorf("GET /api/v2/status: got any origin %t, any credential %t", status.AnyOrigin, status.AnyCredential)
	}
}

// Errors may contain exactly the names that routes declare, and none of these is a near
// miss of another.
func TestDeclaredNamesAreKnown(t *testing.T) {
	tree := newTree(t)
	refused := func(query string) string {
		return request(tree, http.MethodPost, "/api/v1/share?"+query).Body.String()
	}
	const want = `{"message":"%s is not properly percent-encoded"}`
	for _, e := range described(t) {
		for _, p := range e.Params {
			name, _, _ := strings.Cut(p.Name, "[")
			if p.In == "path" || name == params.AnyName {
				continue
			}
			if got := refused(name + "=%zz"); got != fmt.Sprintf(want, name) {
				t.Errorf("POST /api/v1/share?%s=%%zz: got %s, want the name told, as %s %s declares it", name, got, e.Method, e.Path)
			}
			if got := refused("ttl=x&" + name + "=a"); strings.Contains(got, "Did you mean") {
				t.Errorf("POST /api/v1/share?ttl=x&%s=a: got %s, want no near miss", name, got)
			}
		}
	}
	if got := refused("hunter2=%zz"); got != fmt.Sprintf(want, "a parameter") {
		t.Errorf("POST /api/v1/share?hunter2=%%zz: got %s, want no name", got)
	}
}
