package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"hush/storage"
)

const (
	concealPath = "/hush.v1.SecretService/ConcealSecret"
	revealPath  = "/hush.v1.SecretService/RevealSecret"
	typeForm    = "application/x-www-form-urlencoded"
	typeJSON    = "application/json"
	typeProto   = "application/proto"
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

// What a refusal may cost: bytes of an answer with its headers and trailers, and
// bytes allocated by server and client together, a few times the largest body.
const (
	maxRefusal   = 8 << 10
	maxAllocated = 64 << 20
)

// An attacker sends whatever might make a parser stumble. Each of it gets a
// short answer that says what is wrong, costs no more than a few times what was
// sent, nothing is kept of it, and the service goes on for everybody else.
//
//nolint:paralleltest // measures what is allocated
func TestBadInput(t *testing.T) {
	s := startHush(t, "--rate-limits=off")
	d := newDrivers(t, s, nil)[0]
	kept := mustConceal(t, d, wish{secret: "kept"})
	for _, http2 := range []bool{false, true} {
		client := newHTTPClient(t, http2, nil)
		for _, b := range append(append(badLegacy(), badRPC(t)...), badMethods()...) {
			t.Run(fmt.Sprintf("%s over HTTP/2 %t", b.name, http2), func(t *testing.T) { b.send(t, client, s.url) })
		}
	}
	d.reveal(t.Context(), kept.secretKey, "").wantValue(t, "reveal after bad input", "kept")
	s.stop(t)
	for _, word := range []string{"panic", "internal error"} {
		if strings.Contains(s.log.String(), word) {
			t.Errorf("log: got %q in it, want none", word)
		}
	}
	if got := countSecrets(t, s.data); got != 0 {
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
	if answered := b.answer(t, client, url); b.isRefused() && len(answered) > maxRefusal {
		t.Errorf("%s: got %d bytes, want at most %d", b.name, len(answered), maxRefusal)
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

// CountSecrets opens the data folder of a server that has ended.
func countSecrets(t *testing.T, data string) int {
	t.Helper()
	stored, err := openStore(t.Context(), data, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stored.close() }()
	count := 0
	err = stored.View(context.Background(), func(tx storage.Tx) error {
		return tx.Range("secret", nil, nil, func([]byte, []byte) error { count++; return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	return count
}

// zipped is size bytes of one letter, a thousandth of that on the wire.
func zipped(t *testing.T, before string, size int, after string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := io.Copy(w, io.MultiReader(strings.NewReader(before), strings.NewReader(strings.Repeat("a", size)), strings.NewReader(after)))
	if err != nil || w.Close() != nil {
		t.Fatalf("gzip: got %v, want no error", err)
	}
	return b.String()
}

// zippedText is a text in gzip.
func zippedText(t *testing.T, text string) string {
	t.Helper()
	return zipped(t, text, 0, "")
}

// envelope is how gRPC and gRPC-Web frame a message.
func envelope(flags byte, message string) string {
	size := len(message)
	return string([]byte{flags, byte(size >> 24), byte(size >> 16), byte(size >> 8), byte(size)}) + message
}

// A query string may be long, since clients send secrets in it.
func TestLongQuery(t *testing.T) {
	t.Parallel()
	s := startHush(t)
	for _, http2 := range []bool{false, true} {
		client := newHTTPClient(t, http2, nil)
		secret := strings.Repeat("x", 100<<10)
		pad := strings.Repeat("y", 128<<10-len(secret)-len("/api/v1/share?secret=&pad="))
		bad{
			name: "a request line of 128 KiB", path: "/api/v1/share?secret=" + secret + "&pad=" + pad, status: http.StatusOK, want: "secret_key",
		}.sendBeside(t, client, s.url)
	}
}

// What a later client adds may protect a secret, so an RPC that creates something
// refuses it. The older versions of the API ignore what they always ignored.
func TestUnknownFieldsOfLaterClients(t *testing.T) {
	t.Parallel()
	s := startHush(t)
	client := newHTTPClient(t, false, nil)
	for _, b := range []bad{
		{name: "JSON RPC", path: concealPath, contentType: typeJSON, body: `{"secret":"x","later":{"a":[1]}}`, status: http.StatusBadRequest, want: "later: unknown field"},
		{name: "protobuf RPC", path: concealPath, contentType: typeProto, body: "\x0a\x01x\xfa\x3f\x03abc", status: http.StatusBadRequest, want: "unknown field 1023"},
		{name: "JSON RPC that reads", path: "/hush.v1.SystemService/GetPolicy", contentType: typeJSON, body: `{"later":1}`, status: http.StatusBadRequest, want: "later: unknown field"},
		{name: "protobuf RPC that reads", path: "/hush.v1.SystemService/GetPolicy", contentType: typeProto, body: "\xfa\x3f\x03abc", want: ""},
		{name: "JSON v1", path: "/api/v1/share", contentType: typeJSON, body: `{"secret":"x","later":{"a":[1]}}`, want: "secret_key"},
		{name: "form v2", path: "/api/v2/secret/conceal", contentType: typeForm, body: "secret=x&later[a][]=1", want: "secret_key"},
	} {
		b.status = cmp.Or(b.status, http.StatusOK)
		b.sendBeside(t, client, s.url)
	}
}
