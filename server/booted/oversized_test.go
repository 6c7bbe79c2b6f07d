package booted_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"hush/routes/apitest"
	"hush/server/servertest"
)

// Most clients send all of a body before they read. One who sends far too much
// must still get to read why that was refused, in every protocol, rather than
// see the connection break.
func TestOversizedBodyIsAnswered(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	body := strings.Repeat("x", 16<<20)
	for _, c := range []struct {
		path, contentType string
		status            int
		want              string
	}{
		{"/api/v1/share", apitest.TypeForm, 413, "the body must be at most 4194304 bytes"},
		{"/api/v2/secret/conceal", apitest.TypeJSON, 413, "the body must be at most 4194304 bytes"},
		{"/api/v2/secret/conceal", "multipart/form-data; boundary=b", 413, "the body must be at most 4194304 bytes"},
		{"/api/v1/share", "text/plain", 413, "the body must be at most 4194304 bytes"},
		{"/api/v1/nonsense", apitest.TypeForm, 404, "Not Found"},
		{"/secret/x", apitest.TypeForm, 413, "the body must be at most 65536 bytes"},
		{apitest.ConcealPath, apitest.TypeJSON, 429, `"code":"resource_exhausted"`},
		{apitest.ConcealPath, apitest.TypeProto, 429, `"code":"resource_exhausted"`},
		{apitest.ConcealPath, apitest.TypeForm, 415, ""},
		{apitest.RevealPath, apitest.TypeJSON, 429, `"code":"resource_exhausted"`},
	} {
		t.Run(c.path+" "+c.contentType, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", s.Addr)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if err := conn.SetDeadline(time.Now().Add(apitest.Patience)); err != nil {
				t.Fatal(err)
			}
			head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", c.path, c.contentType, len(body))
			if _, err := io.WriteString(conn, head+body); err != nil {
				t.Fatalf("sending: got %v, want everything to be taken", err)
			}
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatalf("answer: got %v, want one", err)
			}
			defer res.Body.Close()
			got, err := io.ReadAll(res.Body)
			if err != nil || res.StatusCode != c.status || !strings.Contains(string(got), c.want) {
				t.Errorf("answer: got %d %.200s %v, want %d with %q", res.StatusCode, got, err, c.status, c.want)
			}
			if len(got) > apitest.MaxRefusal {
				t.Errorf("answer: got %d bytes, want at most %d", len(got), apitest.MaxRefusal)
			}
		})
	}
}

// A query string may be long, since clients send secrets in it.
func TestLongQuery(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	secret := strings.Repeat("x", 100<<10)
	pad := strings.Repeat("y", 128<<10-len(secret)-len("/api/v1/share?secret=&pad="))
	for _, http2 := range []bool{false, true} {
		client := servertest.HTTPClient(t, http2, nil)
		got := apitest.Send(t, client, http.MethodPost, s.URL+"/api/v1/share?secret="+secret+"&pad="+pad, nil, "")
		if got.Status != http.StatusOK || !strings.Contains(got.Body, "secret_key") {
			t.Errorf("a request line of 128 KiB over HTTP/2 %t: got %d %.300s, want %d with a secret_key", http2, got.Status, got.Body, http.StatusOK)
		}
		if kind := got.Header.Get("Content-Type"); kind != "application/json; charset=utf-8" {
			t.Errorf("a request line of 128 KiB over HTTP/2 %t: got Content-Type %q, want JSON", http2, kind)
		}
	}
}
