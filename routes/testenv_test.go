package routes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/go-chi/chi/v5"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers"
	"hush/handlers/chain"
	"hush/locale"
	"hush/routes/call"
	"hush/routes/params"
	"hush/routes/refusal"
)

const (
	testSecretKey   = "secretkey0000000000000000000000"
	testMetadataKey = "metadatakey00000000000000000000"
)

var testNow = time.Unix(1795236800, 0)

// testAPI returns an API with every method by name, which calls none.
func testAPI() *handlers.API {
	api := &handlers.API{Middleware: func(h http.Handler) http.Handler { return h }, Gate: openGate}
	callable := reflect.ValueOf(&api.Callable).Elem()
	for i := range callable.NumField() {
		procedure := "/test.Service/" + callable.Type().Field(i).Name
		callable.Field(i).FieldByName("Procedure").SetString(procedure)
		callable.Field(i).FieldByName("Access").Set(reflect.ValueOf(hushv1.Access_ACCESS_PUBLIC))
	}
	return api
}

// openGate admits every request.
func openGate(context.Context, http.Header, ...string) error { return nil }

func testRequest() *call.Request {
	base := &url.URL{Scheme: "https", Host: "hush.example"}
	return &call.Request{
		Key: testSecretKey, Header: http.Header{}, Links: call.NewLinks(base), Now: testNow,
		NewShrimp: func() string { return "shrimp" }, Visitor: chain.Visitor{Locale: locale.English},
	}
}

// testCatalogue returns all messages.
func testCatalogue(t *testing.T) *locale.Catalogue {
	t.Helper()
	catalogue, err := locale.New()
	if err != nil {
		t.Fatalf("reading messages: got error %v", err)
	}
	return catalogue
}

// bareTree returns a tree without routes.
func bareTree(t *testing.T) *tree {
	t.Helper()
	req := testRequest()
	return &tree{
		env: &call.Env{Links: req.Links, Now: func() time.Time { return testNow }, Catalogue: testCatalogue(t), Gate: openGate},
		mux: chi.NewMux(), access: make(map[string]hushv1.Access),
	}
}

// testTree serves its own routes in place of v1 and v2.
func testTree(t *testing.T, f apiVersion) http.Handler {
	t.Helper()
	tree := bareTree(t)
	if err := tree.add(f); err != nil {
		t.Fatalf("add(rows): got error %v", err)
	}
	return tree.mux
}

func encodeText(t *testing.T, answer any) string {
	t.Helper()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(answer); err != nil {
		t.Fatalf("encoding answer: %v", err)
	}
	return strings.TrimSpace(b.String())
}

func wantJSON(t *testing.T, name, got, want string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: got %s, want %s\n%s", name, got, want, diff)
	}
}

// wantRefusal checks an error's class and text, and that it is safe to show.
func wantRefusal(t *testing.T, name string, err error, class refusal.Class, text string) {
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

func serve(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// rpcError returns an RPC's refusal.
func rpcError(t *testing.T, code connect.Code, text string, details ...proto.Message) error {
	t.Helper()
	refused := &chain.Refused{Code: code, Text: text}
	for _, message := range details {
		why, ok := message.(*hushv1.Refusal)
		if !ok {
			t.Fatalf("rpcError: got a detail of type %T, want a refusal", message)
		}
		refused.Refusal = why
	}
	return fmt.Errorf("calling: %w", refused)
}

// mustParams reads a body, which is JSON if it begins like JSON.
func mustParams(t *testing.T, body string) params.Params {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	if strings.HasPrefix(body, "{") {
		r.Header.Set("Content-Type", "application/json")
	}
	p, err := params.Read(r, params.MaxBody)
	if err != nil {
		t.Fatalf("Read(%s): got error %v", body, err)
	}
	return p
}
