package server

import (
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"hush/server/connections"
	"hush/server/settings"
)

// The bounds on connections and requests. readTimeout and writeTimeout are those of a
// request and a response that make no progress; see chain.Pace.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 15 * time.Second
	writeTimeout      = 30 * time.Second
	idleTimeout       = time.Minute
	pingTimeout       = time.Minute
	// maxHeaderBytes leaves room for a request line of 128 KiB: legacy
	// clients send secrets in query strings.
	maxHeaderBytes = 144 << 10
	// maxRequests is how many requests there may be at a time, and
	// requestsPerConnection how many a network may have for each connection of
	// its share: HTTP/2 has many on one connection.
	maxRequests           = 2 * settings.MaxConnections
	requestsPerConnection = 4
)

// newServer serves HTTP/1.1 and HTTP/2, the latter unencrypted too. What
// net/http itself would log contains addresses, so it is not written; every
// request still has its log line.
func newServer(tree http.Handler) *http.Server {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{
		Handler:           deepened(tree),
		Protocols:         &protocols,
		HTTP2:             http2Config(),
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		// The handler answers "OPTIONS *" like any other request, and counts it.
		DisableGeneralOptionsHandler: true,
	}
}

// requestStack is a part of the stack that a call needs.
const requestStack = 8 << 10

// deepened gives a goroutine its whole stack before it serves a request over
// HTTP/2. Each of these has a new goroutine, which would get a larger stack
// somewhere deep in the call, where all that is on it must be moved: that took a
// twelfth of the processor time of a gRPC call. Here there is next to nothing on
// it. A connection over HTTP/1 has one goroutine for all its requests.
func deepened(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 2 {
			growStack(0)
		}
		next.ServeHTTP(w, r)
	})
}

//go:noinline
func growStack(at int) byte {
	var room [requestStack]byte
	return room[at]
}

// http2Config bounds what an HTTP/2 connection may make the server keep. Resets,
// header blocks and control frames are bounded by net/http itself.
func http2Config() *http.HTTP2Config {
	return &http.HTTP2Config{
		// net/http itself responds to some requests, such as those with a
		// malformed header, and they are not counted. This bounds those of a
		// network, and leaves room for calls beside 20 streams.
		MaxConcurrentStreams: 24,
		// Larger frames would be buffered whole, on each connection.
		MaxReadFrameSize: 16 << 10,
		// What is sent before a handler reads it is kept.
		MaxReceiveBufferPerConnection: 128 << 10,
		MaxReceiveBufferPerStream:     128 << 10,
		MaxDecoderHeaderTableSize:     4 << 10,
		MaxEncoderHeaderTableSize:     4 << 10,
		// A peer that vanished must not keep its streams until their end. One on a slow
		// line gets the ping behind what is on its way.
		SendPingTimeout:  30 * time.Second,
		PingTimeout:      pingTimeout,
		WriteByteTimeout: writeTimeout,
	}
}

// limitConnections shares connections out among the networks that open them.
func (s *server) limitConnections(listener net.Listener) *connections.Listener {
	warn := sync.OnceFunc(func() {
		s.log.Warn("a connection or request was refused, because its network or the service has too many; see --max-connections-per-network and --trusted-proxies")
	})
	r := s.affordableConnections()
	return connections.NewListener(listener, connections.Limits{
		Total: r.total, PerNetwork: r.perNetwork, Lingering: r.lingering, Exempt: s.TrustedProxies, Refused: func() { s.observed.refused(); warn() },
		Requests: maxRequests, RequestsPerNetwork: requestsPerConnection * r.perNetwork, Now: s.now,
	})
}
