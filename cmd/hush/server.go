package main

import (
	"log/slog"
	"net/http"
	"time"
)

// The bounds on connections and requests.
const (
	maxConnections    = 4096
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 15 * time.Second
	writeTimeout      = 30 * time.Second
	idleTimeout       = time.Minute
	// maxHeaderBytes leaves room for a request line of 128 KiB: legacy
	// clients send secrets in query strings.
	maxHeaderBytes = 144 << 10
	// maxStreams is how many calls one HTTP/2 connection may run at a time.
	maxStreams = 250
)

// newServer serves HTTP/1.1 and HTTP/2, the latter in the clear too. What
// net/http itself would log names addresses, so it is not written; every
// request has its line all the same.
func newServer(tree http.Handler) *http.Server {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{
		Handler:           tree,
		Protocols:         &protocols,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
}
