package apitest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"
)

// NewClient speaks one version of HTTP over the connections that dial makes, adds header to
// every request, and follows no redirect.
func NewClient(t testing.TB, dial func(ctx context.Context, network, address string) (net.Conn, error), http2 bool, header http.Header) *http.Client {
	t.Helper()
	var protocols http.Protocols
	protocols.SetHTTP1(!http2)
	protocols.SetUnencryptedHTTP2(http2)
	transport := &http.Transport{Protocols: &protocols, MaxIdleConnsPerHost: 256, DisableCompression: true, DialContext: dial}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: WithHeaders(transport, header), CheckRedirect: RefuseRedirect}
}

var errRedirected = errors.New("redirected")

// RefuseRedirect is a CheckRedirect that makes a redirect an error: a service that sends
// secrets elsewhere is wrong.
func RefuseRedirect(*http.Request, []*http.Request) error { return errRedirected }

// WithHeaders adds headers to every request.
func WithHeaders(next http.RoundTripper, header http.Header) http.RoundTripper {
	return &withHeader{next, header}
}

// withHeader adds headers to every request.
type withHeader struct {
	next   http.RoundTripper
	header http.Header
}

// RoundTrip implements http.RoundTripper.
func (w *withHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	if len(w.header) > 0 {
		r = r.Clone(r.Context())
		for name, values := range w.header {
			r.Header[name] = append(r.Header[name], values...)
		}
	}
	return w.next.RoundTrip(r)
}

// RoundTripper is a function that is an http.RoundTripper.
type RoundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f RoundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
