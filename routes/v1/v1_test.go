package v1

import (
	"net/http/httptest"
	"strings"
	"testing"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/refusal"
	"hush/routes/routestest"
)

// A wrong passphrase on version 1's reveal looks like an unknown secret: a
// guesser of links learns nothing from the difference.
func TestHidePassphrase(t *testing.T) {
	passphrase := routestest.RPCError(t, connect.CodePermissionDenied, "wrong passphrase",
		&hushv1.Refusal{Reason: hushv1.Refusal_REASON_PASSPHRASE, TriesLeft: 4})
	unknown := routestest.RPCError(t, connect.CodeNotFound, "not found")
	answer := func(a call.Action) string {
		req := routestest.Request()
		_, err := hidePassphrase(a).Run(t.Context(), req)
		if err == nil {
			return ""
		}
		w := httptest.NewRecorder()
		fail(w, req, refusal.Read(err))
		var b strings.Builder
		if err := w.Result().Write(&b); err != nil {
			t.Fatalf("writing response: %v", err)
		}
		return b.String()
	}
	wrong, none := answer(routestest.RefuseWith(passphrase)), answer(routestest.RefuseWith(unknown))
	if wrong != none || !strings.Contains(wrong, `{"secret_key":"`+routestest.SecretKey+`","message":"Unknown secret"}`) {
		t.Errorf("wrong passphrase: got %s, want %s", wrong, none)
	}
	if good := answer(routestest.Say()); good != "" {
		t.Errorf("right passphrase: got %s, want no refusal", good)
	}
}
