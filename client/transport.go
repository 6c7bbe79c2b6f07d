package client

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The times that the package's own HTTP client gives a server. There is none for a
// whole answer: a receipt is followed for as long as its secret waits, and a content
// takes as long as the line needs. Each call watches its own progress.
const (
	dialTime      = 10 * time.Second
	handshakeTime = 10 * time.Second
	// answerTime is how long the answer to a request may take to begin, and headTime
	// how long that of one may that is never asked for again, or is sent in v1 or v2.
	answerTime = 30 * time.Second
	headTime   = 3 * time.Minute
	// longestTime is more than any call waits for its answer to begin: timeFor of the
	// longest content is the most.
	longestTime = 5 * time.Minute
	idleTime    = 90 * time.Second
	pingTime    = 20 * time.Second
	headMax     = 64 << 10 // bytes
)

// The longest answers that are read, in bytes: more than the longest content and
// than a page of receipts, and more than any refusal.
const (
	answerMax  = 4 << 20
	refusalMax = 64 << 10
)

// errTooLong is an answer that is longer than any of a Hush server.
var errTooLong = errors.New("the answer is longer than any of a Hush server")

// NewTransport returns the transport of the HTTP client that Options describe, for a
// caller that changes it: who adds certificates keeps the proxies and the times.
func NewTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dial,
		TLSHandshakeTimeout:    handshakeTime,
		ResponseHeaderTimeout:  longestTime,
		IdleConnTimeout:        idleTime,
		MaxResponseHeaderBytes: headMax,
		DisableCompression:     true, // contents do not get shorter
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingTime, PingTimeout: pingTime},
	}
}

// sendBuffer is how many bytes the system may take before they leave. With more, a
// content would seem to be sent while it still waits here.
const sendBuffer = 64 << 10

func dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: dialTime}).DialContext(ctx, network, address)
	if tcp, ok := conn.(*net.TCPConn); ok && err == nil {
		_ = tcp.SetWriteBuffer(sendBuffer) // without it, only the progress is told too early
	}
	return conn, err
}

// newHTTP returns the HTTP client that Options describe.
func newHTTP() *http.Client {
	return &http.Client{
		Transport:     NewTransport(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// httpClient returns the HTTP client of the options.
func (o Options) httpClient() *http.Client { return cmp.Or(o.HTTP, newHTTP()) }

// userAgent returns the User-Agent of the options.
func (o Options) userAgent() string { return cmp.Or(o.UserAgent, "hush-client") }

// caller sends the requests of the RPCs, and tells the answers of a Hush server
// from those of something else at its address.
type caller struct {
	http      *http.Client
	token     Text
	userAgent string
}

// Do implements connect.HTTPClient.
func (c *caller) Do(r *http.Request) (*http.Response, error) {
	r.Header.Set("User-Agent", c.userAgent)
	if !c.token.IsEmpty() {
		r.Header.Set("Authorization", "Bearer "+c.token.Expose())
	}
	f := flowFrom(r.Context())
	f.send(r)
	res, err := c.http.Do(r) //nolint:gosec // the user chose the server
	if err != nil {
		if outer, ok := err.(*url.Error); ok { //nolint:errorlint // only the method and the URL around the error are left out
			err = outer.Err
		}
		return nil, err
	}
	f.receive(res)
	return checkAnswer(res)
}

// checkAnswer returns an answer of a Hush server, which was read to its end unless
// it is a stream. The RPCs would read on behind their limit, to use the connection
// again.
func checkAnswer(res *http.Response) (*http.Response, error) {
	kind, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";")
	most := int64(answerMax)
	switch {
	case res.StatusCode == http.StatusOK && kind == "application/connect+proto":
		return res, nil
	case res.StatusCode == http.StatusOK && kind == "application/proto":
	case res.StatusCode != http.StatusOK && kind == "application/json":
		most = refusalMax
	default:
		scheme := complains(res.Request, res.StatusCode, res.Body)
		_ = res.Body.Close()
		return nil, &strangeError{
			status: res.StatusCode, location: res.Header.Get("Location"), retryAfter: retryAfter(res.Header), scheme: scheme,
		}
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(body)) > most:
		return nil, errTooLong
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	return res, nil
}

// retryAfter returns the seconds of the header; 0 for none.
func retryAfter(h http.Header) time.Duration {
	seconds, err := time.ParseDuration(h.Get("Retry-After") + "s")
	if err != nil || seconds < 0 {
		return 0
	}
	return seconds
}

// strangeError is an answer that no Hush server gives: that of a proxy, a portal,
// or another server.
type strangeError struct {
	status     int
	location   string
	retryAfter time.Duration
	scheme     *Error // for an address with the wrong scheme; nil for none
}

// Error returns the status.
func (e *strangeError) Error() string {
	return fmt.Sprintf("HTTP %d %s", e.status, http.StatusText(e.status))
}
