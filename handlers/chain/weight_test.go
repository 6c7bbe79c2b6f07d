package chain_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers"
)

// maxAnswer is the maximum size of any refusal: body, headers and trailers.
const maxAnswer = 8 << 10

// wires returns the forms in which an RPC's message may come.
func wires() []wire {
	var all []wire
	for _, zipped := range []bool{false, true} {
		all = append(all,
			wire{"application/json", zipped, false}, wire{"application/proto", zipped, false},
			wire{"application/grpc", zipped, true}, wire{"application/grpc-web", zipped, true},
			wire{"application/grpc+json", zipped, true}, wire{"application/grpc-web+json", zipped, true})
	}
	return all
}

type wire struct {
	contentType string
	zipped      bool
	enveloped   bool
}

func (w wire) String() string {
	if w.zipped {
		return w.contentType + " in gzip"
	}
	return w.contentType
}

// request returns an RPC with a message in that form.
func (w wire) request(t *testing.T, procedure string, message proto.Message) *http.Request {
	t.Helper()
	body, err := proto.Marshal(message)
	if strings.HasSuffix(w.contentType, "json") {
		body, err = protojson.Marshal(message)
	}
	if err != nil {
		t.Fatal(err)
	}
	if w.zipped {
		body = gzipped(t, body)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, procedure, nil)
	if w.enveloped {
		var prefix [5]byte
		binary.BigEndian.PutUint32(prefix[1:], uint32(len(body)))
		if w.zipped {
			prefix[0] = 1
			r.Header.Set("Grpc-Encoding", "gzip")
		}
		body = append(prefix[:], body...)
	} else if w.zipped {
		r.Header.Set("Content-Encoding", "gzip")
	}
	r.Header.Set("Content-Type", w.contentType)
	r.Header.Set("Te", "trailers")
	r.Proto, r.ProtoMajor, r.ProtoMinor = "HTTP/2.0", 2, 0
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return r
}

func gzipped(t *testing.T, body []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(body); err != nil || w.Close() != nil {
		t.Fatalf("gzip: got %v, want no error", err)
	}
	return b.Bytes()
}

// treeOf returns the whole API as one handler.
func treeOf(api *handlers.API) http.Handler {
	mux := http.NewServeMux()
	for _, mount := range api.Mounts {
		mux.Handle(mount.Path, mount.Handler)
	}
	return api.Middleware(mux)
}

// weigh serves a request and returns the size of the response, the response,
// and how much was allocated for it.
func weigh(tree http.Handler, r *http.Request) (size int, answer string, allocated uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	rec := httptest.NewRecorder()
	tree.ServeHTTP(rec, r)
	runtime.ReadMemStats(&after)
	res := rec.Result()
	size = rec.Body.Len()
	for _, header := range []http.Header{res.Header, res.Trailer} {
		for name, values := range header {
			for _, value := range values {
				size += len(name) + len(value)
			}
		}
	}
	whole, _ := json.Marshal([]any{rec.Code, res.Header, res.Trailer, rec.Body.String()})
	return size, string(whole), after.TotalAlloc - before.TotalAlloc
}

