package chain_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"hush/handlers"
)

// The attack: one client of a trusted proxy sends the halves of many requests,
// so that they take every connection of the proxy. It gets its number of
// requests. The next is refused at once although its body never comes, and
// others are served.
func TestRequestsThroughAProxyAreBounded(t *testing.T) {
	t.Parallel()
	api, log := newAPI(t, func(o *handlers.Options) {
		o.TrustedProxies, o.ProxiedRequests = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, 2
	})
	began, ended := make(chan struct{}, 9), make(chan struct{}, 9)
	server := serve(t, api, func(_ http.ResponseWriter, r *http.Request) {
		began <- struct{}{}
		_, _ = io.Copy(io.Discard, r.Body)
		ended <- struct{}{}
	})
	post := func(forwarded, body string) net.Conn {
		t.Helper()
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		_ = conn.SetReadDeadline(time.Now().Add(time.Minute)) // without the bound it waits forever
		if _, err := fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\n%sContent-Length: 2\r\n\r\n%s", forwarded, body); err != nil {
			t.Fatal(err)
		}
		return conn
	}
	answer := func(name string, conn net.Conn, status int, want string) {
		t.Helper()
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%s: got %v, want an answer", name, err)
		}
		defer res.Body.Close()
		got, err := io.ReadAll(res.Body)
		if res.StatusCode != status || string(got) != want || err != nil || (res.Header.Get("Retry-After") == "1") != (status == 503) {
			t.Errorf("%s: got %s, %q and %v, want %d and %q", name, res.Status, got, err, status, want)
		}
	}
	const attacker, other = "X-Forwarded-For: 192.0.2.1\r\n", "X-Forwarded-For: 192.0.2.2\r\n"
	first, second := post(attacker, "x"), post(attacker, "x")
	<-began
	<-began
	answer("the third", post(attacker, "x"), http.StatusServiceUnavailable, `{"code":"unavailable","message":"too many requests at a time"}`)
	if line := log.String(); !strings.Contains(line, "status=503") || !strings.Contains(line, "code=unavailable") || !strings.Contains(line, "network=192.0.2.0/24") {
		t.Errorf("log: got %s, want the line of the refused request", line)
	}
	answer("another network's", post(other, "xx"), http.StatusOK, "")
	<-ended
	for range 3 {
		post("", "x") // the proxy's own
	}
	for range 4 {
		<-began
	}
	if _, err := io.WriteString(first, "x"); err != nil {
		t.Fatal(err)
	}
	answer("the first", first, http.StatusOK, "")
	<-ended
	second.Close()
	<-ended
}
