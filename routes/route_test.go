package routes

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/routes/call"
	"hush/routes/refusal"
	"hush/routes/routestest"
	v1 "hush/routes/v1"
	"hush/routes/version"
)

func TestServe(t *testing.T) {
	unknown := routestest.RPCError(t, connect.CodeNotFound, "hunter2")
	h := testTree(t, version.Version{Prefix: "/api/v1", Fail: v1.Version(testAPI(t)).Fail, Routes: []version.Route{
		version.Get("/say/{key}", routestest.Say()),
		version.Post("/say/{key}", routestest.Say()),
		version.OpenPost("/refuse/{key}", routestest.RefuseWith(unknown)),
		version.Preflight("/refuse/{key}"),
	}})
	for _, test := range []struct {
		method, path string
		status       int
		want         string
	}{
		{"GET", "/api/v1/say/abc", 200, `["abc"]`},
		{"GET", "/api/v1/say/a%2Fb", 200, `["a/b"]`},
		{"GET", "/api/v1/say/a%20b%22", 200, `["a b\""]`},
		{"GET", "/api/v1/say/%ff", 200, `["\ufffd"]`},
		{"POST", "/api/v1/say/<&>?key=other", 200, `["<&>"]`},
		{"GET", "/api/v1/say/abc?secret=%zz", 404, `{"message":"secret is not properly percent-encoded"}`},
		{"POST", "/api/v1/refuse/abc", 404, `{"secret_key":"abc","message":"Unknown secret"}`},
		{"OPTIONS", "/api/v1/refuse/abc", 200, `{}`},
	} {
		r := httptest.NewRequest(test.method, "/", nil)
		r.RequestURI = ""
		u, err := r.URL.Parse(test.path)
		if err != nil {
			t.Fatalf("parsing %s: %v", test.path, err)
		}
		r.URL = u
		w := serve(h, r)
		if w.Code != test.status || w.Body.String() != test.want {
			t.Errorf("%s %s: got %d %s, want %d %s", test.method, test.path, w.Code, w.Body, test.status, test.want)
		}
		for name, want := range map[string]string{
			"Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store",
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s %s: got %s %q, want %q", test.method, test.path, name, got, want)
			}
		}
		open := strings.Contains(test.path, "refuse")
		if got := w.Header().Get("Access-Control-Allow-Origin"); (got == "*") != open {
			t.Errorf("%s %s: got Access-Control-Allow-Origin %q", test.method, test.path, got)
		}
	}
}

func TestPreflight(t *testing.T) {
	h := testTree(t, version.Version{Prefix: "/api/v2", Routes: []version.Route{version.Preflight("/secret/conceal")}})
	w := serve(h, httptest.NewRequest(http.MethodOptions, "/api/v2/secret/conceal", nil))
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin":  "*",
		"Access-Control-Allow-Methods": "GET, POST, OPTIONS",
		"Access-Control-Allow-Headers": "Content-Type, Authorization",
		"Access-Control-Max-Age":       "86400",
		"Allow":                        "GET, POST, OPTIONS",
	} {
		if got := w.Header().Get(name); got != want || w.Code != http.StatusOK {
			t.Errorf("OPTIONS: got %d and %s %q, want 200 and %q", w.Code, name, got, want)
		}
	}
}

func TestEither(t *testing.T) {
	other := routestest.RefuseWith(refusal.Invalid("other"))
	choose := call.Either(call.Continues(""), routestest.Say(), other)
	if choose.Operation != "Say or Refuse" {
		t.Errorf("call.Either().operation: got %q", choose.Operation)
	}
	req := routestest.Request()
	_, err := choose.Run(t.Context(), req)
	routestest.WantRefusal(t, "call.Either(no)", err, refusal.ClassInvalid, "other")
	req.Params = routestest.Params(t, "continue=true")
	if _, err := choose.Run(t.Context(), req); err != nil {
		t.Errorf("call.Either(yes): got error %v", err)
	}
	req.Params = routestest.Params(t, "continue=true&continue=true")
	_, err = choose.Run(t.Context(), req)
	routestest.WantRefusal(t, "call.Either(twice)", err, refusal.ClassInvalid, "continue was given more than once")
}

func TestRPCWithoutProcedure(t *testing.T) {
	api := testAPI(t)
	var stray chain.Service[hushv1.Refusal, hushv1.GetStatusResponse]
	if a := call.RPC(api.Chain, stray, call.Nothing, version.EncodeStatus); a.Ready == nil {
		t.Error("call.RPC(a message that no RPC takes): got no error, want one")
	}
	a := call.RPC(api.Chain, api.System.GetStatus, call.Nothing, version.EncodeStatus)
	if want := "/hush.v1.SystemService/GetStatus"; a.Ready != nil || a.Operation != "GetStatus" || a.Procedures[0] != want || a.Access != hushv1.Access_ACCESS_PUBLIC {
		t.Errorf("call.RPC(GetStatus): got operation %q, %q for %v and error %v, want GetStatus and %s for everyone", a.Operation, a.Procedures, a.Access, a.Ready, want)
	}
}
