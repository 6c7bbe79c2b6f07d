package handlers_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/gen/testname/v1/testnamev1connect"
	"hush/vault/caller"
	"hush/vault/vaulttest"
)

// framed puts a message into the envelope of gRPC, gRPC-Web and Connect's streams.
func framed(message string) string {
	size := len(message)
	return string([]byte{0, byte(size >> 24), byte(size >> 16), byte(size >> 8), byte(size)}) + message
}

// inJSON and inProto are the types of content of every protocol.
func inJSON() []string {
	return []string{"application/json", "application/json; charset=utf-8", "application/grpc+json", "application/grpc-web+json"}
}

func inProto() []string {
	return []string{"application/proto", "application/grpc", "application/grpc+proto", "application/grpc-web", "application/grpc-web+proto"}
}

// send sends a message and returns the whole answer as text: status, body, headers
// and trailers.
func (s *testServer) send(t *testing.T, b *browser, procedure, contentType, message string) string {
	t.Helper()
	unary := contentType == "application/proto" || strings.HasPrefix(contentType, "application/json")
	if !unary {
		message = framed(message)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+procedure, strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Te", "trailers")
	return s.answer(t, b, req)
}

func (s *testServer) answer(t *testing.T, b *browser, req *http.Request) string {
	t.Helper()
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: protocols}
	defer transport.CloseIdleConnections()
	req.Host = s.host
	if b != nil && b.bearer != "" {
		req.Header.Set("Authorization", "Bearer "+b.bearer)
	}
	res, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatalf("%s: got %v, want an answer", req.URL.Path, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s: got %v, want a whole answer", req.URL.Path, err)
	}
	return fmt.Sprint(res.StatusCode, " ", string(body), res.Header, res.Trailer)
}

// isInvalid reports whether an answer refuses an argument, in any protocol.
func isInvalid(answer string) bool {
	for _, sign := range []string{`"invalid_argument"`, "Grpc-Status:[3]", "grpc-status: 3"} {
		if strings.Contains(answer, sign) {
			return true
		}
	}
	return false
}

func (s *testServer) tokens(t *testing.T) int {
	t.Helper()
	tokens, err := s.accounts(s.bearer(t, caller.ScopeAccount)).ListApiTokens(t.Context(), &hushv1.ListApiTokensRequest{})
	if err != nil {
		t.Fatalf("ListApiTokens: got %v, want no error", err)
	}
	return len(tokens.GetApiTokens())
}

// A script misspells a restriction. If the service ignores what it does not know,
// the token has every scope, and the secret no passphrase.
func TestMisspeltRestrictionsAreRefused(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	ada := s.bearer(t, caller.ScopeAccount|caller.ScopeConceal|caller.ScopeMetadata)
	const (
		token   = hushv1connect.AccountServiceGenerateApiTokenProcedure
		conceal = hushv1connect.SecretServiceConcealSecretProcedure
		list    = hushv1connect.MetadataServiceListMetadataProcedure
	)
	before := s.tokens(t)
	for _, row := range []struct{ procedure, message, path string }{
		{token, `{"scopes":["CANARY"]}`, "scopes[0]: "},
		{token, `{"scopes":["TOKEN_SCOPE_CONCEAL","CANARY"]}`, "scopes[1]: "},
		{token, `{"scopes":["TOKEN_SCOPE_CONCEAL",77]}`, "scopes[1]: "},
		{token, `{"scopes":[0]}`, "scopes[0]: "},
		{token, `{"scopes":[]}`, "scopes: "},
		{token, `{"scopes":null}`, "scopes: "},
		{token, `{"scope":["TOKEN_SCOPE_CONCEAL"]}`, "scope: unknown field"},
		{conceal, `{"secret":"CANARY","passphrse":"CANARY"}`, "passphrse: unknown field"},
		{conceal, `{"passphrse":"CANARY","secret":"CANARY"}`, "passphrse: unknown field"},
		{conceal, `{"secret":"CANARY","recipients":["a@example.com"],"Passphrase":"CANARY"}`, "Passphrase: unknown field"},
		{conceal, `{"secret":"CANARY","my CANARY":1}`, "validation error: an unknown field"},
		{conceal, `{"secret":"CANARY","` + strings.Repeat("CANARY", 20) + `":1}`, "validation error: an unknown field"},
		{conceal, `{"secret":"CANARY","4111111111111111":1}`, "validation error: an unknown field"},
		{conceal, `{"secret":"CANARY","a3CANARY":1}`, "validation error: an unknown field"},
		{conceal, `{"sealed":{"CANARY ":1}}`, "sealed: an unknown field"},
		{conceal, `{"sealed":{"nonse":"CANARY"}}`, "sealed.nonse: unknown field"},
		{list, `{"states":["CANARY"]}`, "states[0]: "},
		{list, `{"states":[]}`, "states: "},
	} {
		for _, contentType := range inJSON() {
			got := s.send(t, ada, row.procedure, contentType, row.message)
			if !isInvalid(got) || !strings.Contains(got, row.path) {
				t.Errorf("%s %s as %s: got %s, want invalid_argument with %q", row.procedure, row.message, contentType, got, row.path)
			}
			if strings.Contains(got, "CANARY") {
				t.Errorf("%s %s as %s: got %s, want no part of a value", row.procedure, row.message, contentType, got)
			}
		}
	}
	if after := s.tokens(t); after != before+1 { // that of the call that counts
		t.Errorf("tokens after all that: got %d, want %d", after, before+1)
	}
}

