package client

import (
	"context"
	"net"
	"net/http"
	"time"
)

// The times that the package's own HTTP client gives a server. There is none for a
// whole answer: a receipt is followed for as long as its secret waits, and a content
// takes as long as the line needs. Each call watches its own progress.
const (
	dialTime      = 10 * time.Second
	handshakeTime = 10 * time.Second
	// longestTime is more than any call waits for its answer to begin.
	longestTime = 5 * time.Minute
	idleTime    = 90 * time.Second
	pingTime    = 20 * time.Second
	headMax     = 64 << 10 // bytes
)

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
