package routes

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/routes/call"
	"hush/routes/refusal"
)

// say returns an action that returns the key it got.
func say() call.Action {
	return call.Action{Operation: "Say", Run: func(_ context.Context, req *call.Request) (any, error) {
		return []string{req.Key}, nil
	}}
}

func refuseWith(err error) call.Action {
	return call.Action{Operation: "Refuse", Run: func(context.Context, *call.Request) (any, error) { return nil, err }}
}

func TestServe(t *testing.T) {
	unknown := connect.NewError(connect.CodeNotFound, errors.New("hunter2"))
	h := testTree(t, apiVersion{prefix: "/api/v1", fail: v1Fail, routes: []route{
		get("/say/{key}", say()),
		post("/say/{key}", say()),
		openPost("/refuse/{key}", refuseWith(unknown)),
		preflight("/refuse/{key}"),
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
	h := testTree(t, apiVersion{prefix: "/api/v2", routes: []route{preflight("/secret/conceal")}})
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

// A wrong passphrase on version 1's reveal looks like an unknown secret: a
// guesser of links learns nothing from the difference.
func TestHidePassphrase(t *testing.T) {
	passphrase := rpcError(t, connect.CodePermissionDenied, "wrong passphrase",
		&hushv1.Refusal{Reason: hushv1.Refusal_REASON_PASSPHRASE, TriesLeft: 4})
	unknown := rpcError(t, connect.CodeNotFound, "not found")
	h := testTree(t, apiVersion{prefix: "/api/v1", fail: v1Fail, routes: []route{
		post("/wrong/{key}", hidePassphrase(refuseWith(passphrase))),
		post("/unknown/{key}", hidePassphrase(refuseWith(unknown))),
		post("/good/{key}", hidePassphrase(say())),
	}})
	answer := func(path string) string {
		w := serve(h, httptest.NewRequest(http.MethodPost, path, nil))
		var b strings.Builder
		if err := w.Result().Write(&b); err != nil {
			t.Fatalf("writing response: %v", err)
		}
		return b.String()
	}
	wrong, none := answer("/api/v1/wrong/k"), answer("/api/v1/unknown/k")
	if wrong != none || !strings.Contains(wrong, `{"secret_key":"k","message":"Unknown secret"}`) {
		t.Errorf("wrong passphrase: got %s, want %s", wrong, none)
	}
	if good := answer("/api/v1/good/k"); !strings.HasPrefix(good, "HTTP/1.1 200") {
		t.Errorf("right passphrase: got %s, want 200", good)
	}
}

func TestEither(t *testing.T) {
	other := refuseWith(refusal.Invalid("other"))
	choose := call.Either(call.Continues(), say(), other)
	if choose.Operation != "Say or Refuse" {
		t.Errorf("call.Either().operation: got %q", choose.Operation)
	}
	req := testRequest()
	_, err := choose.Run(t.Context(), req)
	wantRefusal(t, "call.Either(no)", err, refusal.ClassInvalid, "other")
	req.Params = mustParams(t, "continue=true")
	if _, err := choose.Run(t.Context(), req); err != nil {
		t.Errorf("call.Either(yes): got error %v", err)
	}
	req.Params = mustParams(t, "continue=true&continue=true")
	_, err = choose.Run(t.Context(), req)
	wantRefusal(t, "call.Either(twice)", err, refusal.ClassInvalid, "continue was given more than once")
}

func TestRPCWithoutProcedure(t *testing.T) {
	var m chain.Method[hushv1.GetStatusRequest, hushv1.GetStatusResponse]
	if a := call.RPC(m, call.Nothing, v1Status); a.Ready == nil || a.Operation != "GetStatus" {
		t.Errorf("call.RPC(zero): got operation %q, error %v, want GetStatus and an error", a.Operation, a.Ready)
	}
	m.Procedure = "/hush.v1.SystemService/GetVersion"
	if a := call.RPC(m, call.Nothing, v1Status); a.Ready == nil {
		t.Error("call.RPC(other procedure): got no error, want one")
	}
	m.Procedure = "/hush.v1.SystemService/GetStatus"
	if a := call.RPC(m, call.Nothing, v1Status); a.Ready == nil {
		t.Error("call.RPC(no access): got no error, want one")
	}
	m.Access = hushv1.Access_ACCESS_PUBLIC
	if a := call.RPC(m, call.Nothing, v1Status); a.Ready != nil {
		t.Errorf("call.RPC(public): got error %v, want none", a.Ready)
	}
}

// What cannot be decoded never reaches the RPC: the method here would panic.
func TestRPCRefusesFirst(t *testing.T) {
	var m chain.Method[hushv1.BurnSecretRequest, hushv1.BurnSecretResponse]
	_, err := call.RPC(m, decodeSureBurn, firstWords.v2Burn).Run(t.Context(), testRequest())
	wantRefusal(t, "burn without continue", err, refusal.ClassInvalid, "Secret could not be burned.")
}
