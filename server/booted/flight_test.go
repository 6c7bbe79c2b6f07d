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

// One network sends most of many large bodies and stops. Others of that network
// are told to come back, a secret is still revealed and burned meanwhile, and
// when the bodies are gone everything is as before.
func TestHalfSentBodiesLeaveRoomForReveals(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, "--rate-limits=off")
	for _, path := range []string{"/api/v1/share", "/api/v2/secret/conceal", apitest.ConcealPath} {
		d := servertest.Drivers(t, s, nil)[0]
		first, second := apitest.MustConceal(t, d, apitest.Terms{Secret: "one"}), apitest.MustConceal(t, d, apitest.Terms{Secret: "two"})
		contentType := apitest.TypeForm
		if path == apitest.ConcealPath {
			contentType = apitest.TypeJSON
		}
		var open []net.Conn
		var status int
		var header http.Header
		// A body may lose its place to what asks whether there is one.
		servertest.WaitUntil(t, "the network's share to be full", func() bool {
			open = append(open, halfSent(t, s, path, contentType, 4<<20-1))
			status, header = posted(t, s, path, contentType, strings.Repeat("x", 64<<10))
			return status == http.StatusServiceUnavailable || header.Get("X-Ots-Intended-Status") == "503"
		})
		if header.Get("Retry-After") == "" {
			t.Errorf("%s beyond the share: got %d without Retry-After, want it", path, status)
		}
		d.Reveal(t.Context(), first.SecretKey, "").WantValue(t, "reveal while bodies are full", "one")
		d.Burn(t.Context(), second.MetadataKey, "")
		for _, conn := range open {
			conn.Close()
		}
		servertest.WaitUntil(t, "the bytes to be given back", func() bool {
			status, _ := posted(t, s, "/api/v2/secret/conceal", apitest.TypeForm, "secret=x")
			return status == http.StatusOK
		})
	}
}

// halfSent sends the head of a request for one byte more than size, and size
// bytes.
func halfSent(t *testing.T, s *servertest.Server, path, contentType string, size int) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(apitest.Patience)); err != nil {
		t.Fatal(err)
	}
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", path, contentType, size+1)
	// A body that is refused meanwhile breaks the connection, which is as good.
	_, _ = io.WriteString(conn, head+strings.Repeat("x", size))
	return conn
}

// posted sends a whole request on a connection of its own.
func posted(t *testing.T, s *servertest.Server, path, contentType, body string) (int, http.Header) {
	t.Helper()
	conn, err := net.Dial("tcp", s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(apitest.Patience)); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", path, contentType, len(body), body)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil) //nolint:bodyclose // the connection is closed under it
	if err != nil {
		t.Fatalf("POST %s: got %v, want an answer", path, err)
	}
	return res.StatusCode, res.Header
}
