package routes_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"hush/openapi"
)

func TestOpenAPIDocument(t *testing.T) {
	h := newTree(t)
	w := request(h, http.MethodGet, "/openapi.yaml")
	if w.Code != http.StatusOK || w.Body.String() != string(openapi.Document()) {
		t.Errorf("GET /openapi.yaml: got %d and %d bytes, want the document", w.Code, w.Body.Len())
	}
	etag := w.Header().Get("ETag")
	for name, want := range map[string]string{
		"Content-Type": "application/yaml", "Cache-Control": "public, max-age=3600", "Vary": "Accept-Encoding",
		"X-Content-Type-Options": "nosniff",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("GET /openapi.yaml: got %s %q, want %q", name, got, want)
		}
	}
	for held, want := range map[string]int{
		etag: 304, "*": 304, `"other", ` + etag: 304, etag[2:]: 304, `"other"`: 200, "": 200,
	} {
		r := httptest.NewRequest(http.MethodGet, "/openapi.yaml", nil)
		r.Header.Set("If-None-Match", held)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != want || want == 304 && (w.Body.Len() > 0 || w.Header().Get("ETag") != etag) {
			t.Errorf("GET /openapi.yaml, If-None-Match %q: got %d, %d bytes, ETag %q, want %d", held, w.Code, w.Body.Len(), w.Header().Get("ETag"), want)
		}
	}
}
