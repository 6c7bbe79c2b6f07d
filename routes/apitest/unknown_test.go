package apitest_test

import (
	"fmt"
	"net/http"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"hush/routes/apitest"
)

// A caller misspells a name. Every RPC says so, and what, instead of doing what the
// caller did not ask for.
func TestUnknownInputOfEveryRPC(t *testing.T) {
	t.Parallel()
	env, s := apitest.StartAccounts(t, apitest.Options{})
	client := s.Client(t, false, nil)
	sent := 0
	for procedure, method := range apitest.PublicMethods() {
		for body, want := range unknownIn(method.Input()) {
			b := bad{
				name: procedure + " " + body, path: procedure, contentType: apitest.TypeJSON, header: apitest.Bearer(env.Cleo.Token),
				body: body, status: http.StatusBadRequest, want: "validation error: " + want,
			}
			if method.IsStreamingServer() {
				b.contentType, b.body, b.status = "application/connect+json", apitest.Envelope(0, body), http.StatusOK
			}
			b.sendBeside(t, client, s.URL)
			sent++
		}
	}
	if want := len(apitest.PublicMethods()) + 6; sent < want {
		t.Errorf("requests sent: got %d, want at least %d: one for each RPC and one for each enum", sent, want)
	}
}

// unknownIn returns requests with one thing that a kind of message does not have, and
// what is said of it.
func unknownIn(kind protoreflect.MessageDescriptor) map[string]string {
	all := map[string]string{`{"later":"canary"}`: "later: unknown field"}
	for i := range kind.Fields().Len() {
		switch field := kind.Fields().Get(i); {
		case field.Enum() != nil && field.IsList():
			all[fmt.Sprintf(`{%q:["CANARY"]}`, field.JSONName())] = string(field.Name()) + "[0]: is no value that the service knows"
		case field.Enum() != nil:
			all[fmt.Sprintf(`{%q:"CANARY"}`, field.JSONName())] = string(field.Name()) + ": is no value that the service knows"
		}
	}
	return all
}
