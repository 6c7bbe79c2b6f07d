package booted_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"hush/routes/apitest"
	"hush/server/servertest"
)

// "OPTIONS *" is a request like any other: it has an answer of ours and a line
// in the log.
func TestOptionsOfTheServer(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	conn, err := net.Dial("tcp", s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(apitest.Patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusNotFound || res.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("OPTIONS *: got %s and header %v, want an unknown path's answer", res.Status, res.Header)
	}
	s.Log.WaitFor(t, "method=OPTIONS")
}
