package apitest_test

import (
	"net/http"
	"strings"
	"testing"

	"hush/routes/apitest"
)

// badRPC are requests that the RPC protocols refuse. gRPC and gRPC-Web answer
// 200 and tell in their trailers.
func badRPC(t *testing.T) []bad {
	t.Helper()
	const invalid, exhausted = `"code":"invalid_argument"`, `"code":"resource_exhausted"`
	large := strings.Repeat("x", 5<<20)
	bomb := apitest.Zipped(t, `{"secret":"`, 64<<20, `"}`)
	zip := http.Header{"Content-Encoding": {"gzip"}}
	empties := strings.Repeat("\x22\x00", 1<<20)
	trailers := http.Header{"Te": {"trailers"}, "Grpc-Encoding": {"gzip"}}
	return []bad{
		{name: "JSON without an end", path: apitest.ConcealPath, contentType: apitest.TypeJSON, body: `{"secret":"x`, status: 400, want: "malformed JSON message"},
		{name: "JSON that is a list", path: apitest.ConcealPath, contentType: apitest.TypeJSON, body: `["x"]`, status: 400, want: "malformed JSON message (line 1:1)"},
		{name: "an empty body for JSON", path: apitest.ConcealPath, contentType: apitest.TypeJSON, body: "", status: 400, want: "an empty body is not a JSON object"},
		{name: "JSON that is no Unicode", path: apitest.ConcealPath, contentType: apitest.TypeJSON, body: "{\"secret\":\"\xff\"}", status: 400, want: "secret: is not valid Unicode"},
		{name: "JSON with half a pair", path: apitest.ConcealPath, contentType: apitest.TypeJSON, body: `{"secret":"\udc00x"}`, status: 400, want: "secret: is not valid Unicode"},
		{name: "JSON with a field twice", path: apitest.ConcealPath, contentType: apitest.TypeJSON, body: `{"secret":"x","secret":"y"}`, status: 400, want: "secret: was given more than once"},
		{name: "a JSON number for a secret", path: apitest.ConcealPath, contentType: apitest.TypeJSON, body: `{"secret":1}`, status: 400, want: "secret: must be text"},
		{name: "a passphrase with a line break", path: apitest.ConcealPath, contentType: apitest.TypeJSON, body: `{"secret":"x","passphrase":"sesame\n"}`, status: 400, want: "passphrase must not have a line break"},
		{name: "JSON 100,000 deep", path: apitest.ConcealPath, contentType: apitest.TypeJSON, body: `{"secret":` + strings.Repeat("[", 100_000), status: 400, want: "malformed JSON message"},
		{name: "deep JSON that is closed", path: apitest.ConcealPath, contentType: apitest.TypeJSON, body: `{"memo":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `,"secret":"x"}`, status: 400, want: "malformed JSON message"},
		{name: "deep JSON in an unknown field", path: apitest.ConcealPath, contentType: apitest.TypeJSON, body: `{"secret":"x","a":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}", status: 400, want: "a: unknown field"},
		{name: "JSON with a misspelt passphrase", path: apitest.ConcealPath, contentType: apitest.TypeJSON, body: `{"secret":"x","passphrse":"y"}`, status: 400, want: "passphrse: unknown field"},
		{name: "JSON with a name of 100,000 letters", path: apitest.ConcealPath, contentType: apitest.TypeJSON, body: `{"secret":"x","` + strings.Repeat("x", 100_000) + `":1}`, status: 400, want: "an unknown field"},
		{name: "a misspelt state", path: "/hush.v1.MetadataService/WatchMetadata", contentType: "application/connect+json", body: apitest.Envelope(0, `{"metadataKey":"x","state":"STATE_NEW"}`), status: 200, want: "state: unknown field"},
		{name: "an unknown protobuf field", path: apitest.ConcealPath, contentType: apitest.TypeProto, body: "\x0a\x01x\xfa\x3f\x03abc", status: 400, want: "unknown field 1023"},
		{name: "an unknown gRPC field", path: apitest.ConcealPath, contentType: "application/grpc", header: http.Header{"Te": {"trailers"}}, body: apitest.Envelope(0, "\x0a\x01x\xfa\x3f\x03abc"), status: 200, want: "Grpc-Status:[3]"},
		{name: "a ttl that is none", path: apitest.ConcealPath, contentType: apitest.TypeJSON, body: `{"secret":"x","ttl":"soon"}`, status: 400, want: "ttl: must be text such as"},
		{name: "a ttl above what the type holds", path: apitest.ConcealPath, contentType: apitest.TypeJSON, body: `{"secret":"x","ttl":"999999999999s"}`, status: 400, want: invalid},
		{name: "protobuf that is cut off", path: apitest.ConcealPath, contentType: apitest.TypeProto, body: "\x0a\x05x", status: 400, want: "unmarshal message"},
		{name: "protobuf with a broken tag", path: apitest.ConcealPath, contentType: apitest.TypeProto, body: "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", status: 400, want: "unmarshal message"},
		{name: "protobuf that is no Unicode", path: apitest.ConcealPath, contentType: apitest.TypeProto, body: "\x0a\x01\xff", status: 400, want: "unmarshal message"},
		{name: "protobuf nested 10,000 deep", path: apitest.ConcealPath, contentType: apitest.TypeProto, body: strings.Repeat("\x5b", 20_000), status: 400, want: "unmarshal message"},
		{name: "a protobuf ttl out of range", path: apitest.ConcealPath, contentType: apitest.TypeProto, body: "\x0a\x01x\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", status: 400, want: invalid},
		{name: "an empty message", path: apitest.ConcealPath, contentType: apitest.TypeProto, body: "", status: 400, want: "one of secret, sealed must be set"},
		{name: "too many keys", path: "/hush.v1.SecretService/ListSecretStatus", contentType: apitest.TypeJSON, body: `{"secretKeys":[` + strings.Repeat(`"",`, 25) + `""]}`, status: 400, want: "secret_keys: must contain no more than 25 item(s)"},
		{name: "too many receipts", path: "/hush.v1.MetadataService/BatchGetMetadata", contentType: apitest.TypeJSON, body: `{"metadataKeys":[` + strings.Repeat(`"",`, 25) + `""]}`, status: 400, want: "metadata_keys: must contain no more than 25 item(s)"},
		{name: "no receipts", path: "/hush.v1.MetadataService/BatchGetMetadata", contentType: apitest.TypeJSON, body: `{}`, status: 400, want: "metadata_keys: must contain at least 1 item(s)"},
		{name: "no keys", path: "/hush.v1.SecretService/ListSecretStatus", contentType: apitest.TypeJSON, body: `{}`, status: 400, want: "secret_keys: must contain at least 1 item(s)"},
		{name: "a memo that is too long", path: "/hush.v1.MetadataService/UpdateMetadata", contentType: apitest.TypeJSON, body: `{"memo":"` + strings.Repeat("x", 501) + `"}`, status: 400, want: "memo: must be at most 500 characters"},
		{name: "a place without a name", path: "/testname.v1.TestName/Lookup", contentType: apitest.TypeJSON, body: `{"name":" \u3000\t"}`, status: 400, want: "name must hold 1 to 200 characters"},
		{name: "a place with a long name", path: "/testname.v1.TestName/Lookup", contentType: apitest.TypeJSON, body: `{"name":"` + strings.Repeat("é", 201) + `"}`, status: 400, want: "name must hold 1 to 200 characters"},

		{name: "900 bad recipients", path: apitest.ConcealPath, contentType: apitest.TypeJSON, body: `{"secret":"x","recipients":[` + strings.Repeat(`"",`, 899) + `""]}`, status: 400, want: invalid},
		{name: "a million bad recipients", path: apitest.ConcealPath, contentType: apitest.TypeJSON, body: `{"secret":"x","recipients":[` + strings.Repeat(`"",`, 1<<20) + `""]}`, status: 400, want: "too many fields or elements"},
		{name: "a million bad recipients in protobuf", path: apitest.ConcealPath, contentType: apitest.TypeProto, body: "\x0a\x01x" + empties, status: 400, want: "too many fields or elements"},
		{name: "a million bad recipients in gzip", path: apitest.ConcealPath, contentType: apitest.TypeProto, header: zip, body: apitest.ZippedText(t, "\x0a\x01x"+empties), status: 400, want: "too many fields or elements"},
		{name: "900 bad recipients over gRPC", path: apitest.ConcealPath, contentType: "application/grpc", header: http.Header{"Te": {"trailers"}}, body: apitest.Envelope(0, "\x0a\x01x"+empties[:1800]), status: 200, want: "Grpc-Status:[3]"},
		{name: "900 bad recipients over gRPC-Web", path: apitest.ConcealPath, contentType: "application/grpc-web", body: apitest.Envelope(0, "\x0a\x01x"+empties[:1800]), status: 200, want: "Grpc-Status:[3]"},
		{name: "a coding of 100,000 letters", path: apitest.ConcealPath, contentType: apitest.TypeJSON, header: http.Header{"Content-Encoding": {strings.Repeat("z", 100_000)}}, body: "{}", status: 400, want: "too long"},
		{name: "a gRPC coding of 100,000 letters", path: apitest.ConcealPath, contentType: "application/grpc", header: http.Header{"Grpc-Encoding": {strings.Repeat("z", 100_000)}}, body: apitest.Envelope(0, ""), status: 200, want: "Grpc-Status:[3]"},
		{name: "a timeout of 100,000 digits", path: apitest.ConcealPath, contentType: apitest.TypeJSON, header: http.Header{"Connect-Timeout-Ms": {strings.Repeat("9", 100_000)}}, body: "{}", status: 400, want: "too long"},

		{name: "an oversized message", path: apitest.ConcealPath, contentType: apitest.TypeJSON, body: `{"secret":"` + large + `"}`, status: 429, want: exhausted},
		{name: "an oversized protobuf message", path: apitest.ConcealPath, contentType: apitest.TypeProto, body: "\x0a\x80\x80\xc0\x02" + large, status: 429, want: exhausted},
		{name: "an oversized message for a reveal", path: apitest.RevealPath, contentType: apitest.TypeJSON, body: `{"passphrase":"` + strings.Repeat("x", 70<<10) + `"}`, status: 429, want: exhausted},
		{name: "a gzip bomb", path: apitest.ConcealPath, contentType: apitest.TypeJSON, header: zip, body: bomb, status: 429, want: exhausted},
		{name: "a gzip bomb for a reveal", path: apitest.RevealPath, contentType: apitest.TypeProto, header: zip, body: bomb, status: 429, want: exhausted},
		{name: "gzip that is none", path: apitest.ConcealPath, contentType: apitest.TypeJSON, header: zip, body: `{"secret":"x"}`, status: 400, want: "code"},
		// UNIMPLEMENTED is the code that the protocol of Connect has for these two: the server
		// speaks neither the coding nor the type.
		{name: "an unknown coding", path: apitest.ConcealPath, contentType: apitest.TypeJSON, header: http.Header{"Content-Encoding": {"br"}}, body: `{"secret":"x"}`, status: 501, want: `"code":"unimplemented"`},
		{name: "an unknown type", path: apitest.ConcealPath, contentType: "application/xml", body: `<secret/>`, status: 415, want: `"code":"unimplemented"`},
		{name: "a form for an RPC", path: apitest.ConcealPath, contentType: apitest.TypeForm, body: `secret=x`, status: 415, want: "Accept-Post"},

		{name: "a gRPC gzip bomb", path: apitest.ConcealPath, contentType: "application/grpc", header: trailers, body: apitest.Envelope(1, bomb), status: 200, want: "Grpc-Status:[8]"},
		{name: "a gRPC-Web gzip bomb", path: apitest.ConcealPath, contentType: "application/grpc-web", header: http.Header{"Grpc-Encoding": {"gzip"}}, body: apitest.Envelope(1, bomb), status: 200, want: "Grpc-Status:[8]"},
		{name: "an oversized gRPC-Web message", path: apitest.ConcealPath, contentType: "application/grpc-web", body: apitest.Envelope(0, large), status: 200, want: "Grpc-Status:[8]"},
		{name: "a gRPC-Web message that is cut off", path: apitest.ConcealPath, contentType: "application/grpc-web", body: apitest.Envelope(0, "\x0a\x01x")[:7], status: 200, want: "Grpc-Status:[13]"},
		{name: "a gRPC-Web message that lies about its size", path: apitest.ConcealPath, contentType: "application/grpc-web", body: "\x00\xff\xff\xff\xffx", status: 200, want: "Grpc-Status:[8]"},
		{name: "a gRPC-Web message that is none", path: apitest.ConcealPath, contentType: "application/grpc-web", body: apitest.Envelope(0, "\x0a\x05x"), status: 200, want: "Grpc-Status:[3]"},
		{name: "no gRPC-Web message at all", path: apitest.ConcealPath, contentType: "application/grpc-web", body: "", status: 200, want: "Grpc-Status:["},
		{name: "two gRPC-Web messages", path: apitest.ConcealPath, contentType: "application/grpc-web", body: apitest.Envelope(0, "\x0a\x01x") + apitest.Envelope(0, "\x0a\x01y"), status: 200, want: "Grpc-Status:["},

		{name: "an unknown method", path: "/hush.v1.SecretService/Nonsense", contentType: apitest.TypeJSON, body: "{}", status: 404, want: ""},
		{name: "an unknown service", path: "/hush.v1.Nonsense/Nonsense", contentType: apitest.TypeJSON, body: "{}", status: 404, want: ""},
		{name: "a GET that would reveal", method: http.MethodGet, path: apitest.RevealPath + "?connect=v1&encoding=json&message=%7B%7D", status: 405, want: "Allow:[POST]"},
		{name: "a GET with a broken message", method: http.MethodGet, path: "/testname.v1.TestName/Lookup?connect=v1&encoding=json&message=%7B", status: 400, want: invalid},
	}
}