// Streams and Connect's GET read messages elsewhere than unary calls.
func TestUnknownFieldsAreRefusedInStreamsAndGets(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	const watch = hushv1connect.MetadataServiceWatchMetadataProcedure
	for _, contentType := range []string{"application/connect+json", "application/grpc+json", "application/grpc-web+json"} {
		got := s.send(t, nil, watch, contentType, `{"metadataKey":"CANARY","onlyEnds":true}`)
		if !isInvalid(got) || !strings.Contains(got, "onlyEnds: unknown field") || strings.Contains(got, "CANARY") {
			t.Errorf("WatchMetadata as %s: got %s, want invalid_argument with the path", contentType, got)
		}
	}
	query := url.Values{"connect": {"v1"}, "encoding": {"json"}, "message": {`{"name":"Paris","region":"CANARY"}`}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+testnamev1connect.TestNameLookupProcedure+"?"+query.Encode(), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.answer(t, nil, req); !isInvalid(got) || !strings.Contains(got, "region: unknown field") || strings.Contains(got, "CANARY") {
		t.Errorf("Lookup by GET: got %s, want invalid_argument with the path", got)
	}
}

// Health knows no secret, but what it answers goes into the logs of probes.
func TestHealthNamesNoValue(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	for message, want := range map[string]string{`{"servce":"CANARY"}`: "servce: unknown field", `{"service":CANARY}`: "malformed JSON message"} {
		for _, contentType := range inJSON() {
			got := s.send(t, nil, "/grpc.health.v1.Health/Check", contentType, message)
			if !isInvalid(got) || !strings.Contains(got, want) || strings.Contains(got, "CANARY") {
				t.Errorf("Check(%s) as %s: got %s, want invalid_argument with %q", message, contentType, got, want)
			}
		}
	}
}

// later is a field that a later version of the contract may have.
func later() string {
	return string(protowire.AppendString(protowire.AppendTag(nil, 99, protowire.BytesType), "CANARY"))
}

// within is a field with an embedded message.
func within(number protowire.Number, message string) string {
	return string(protowire.AppendString(protowire.AppendTag(nil, number, protowire.BytesType), message))
}

// A newer client asks for a protection that this version does not have. It must not
// be dropped without a word where something is made or changed.
func TestLaterFieldsAreRefusedWhereSomethingChanges(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	ada := s.bearer(t, caller.ScopeAccount|caller.ScopeConceal|caller.ScopeReveal|caller.ScopeMetadata)
	before := s.tokens(t)
	for _, row := range []struct{ procedure, message, path string }{
		{hushv1connect.SecretServiceConcealSecretProcedure, within(1, "CANARY") + later(), "error: unknown field 99"},
		{hushv1connect.SecretServiceConcealSecretProcedure, within(1, "CANARY") + within(2, "\x08\x3c"+later()), "ttl: unknown field 99"},
		{hushv1connect.SecretServiceRevealSecretProcedure, within(1, "key") + later(), "error: unknown field 99"},
		{hushv1connect.SecretServiceBurnSecretProcedure, within(1, "key") + later(), "error: unknown field 99"},
		{hushv1connect.AccountServiceGenerateApiTokenProcedure, within(2, "\x01") + later(), "error: unknown field 99"},
		{hushv1connect.AccountServiceGenerateApiTokenProcedure, within(2, "\x01\x4d"), "scopes[1]: "},
		{hushv1connect.AccountServiceGenerateApiTokenProcedure, within(2, ""), "scopes: must hold at least one"},
		{hushv1connect.MetadataServiceListMetadataProcedure, within(3, ""), "states: must hold at least one"},
		{hushv1connect.DomainServiceUpdateDomainBrandProcedure, within(1, "x.example") + within(2, later()), "brand: unknown field 99"},
		{hushv1connect.MetadataServiceUpdateMetadataProcedure, within(1, "key") + later(), "error: unknown field 99"},
	} {
		for _, contentType := range inProto() {
			got := s.send(t, ada, row.procedure, contentType, row.message)
			if !isInvalid(got) || !strings.Contains(got, row.path) || strings.Contains(got, "CANARY") {
				t.Errorf("%s as %s: got %s, want invalid_argument with %q", row.procedure, contentType, got, row.path)
			}
		}
	}
	if after := s.tokens(t); after != before+1 {
		t.Errorf("tokens after all that: got %d, want %d", after, before+1)
	}
}

// What only reads goes on with what it knows.
func TestLaterFieldsAreIgnoredWhereNothingChanges(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	ada := s.bearer(t, caller.ScopeAccount|caller.ScopeMetadata)
	for procedure, message := range map[string]string{
		hushv1connect.AccountServiceGetAccountProcedure:    later(),
		hushv1connect.MetadataServiceListMetadataProcedure: later(),
		hushv1connect.SystemServiceGetPolicyProcedure:      later(),
		testnamev1connect.TestNameLookupProcedure:          within(1, "Paris") + later(),
	} {
		for _, contentType := range inProto() {
			if got := s.send(t, ada, procedure, contentType, message); isInvalid(got) || !strings.HasPrefix(got, "200 ") {
				t.Errorf("%s as %s: got %s, want an answer", procedure, contentType, got)
			}
		}
	}
	query := url.Values{"connect": {"v1"}, "encoding": {"proto"}, "base64": {"1"}, "message": {base64.RawURLEncoding.EncodeToString([]byte(within(1, "Paris") + later()))}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+testnamev1connect.TestNameLookupProcedure+"?"+query.Encode(), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.answer(t, nil, req); !strings.HasPrefix(got, "200 ") {
		t.Errorf("Lookup by GET: got %s, want an answer", got)
	}
}
