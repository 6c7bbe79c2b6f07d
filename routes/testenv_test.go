package routes

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-chi/chi/v5"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers"
	"hush/routes/call"
	"hush/routes/pages"
	"hush/routes/routestest"
	"hush/routes/version"
)

// testAPI returns the API of no vault, behind an open gate.
func testAPI(t *testing.T) *handlers.API {
	t.Helper()
	api, err := handlers.Described()
	if err != nil {
		t.Fatal(err)
	}
	api.Middleware, api.Gate = func(h http.Handler) http.Handler { return h }, openGate
	return api
}

// openGate admits every request.
func openGate(context.Context, http.Header, ...string) error { return nil }

// bareTree returns a tree without routes.
func bareTree(t *testing.T) *tree {
	t.Helper()
	req := routestest.Request()
	return &tree{
		env: &call.Env{Links: req.Links, Clock: routestest.Now, NewShrimp: req.NewShrimp, Catalogue: routestest.Catalogue(t), Names: names(versions(testAPI(t)), pages.Routes(testAPI(t))), Gate: openGate},
		mux: chi.NewMux(), access: make(map[string]hushv1.Access),
	}
}

// testTree serves its own routes in place of v1 and v2.
func testTree(t *testing.T, f version.Version) http.Handler {
	t.Helper()
	tree := bareTree(t)
	if err := tree.add(f); err != nil {
		t.Fatalf("add(rows): got error %v", err)
	}
	return tree.mux
}

func serve(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}
