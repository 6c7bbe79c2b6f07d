package apitest

import (
	"context"
	"net"
	"net/http"
	"time"
)

// Web is an HTTP server at work.
type Web struct {
	server *http.Server
	ended  chan struct{}
}

// Serve serves on a listener, which it closes at its end.
func Serve(server *http.Server, l net.Listener) *Web {
	w := &Web{server: server, ended: make(chan struct{})}
	go func() {
		defer close(w.ended)
		_ = server.Serve(l)
	}()
	return w
}

// stopTime is what requests have to end once the server stops. A test may leave one half
// sent, which does not end by itself.
const stopTime = 3 * time.Second

// Stop ends the server. It waits for the requests that are at work, which write to the log
// of a test as long as they are, and then closes all connections.
func (w *Web) Stop() {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	_ = w.server.Shutdown(ctx)
	_ = w.server.Close()
	<-w.ended
}
