package routes

import (
	"testing"

	"github.com/go-chi/chi/v5"
)

// Literal paths take precedence over keys, in any order of registration.
func TestLiteralsWin(t *testing.T) {
	api := testAPI(t)
	tree := bareTree(t)
	for _, f := range versions(api) {
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
