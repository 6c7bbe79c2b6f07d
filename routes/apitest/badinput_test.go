package apitest_test

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"hush/handlers"
	"hush/handlers/chain"
	"hush/routes/apitest"
	"hush/vault/vaulttest"
)

// bad is a request that has to be refused, and how.
type bad struct {
	name        string
	method      string // POST if empty
	path        string
	contentType string
	header      http.Header
	body        string
	status      int
	want        string // in the answer
}

// maxAllocated is how many bytes server and client may allocate for a refusal together: a
// few times the largest body.
const maxAllocated = 64 << 20

// An attacker sends whatever might make a parser stumble. Each of it gets a
// short answer that says what is wrong, costs no more than a few times what was
// sent, nothing is kept of it, and the service goes on for everybody else.
//
//nolint:paralleltest // measures what is allocated
func TestBadInput(t *testing.T) {
	var log strings.Builder
	s := apitest.Start(t, apitest.Options{Handlers: handlers.Options{Settings: chain.Settings{Log: slog.New(slog.NewTextHandler(&log, nil))}}})
	d := s.Drivers(t, nil)[0]
	kept := apitest.MustConceal(t, d, apitest.Terms{Secret: "kept"})
	for _, http2 := range []bool{false, true} {
		client := s.Client(t, http2, nil)
		for _, b := range append(append(badLegacy(), badRPC(t)...), badMethods()...) {
			t.Run(fmt.Sprintf("%s over HTTP/2 %t", b.name, http2), func(t *testing.T) { b.send(t, client, s.URL) })
		}
	}
	d.Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal after bad input", "kept")
	s.Stop()
	for _, word := range []string{"panic", "internal error"} {
		if strings.Contains(log.String(), word) {
			t.Errorf("log: got %q in it, want none", word)
		}
	}
	if got := len(vaulttest.RowsIn(t, s.Kit.Store, "secret")); got != 0 {
		t.Errorf("secrets kept of bad input: got %d, want none", got)
	}
}

func (b bad) send(t *testing.T, client *http.Client, url string) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b.sendBeside(t, client, url)
	runtime.ReadMemStats(&after)
	if b.isRefused() {
		if got := after.TotalAlloc - before.TotalAlloc; got > maxAllocated {
			t.Errorf("%s: got %d MiB allocated, want at most %d", b.name, got>>20, maxAllocated>>20)
		}
	}
}

// sendBeside is send beside other tests, without a look at what is allocated: that
// would be what they allocate, too.
func (b bad) sendBeside(t *testing.T, client *http.Client, url string) {
	t.Helper()
	if answered := b.answer(t, client, url); b.isRefused() && len(answered) > apitest.MaxRefusal {
		t.Errorf("%s: got %d bytes, want at most %d", b.name, len(answered), apitest.MaxRefusal)
	}
}

func (b bad) isRefused() bool {
	return b.status != http.StatusOK || strings.Contains(b.want, "Grpc-Status")
}

// answer sends the request, compares the answer with what is wanted, and
// returns it with its headers and trailers.
func (b bad) answer(t *testing.T, client *http.Client, url string) string {
	t.Helper()
	method := b.method
	if method == "" {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(t.Context(), method, url+b.path, strings.NewReader(b.body))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(req.Header, b.header)
	if b.contentType != "" {
		req.Header.Set("Content-Type", b.contentType)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatalf("%s: got %v, want an answer", b.name, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s: got %v, want a whole answer", b.name, err)
	}
	answer := fmt.Sprint(string(body), res.Header, res.Trailer)
	if res.StatusCode != b.status || !strings.Contains(answer, b.want) {
		t.Errorf("%s: got %d %.300s, want %d with %q", b.name, res.StatusCode, answer, b.status, b.want)
	}
	if strings.HasPrefix(b.path, "/api/") && method != http.MethodHead {
		if got := res.Header.Get("Content-Type"); got != "application/json; charset=utf-8" {
			t.Errorf("%s: got Content-Type %q, want JSON", b.name, got)
		}
	}
	return answer
}

// What a later client adds may protect a secret, so an RPC that creates something
// refuses it. The older versions of the API ignore what they always ignored.
func TestUnknownFieldsOfLaterClients(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, apitest.Options{Handlers: handlers.Options{Settings: chain.Settings{RateLimits: true}}})
	client := s.Client(t, false, nil)
	for _, b := range []bad{
		{name: "JSON RPC", path: apitest.ConcealPath, contentType: apitest.TypeJSON, body: `{"secret":"x","later":{"a":[1]}}`, status: http.StatusBadRequest, want: "later: unknown field"},
		{name: "protobuf RPC", path: apitest.ConcealPath, contentType: apitest.TypeProto, body: "\x0a\x01x\xfa\x3f\x03abc", status: http.StatusBadRequest, want: "unknown field 1023"},
		{name: "JSON RPC that reads", path: "/hush.v1.SystemService/GetPolicy", contentType: apitest.TypeJSON, body: `{"later":1}`, status: http.StatusBadRequest, want: "later: unknown field"},
		{name: "protobuf RPC that reads", path: "/hush.v1.SystemService/GetPolicy", contentType: apitest.TypeProto, body: "\xfa\x3f\x03abc", want: ""},
		{name: "JSON v1", path: "/api/v1/share", contentType: apitest.TypeJSON, body: `{"secret":"x","later":{"a":[1]}}`, want: "secret_key"},
		{name: "form v2", path: "/api/v2/secret/conceal", contentType: apitest.TypeForm, body: "secret=x&later[a][]=1", want: "secret_key"},
	} {
		b.status = cmp.Or(b.status, http.StatusOK)
		b.sendBeside(t, client, s.URL)
	}
}
