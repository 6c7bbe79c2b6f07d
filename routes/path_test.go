package routes

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

func TestOnePath(t *testing.T) {
	for target, want := range map[string]struct{ path, raw string }{
		"/api/v1/share":             {"/api/v1/share", ""},
		"//api/v1/share":            {"/api/v1/share", ""},
		"////api///v1/share":        {"/api/v1/share", ""},
		"/api//v1/share/":           {"/api/v1/share/", ""},
		"//api//v2":                 {"/api/v2", ""},
		"//api/":                    {"/api/", ""},
		"//api":                     {"/api", ""},
		"/api//":                    {"/api//", ""},
		"/api/v1//share":            {"/api/v1//share", ""},
		"//api/v1//share":           {"/api/v1//share", ""},
		"/api/v1/secret//key":       {"/api/v1/secret//key", ""},
		"//apis/v1/share":           {"//apis/v1/share", ""},
		"//secret/key":              {"//secret/key", ""},
		"//":                        {"//", ""},
		"/x//api/v1/share":          {"/x//api/v1/share", ""},
		"/api/v1/%73hare":           {"/api/v1/share", ""},
		"/%61pi/%76%31/share":       {"/api/v1/share", ""},
		"//%61pi//v1/share":         {"/api/v1/share", ""},
		"/%73ecret/%6bey":           {"/secret/key", ""},
		"/api/v1%2Fshare":           {"/api/v1/share", "/api/v1%2Fshare"},
		"/api%2fv1/share":           {"/api/v1/share", "/api%2Fv1/share"},
		"/%2Fapi/v1/share":          {"//api/v1/share", "/%2Fapi/v1/share"},
		"//api/v1/%73ecret/a%2Fb":   {"/api/v1/secret/a/b", "/api/v1/secret/a%2Fb"},
		"/api/v1/secret/a%252Fb":    {"/api/v1/secret/a%2Fb", ""},
		"/api/v1/secret/a%2F%25":    {"/api/v1/secret/a/%", "/api/v1/secret/a%2F%25"},
		"/api/v1/%2E%2E/v2/colonel": {"/api/v1/../v2/colonel", ""},
		"/api/v1/secret/%ff":        {"/api/v1/secret/\xff", ""},
	} {
		var got *url.URL
		h := onePath(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.URL }))
		r := httptest.NewRequest(http.MethodGet, target+"?secret=a%2Fb//c", nil)
		before := *r.URL
		h.ServeHTTP(httptest.NewRecorder(), r)
		if got.Path != want.path || got.RawPath != want.raw || got.RawQuery != "secret=a%2Fb//c" {
			t.Errorf("onePath(%s): got %q, raw %q, query %q, want %q, raw %q", target, got.Path, got.RawPath, got.RawQuery, want.path, want.raw)
		}
		if *r.URL != before {
			t.Errorf("onePath(%s): got the caller's URL changed to %v", target, r.URL)
		}
	}
}
