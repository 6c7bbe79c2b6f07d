package protocols_test

import (
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"hush/client"
	"hush/client/protocols"
)

// The address of a server begins with the wrong one of http:// and https://. Which one is
// right is said at once, by every protocol and by Detect.
func TestSchemeIsToldApart(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	// These two answer and close before they have the whole request. The client may fail
	// to send the rest before it reads the answer, and then calls again.
	early := []string{"http://" + secure.Listener.Addr().String(), "http://" + alerting(t)}
	servers := map[string]string{"https://" + plain.Listener.Addr().String(): "http", early[0]: "https", early[1]: "https"}
	for name, page := range map[string]string{
		"nginx":  "<center>The plain HTTP request was sent to HTTPS port</center>",
		"Apache": "Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />",
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, "<html>"+page)
		}))
		t.Cleanup(s.Close)
		t.Logf("%s is %s", name, s.URL)
		servers[s.URL] = "https"
	}
	advice := map[string]string{
		"https": ": begin its address with https://",
		"http":  ": is the port right? Use http:// only where no one on the way can listen",
	}
	for server, right := range servers {
		want := "speaks " + right + " at this port and not "
		check := func(call string, err error) {
			t.Helper()
			if !errors.Is(err, client.ErrScheme) || client.KindOf(err) != client.KindProtocol ||
				!strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), advice[right]) {
				t.Errorf("%s of %s: got %v, want the scheme %s named", call, server, err, right)
			}
		}
		for _, protocol := range []client.Protocol{client.ProtocolHush, client.ProtocolV2, client.ProtocolV1} {
			c := clientOf(t, server, client.Options{Protocol: protocol, Notice: func(err error, _ time.Duration) {
				if !slices.Contains(early, server) {
					t.Errorf("Receipt by %v of %s: got a repetition after %v, want none", protocol, server, err)
				}
			}})
			_, err := c.Receipt(t.Context(), client.Hide(strings.Repeat("k", 31)))
			check("Receipt by "+protocol.String(), err)
		}
		_, err := protocols.Detect(t.Context(), server, nil)
		check("Detect", err)
	}
}

// A page of another error says nothing of the scheme.
func TestSchemeIsNotGuessed(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "Bad Request", http.StatusBadRequest)
	}))
	t.Cleanup(s.Close)
	for _, protocol := range []client.Protocol{client.ProtocolHush, client.ProtocolV1} {
		c := clientOf(t, s.URL, client.Options{Protocol: protocol})
		if _, err := c.Receipt(t.Context(), client.Hide(strings.Repeat("k", 31))); err == nil || errors.Is(err, client.ErrScheme) {
			t.Errorf("Receipt by %v: got %v, want another error", protocol, err)
		}
	}
}

// alerting returns the address of a server with TLS that answers other requests with an
// alert, as OpenSSL does.
func alerting(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if _, err := conn.Read(make([]byte, 1<<16)); err != nil {
					return
				}
				conn.Write([]byte{0x15, tls.VersionTLS10 >> 8, tls.VersionTLS10 & 0xff, 0, 2, 2, 70})
			}()
		}
	}()
	return l.Addr().String()
}
