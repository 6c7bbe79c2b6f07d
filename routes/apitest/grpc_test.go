package apitest_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"connectrpc.com/grpcreflect"
	"google.golang.org/protobuf/reflect/protoreflect"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	testnamev1 "hush/gen/testname/v1"
	"hush/gen/testname/v1/testnamev1connect"
	"hush/handlers"
	"hush/handlers/chain"
	"hush/routes/apitest"
)

func serviceNames() []string {
	return []string{
		hushv1connect.SecretServiceName, hushv1connect.MetadataServiceName, hushv1connect.SessionServiceName,
		hushv1connect.SystemServiceName, testnamev1connect.TestNameName,
	}
}

func TestReflection(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, apitest.Options{Handlers: handlers.Options{Settings: chain.Settings{RateLimits: true}}})
	stream := grpcreflect.NewClient(s.Client(t, true, nil), s.URL, connect.WithGRPC()).NewStream(t.Context())
	defer stream.Close()
	listed, err := stream.ListServices()
	if err != nil {
		t.Fatalf("ListServices: got %v, want no error", err)
	}
	for _, name := range serviceNames() {
		if !slices.ContainsFunc(listed, func(l protoreflect.FullName) bool { return string(l) == name }) {
			t.Errorf("ListServices: got %q, want %s among them", listed, name)
		}
		files, err := stream.FileContainingSymbol(protoreflect.FullName(name))
		if err != nil || len(files) == 0 {
			t.Errorf("FileContainingSymbol(%s): got %d files and %v, want its file", name, len(files), err)
		}
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, apitest.Options{Handlers: handlers.Options{Settings: chain.Settings{RateLimits: true}}})
	for _, http2 := range []bool{false, true} {
		client := s.Client(t, http2, nil)
		for _, name := range append(serviceNames(), "") {
			bad{
				name: "health of " + name, path: "/grpc.health.v1.Health/Check", contentType: apitest.TypeJSON,
				body: `{"service":"` + name + `"}`, status: http.StatusOK, want: "SERVING",
			}.sendBeside(t, client, s.URL)
		}
		bad{
			name: "health of nobody", path: "/grpc.health.v1.Health/Check", contentType: apitest.TypeJSON,
			body: `{"service":"nobody"}`, status: http.StatusNotFound, want: `"code":"not_found"`,
		}.sendBeside(t, client, s.URL)
		bad{name: "healthz", method: http.MethodGet, path: "/healthz", status: http.StatusOK, want: "ok"}.sendBeside(t, client, s.URL)
	}
}

// A browser, a proxy or a link preview may send any GET again. What can be done
// by GET must therefore do nothing, and what does something must not be one.
func TestConnectGET(t *testing.T) {
	t.Parallel()
	var methods []string
	s := apitest.Start(t, apitest.Options{Handlers: handlers.Options{Settings: chain.Settings{RateLimits: true}}})
	client := s.Client(t, false, nil)
	client.Transport = noting(client.Transport, &methods)
	opts := []connect.ClientOption{connect.WithHTTPGet(), connect.WithProtoJSON()}
	places := testnamev1connect.NewTestNameClient(client, s.URL, opts...)
	system := hushv1connect.NewSystemServiceClient(client, s.URL, opts...)
	secrets := hushv1connect.NewSecretServiceClient(client, s.URL, opts...)
	ctx := context.Background()
	for name, c := range map[string]struct {
		method string
		call   func() error
	}{
		"Lookup":              {"GET", func() error { return second(places.Lookup(ctx, &testnamev1.LookupRequest{Name: "ZÜRICH "})) }},
		"GetStatus":           {"GET", func() error { return second(system.GetStatus(ctx, &hushv1.GetStatusRequest{})) }},
		"GetVersion":          {"GET", func() error { return second(system.GetVersion(ctx, &hushv1.GetVersionRequest{})) }},
		"GetSupportedLocales": {"GET", func() error { return second(system.GetSupportedLocales(ctx, &hushv1.GetSupportedLocalesRequest{})) }},
		"ValidateShrimp":      {"POST", func() error { return second(system.ValidateShrimp(ctx, &hushv1.ValidateShrimpRequest{})) }},
		"ConcealSecret":       {"POST", func() error { return second(secrets.ConcealSecret(ctx, &hushv1.ConcealSecretRequest{Secret: "x"})) }},
		"ListSecretStatus": {"POST", func() error {
			return second(secrets.ListSecretStatus(ctx, &hushv1.ListSecretStatusRequest{SecretKeys: []string{"x"}}))
		}},
	} {
		methods = nil
		if err := c.call(); err != nil {
			t.Errorf("%s: got %v, want no error", name, err)
		}
		if !slices.Equal(methods, []string{c.method}) {
			t.Errorf("%s: got it sent as %q, want %s", name, methods, c.method)
		}
	}
	kept := apitest.MustConceal(t, s.Drivers(t, nil)[0], apitest.Terms{Secret: "kept"})
	message, err := json.Marshal(map[string]string{"secretKey": kept.SecretKey})
	if err != nil {
		t.Fatal(err)
	}
	for _, http2 := range []bool{false, true} {
		bad{
			name: "a GET of RevealSecret", method: http.MethodGet, status: http.StatusMethodNotAllowed, want: "Allow:[POST]",
			path: apitest.RevealPath + "?connect=v1&encoding=json&message=" + strings.NewReplacer(`"`, "%22", "{", "%7B", "}", "%7D").Replace(string(message)),
		}.send(t, s.Client(t, http2, nil), s.URL)
	}
	s.Drivers(t, nil)[0].Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal", "kept")
}

func second[T any](_ T, err error) error { return err }

// noting keeps the methods that requests are sent with.
func noting(next http.RoundTripper, methods *[]string) http.RoundTripper {
	return apitest.RoundTripper(func(r *http.Request) (*http.Response, error) {
		*methods = append(*methods, r.Method)
		return next.RoundTrip(r)
	})
}

// Many keys in one call are answered in their order, known or not.
func TestListSecretStatus(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, apitest.Options{Handlers: handlers.Options{Settings: chain.Settings{RateLimits: true}}})
	for _, d := range s.Drivers(t, nil) {
		rpc, ok := d.(*apitest.RPCDriver)
		if !ok {
			continue
		}
		waits, gone := apitest.MustConceal(t, d, apitest.Terms{Secret: "x"}), apitest.MustConceal(t, d, apitest.Terms{Secret: "x"})
		d.Reveal(t.Context(), gone.SecretKey, "").Want(t, "reveal", apitest.OutcomeOK)
		keys := []string{"nonsense", gone.SecretKey, waits.SecretKey, waits.SecretKey, waits.MetadataKey}
		res, err := rpc.Secrets.ListSecretStatus(t.Context(), &hushv1.ListSecretStatusRequest{SecretKeys: keys})
		if err != nil {
			t.Fatalf("%s ListSecretStatus: got %v, want no error", d.Name(), err)
		}
		for i, status := range res.GetStatuses() {
			want := hushv1.State_STATE_UNSPECIFIED
			if keys[i] == waits.SecretKey {
				want = hushv1.State_STATE_NEW
			}
			if status.GetSecretKey() != keys[i] || status.GetState() != want {
				t.Errorf("%s ListSecretStatus: got %v for key %d, want %v", d.Name(), status, i, want)
			}
		}
		if len(res.GetStatuses()) != len(keys) {
			t.Errorf("%s ListSecretStatus: got %d, want %d", d.Name(), len(res.GetStatuses()), len(keys))
		}
	}
}
