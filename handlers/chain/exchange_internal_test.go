package chain

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
)

// The log line has the status that the client got, whatever a handler does
// after it.
func TestAnswersAreNotedAsSent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		respond func(http.ResponseWriter)
		status  int
		bytes   int
	}{
		"nothing":          {func(http.ResponseWriter) {}, 0, 0},
		"bytes":            {func(w http.ResponseWriter) { _, _ = w.Write([]byte("four")) }, http.StatusOK, 4},
		"a header":         {func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) }, http.StatusNotFound, 0},
		"two headers":      {func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound); w.WriteHeader(http.StatusOK) }, http.StatusNotFound, 0},
		"hints before one": {func(w http.ResponseWriter) { w.WriteHeader(http.StatusEarlyHints); w.WriteHeader(http.StatusTeapot) }, http.StatusTeapot, 0},
		"a flush": {func(w http.ResponseWriter) {
			_ = http.NewResponseController(w).Flush()
			w.WriteHeader(http.StatusTeapot)
		}, http.StatusOK, 0},
	} {
		a := &answer{ResponseWriter: httptest.NewRecorder()}
		c.respond(a)
		if a.status != c.status || a.bytes != c.bytes {
			t.Errorf("%s: got status %d and %d bytes, want %d and %d", name, a.status, a.bytes, c.status, c.bytes)
		}
	}
}

// An exchange is its request's context: what ends the one ends the other.
func TestExchangesAreContexts(t *testing.T) {
	t.Parallel()
	type key struct{}
	parent, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
	e := &exchange{Context: parent}
	below, end := context.WithCancel(e)
	defer end()
	if recordFrom(below) != &e.record || below.Value(key{}) != "value" {
		t.Error("below an exchange: got another record or value, want its own and its parent's")
	}
	cancel()
	if below.Err() == nil {
		t.Error("below an exchange that has ended: got no error, want one")
	}
}
