package routes

import (
	"reflect"
	"testing"

	"github.com/go-chi/chi/v5"

	"hush/routes/call"
	"hush/routes/pages"
)

// Literal paths take precedence over keys, in any order of registration.
func TestLiteralsWin(t *testing.T) {
	api := testAPI()
	tree := bareTree(t)
	for _, f := range versions(&api.Callable) {
		if err := tree.add(f); err != nil {
			t.Fatalf("add(%s): got error %v", f.Prefix, err)
		}
	}
	for _, test := range []struct{ method, path, want string }{
		{"GET", "/api/v1/private/recent", "/api/v1/private/recent"},
		{"POST", "/api/v1/metadata/recent", "/api/v1/metadata/recent"},
		{"GET", "/api/v1/receipt/recent/", "/api/v1/receipt/recent/"},
		{"GET", "/api/v1/private/recent1", "/api/v1/private/{key}"},
		{"POST", "/api/v1/private/recent/burn", "/api/v1/private/{key}/burn"},
		{"GET", "/api/v2/receipt/recent", "/api/v2/receipt/recent"},
		{"PATCH", "/api/v2/receipt/recent", "/api/v2/receipt/{key}"},
		{"POST", "/api/v2/secret/conceal", "/api/v2/secret/conceal"},
		{"POST", "/api/v2/secret/generate", "/api/v2/secret/generate"},
		{"POST", "/api/v2/secret/status", "/api/v2/secret/status"},
		{"GET", "/api/v2/secret/conceal", "/api/v2/secret/{key}"},
		{"HEAD", "/api/v2/secret/status", "/api/v2/secret/{key}"},
		{"POST", "/api/v2/secret/conceals", "/api/v2/secret/{key}"},
		{"POST", "/api/v2/secret/key/reveal", "/api/v2/secret/{key}/reveal"},
		{"POST", "/api/v2/guest/secret/conceal", "/api/v2/guest/secret/conceal"},
		{"GET", "/api/v2/guest/receipt/key", "/api/v2/guest/receipt/{key}"},
		{"GET", "/api/v3/receipt/recent", "/api/v3/receipt/recent"},
		{"PATCH", "/api/v3/receipt/recent", "/api/v3/receipt/{key}"},
		{"POST", "/api/v3/secret/status", "/api/v3/secret/status"},
		{"POST", "/api/v3/guest/secret/conceal", "/api/v3/guest/secret/conceal"},
		{"POST", "/api/v3/guest/receipts", "/api/v3/guest/receipts"},
		{"POST", "/api/v2/account/domains/add", "/api/v2/account/domains/add"},
		{"GET", "/api/v2/account/domains/add", "/api/v2/account/domains/{domain}"},
		{"GET", "/api/v2/domains/", "/api/v2/domains/"},
		{"POST", "/api/v2/domains/add/remove", "/api/v2/domains/{domain}/remove"},
		{"DELETE", "/api/v2/domains/a.example/icon", "/api/v2/domains/{domain}/icon"},
	} {
		if got := tree.mux.Find(chi.NewRouteContext(), test.method, test.path); got != test.want {
			t.Errorf("Find(%s %s): got %q, want %q", test.method, test.path, got, test.want)
		}
	}
}

// Every method in Callable is called by a route or a page.
func TestEveryCallableIsCalled(t *testing.T) {
	api := testAPI()
	called := map[string]bool{}
	note := func(a call.Action) {
		for _, procedure := range a.Procedures {
			called[procedure] = true
		}
	}
	for _, v := range versions(&api.Callable) {
		for _, rt := range v.Routes {
			note(rt.Action)
		}
	}
	for _, p := range pages.Routes(&api.Callable) {
		note(p.Action)
	}
	callable := reflect.ValueOf(api.Callable)
	for i := range callable.NumField() {
		if procedure := callable.Field(i).FieldByName("Procedure").String(); !called[procedure] {
			t.Errorf("Callable.%s: got no route that calls it", callable.Type().Field(i).Name)
		}
	}
}
