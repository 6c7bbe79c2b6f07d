package routes_test

import (
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
	if want := routes.Table(nil); !slices.Equal(got, want) {
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
		{"POST /api/v1/share", "secret", "body", params.FormText, true},
		{"POST /api/v1/share", "ttl", "body", params.FormDuration, false},
		{"POST /api/v1/create", "secret", "body", params.FormText, false},
		{"POST /api/v1/create", "kind", "body", params.FormText, false},
		{"POST /api/v1/secret/{key}", "key", "path", params.FormText, true},
		{"POST /api/v2/private/{key}/burn", "continue", "body", params.FormFlag, true},
		{"POST /api/v2/secret/{key}", "continue", "body", params.FormFlag, false},
		{"GET /api/v2/altcha/challenge", "action", "query", params.FormText, false},
		{"PUT /api/v2/domains/{domain}/brand", "brand[colour]", "body", params.FormText, false},
		{"POST /secret/{key}", "passphrase", "body", params.FormText, false},
	} {
		want := routes.Param{Field: params.Field{Name: test.name, Form: test.form, Required: test.required}, In: test.in}
		if got := found[test.endpoint].Params; !slices.Contains(got, want) {
			t.Errorf("%s: got parameters %v, want %v among them", test.endpoint, got, want)
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

// Errors may contain exactly the names that routes declare.
func TestDeclaredNamesAreKnown(t *testing.T) {
	for _, e := range described(t) {
		for _, p := range e.Params {
			name, _, _ := strings.Cut(p.Name, "[")
			if p.In != "path" && name != params.AnyName && !params.Known(name) {
				t.Errorf("Known(%s): got false, want it told, as %s %s declares it", name, e.Method, e.Path)
			}
		}
	}
}
