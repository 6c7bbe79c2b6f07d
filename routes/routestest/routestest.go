// Package routestest has what tests of the legacy routes share: a request, the parameters
// of a body, the messages that RPCs return, and comparisons of what a route makes of them.
package routestest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/locale"
	"hush/routes/call"
	"hush/routes/params"
	"hush/routes/refusal"
)

// The keys of Request, Secret and Receipt.
const (
	SecretKey   = "secretkey0000000000000000000000"
	MetadataKey = "metadatakey00000000000000000000"
)

// Now returns when Request was received.
func Now() time.Time { return time.Unix(1795236800, 0) }

// Request returns a request of an anonymous caller who reads English, without parameters
// and without a catalogue.
func Request() *call.Request {
	base := &url.URL{Scheme: "https", Host: "hush.example"}
	return &call.Request{
		Env: &call.Env{Links: call.NewLinks(base), NewShrimp: func() string { return "shrimp" }},
		Key: SecretKey, Header: http.Header{}, Now: Now(), Visitor: chain.Visitor{Locale: locale.English},
	}
}

// Catalogue returns all messages.
func Catalogue(t *testing.T) *locale.Catalogue {
	t.Helper()
	catalogue, err := locale.New()
	if err != nil {
		t.Fatalf("reading messages: got error %v", err)
	}
	return catalogue
}

// Say returns an action that returns the key it got.
func Say() call.Action {
	return call.Action{Operation: "Say", Run: func(_ context.Context, req *call.Request) (any, error) {
		return []string{req.Key}, nil
	}}
}

// RefuseWith returns an action that fails.
func RefuseWith(err error) call.Action {
	return call.Action{Operation: "Refuse", Run: func(context.Context, *call.Request) (any, error) { return nil, err }}
}

// RPCError returns an RPC's refusal.
func RPCError(t *testing.T, code connect.Code, text string, details ...proto.Message) error {
	t.Helper()
	refused := &chain.RefusedError{Code: code, Text: text}
	for _, message := range details {
		why, ok := message.(*hushv1.Refusal)
		if !ok {
			t.Fatalf("RPCError: got a detail of type %T, want a refusal", message)
		}
		refused.Refusal = why
	}
	return fmt.Errorf("calling: %w", refused)
}

// Params reads a body, which is JSON if it begins like JSON.
func Params(t *testing.T, body string) params.Params {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
	if strings.HasPrefix(body, "{") {
		r.Header.Set("Content-Type", "application/json")
	}
	p, err := params.Names{}.Read(r, params.MaxBody)
	if err != nil {
		t.Fatalf("Read(%s): got error %v", body, err)
	}
	return p
}

// Decoded runs a decoder on a body, which is JSON if it begins like JSON.
func Decoded[Req any](t *testing.T, decode call.Decoder[Req], body string) (*Req, error) {
	t.Helper()
	req := Request()
	req.Params = Params(t, body)
	return decode(req)
}

// Encoded returns an answer as encoding/json writes it, not escaped for HTML.
func Encoded(t *testing.T, answer any) string {
	t.Helper()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(answer); err != nil {
		t.Fatalf("encoding answer: %v", err)
	}
	return strings.TrimSpace(b.String())
}

// WantJSON compares two texts.
func WantJSON(t *testing.T, name, got, want string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: got %s, want %s\n%s", name, got, want, diff)
	}
}

// WantMessage compares what a decoder returned with a message.
func WantMessage(t *testing.T, name string, got, want proto.Message, err error) {
	t.Helper()
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" || err != nil {
		t.Errorf("%s: got error %v and difference\n%s", name, err, diff)
	}
}

// WantRefusal checks an error's class and text.
func WantRefusal(t *testing.T, name string, err error, class refusal.Class, text string) {
	t.Helper()
	var f *refusal.Error
	if !errors.As(err, &f) {
		t.Errorf("%s: got error %v, want a refusal", name, err)
		return
	}
	if f.Class != class || f.Text != text {
		t.Errorf("%s: got class %d %q, want class %d %q", name, f.Class, f.Text, class, text)
	}
}