// A message of a few hundred bytes, or of four million, breaks a limit with
// every element of a list. If each violation were reported, the response would
// be a thousand times the request, and the service would run out of memory.
func TestViolationsDoNotMultiply(t *testing.T) { //nolint:paralleltest // measures what is allocated
	api, _ := newAPI(t, nil)
	tree := treeOf(api)
	empties := make([]string, 200_000)
	for _, test := range []struct {
		procedure string
		message   proto.Message
	}{
		{"/hush.v1.SecretService/ConcealSecret", &hushv1.ConcealSecretRequest{Secret: "x", Recipients: empties[:900]}},
		{"/hush.v1.SecretService/ConcealSecret", &hushv1.ConcealSecretRequest{Secret: "x", Recipients: empties}},
		{"/hush.v1.SecretService/GenerateSecret", &hushv1.GenerateSecretRequest{Recipients: empties[:16_000]}},
		{"/hush.v1.SecretService/GenerateSecret", &hushv1.GenerateSecretRequest{Recipients: empties[:900]}},
		{"/hush.v1.SecretService/ListSecretStatus", &hushv1.ListSecretStatusRequest{SecretKeys: empties[:16_000]}},
		{"/hush.v1.MetadataService/BatchGetMetadata", &hushv1.BatchGetMetadataRequest{MetadataKeys: empties[:16_000]}},
		{"/hush.v1.ChallengeService/AltchaVerifySpam", &hushv1.AltchaVerifySpamRequest{
			Fields: map[string]string{strings.Repeat("\x01", 50_000): "", strings.Repeat("\x02", 50_000): strings.Repeat("x", 10_000)},
		}},
		{"/hush.v1.ChallengeService/AltchaVerifySpam", &hushv1.AltchaVerifySpamRequest{
			Fields: map[string]string{strings.Repeat("\x01", 120): strings.Repeat("x", 10_000)},
		}},
	} {
		for _, w := range wires() {
			r := w.request(t, test.procedure, test.message)
			size, answer, allocated := weigh(tree, r)
			if size > maxAnswer {
				t.Fatalf("%s over %s: got %d bytes, want at most %d: %.300s", test.procedure, w, size, maxAnswer, answer)
			}
			if allocated > 40<<20 {
				t.Errorf("%s over %s: got %d MiB allocated, want at most 40", test.procedure, w, allocated>>20)
			}
			if !strings.Contains(answer, "invalid_argument") && !strings.Contains(answer, `Grpc-Status":["3"]`) {
				t.Errorf("%s over %s: got %.500s, want INVALID_ARGUMENT", test.procedure, w, answer)
			}
		}
	}
}

// A client writes a hundred thousand bytes where a protocol expects a word. The
// protocol's library quotes unknown values, in trailers with three bytes for
// one.
func TestErrorsQuoteLittle(t *testing.T) { //nolint:paralleltest // weigh
	api, _ := newAPI(t, nil)
	tree := treeOf(api)
	long := strings.Repeat("\"", 100_000)
	for _, header := range []string{
		"Content-Type", "Content-Encoding", "Accept-Encoding", "Grpc-Encoding", "Grpc-Accept-Encoding", "Grpc-Timeout",
		"Connect-Content-Encoding", "Connect-Accept-Encoding", "Connect-Protocol-Version", "Connect-Timeout-Ms",
		"Authorization", "Cookie", "Origin", "O-Shrimp", "X-Forwarded-For", "Accept-Language", "User-Agent", "Accept",
	} {
		for _, procedure := range []string{
			"/hush.v1.SystemService/GetStatus", "/hush.v1.MetadataService/WatchMetadata", "/grpc.health.v1.Health/Check",
			"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
		} {
			for _, w := range append(wires(), wire{contentType: "application/connect+json", enveloped: true}) {
				r := w.request(t, procedure, &hushv1.GetStatusRequest{})
				r.Header.Set(header, long)
				if size, answer, _ := weigh(tree, r); size > maxAnswer {
					t.Errorf("%s over %s with a long %s: got %d bytes, want at most %d: %.300s", procedure, w, header, size, maxAnswer, answer)
				}
			}
		}
	}
	for _, param := range []string{"encoding", "compression", "connect", "base64", "message", "other"} {
		query := map[string]string{"connect": "v1", "encoding": "json", "message": "{}", "base64": "", "compression": ""}
		query[param] = strings.Repeat("%22", 100_000)
		target := "/hush.v1.SystemService/GetStatus?"
		for name, value := range query {
			target += "&" + name + "=" + value
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
		if size, answer, _ := weigh(tree, r); size > maxAnswer {
			t.Errorf("GET with a long %s: got %d bytes, want at most %d: %.300s", param, size, maxAnswer, answer)
		}
	}
}
