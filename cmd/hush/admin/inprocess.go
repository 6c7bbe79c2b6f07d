package admin

import (
	"bytes"
	"io"
	"net/http"
)

// inProcessTransport serves requests without a network.
type inProcessTransport struct{ handler http.Handler }

// RoundTrip runs the handler to its end before it returns.
func (t inProcessTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := &responseRecorder{header: http.Header{}}
	served := r.Clone(r.Context())
	if served.Body == nil {
		served.Body = http.NoBody
	}
	defer served.Body.Close()
	t.handler.ServeHTTP(answer, served)
	answer.WriteHeader(http.StatusOK)
	return &http.Response{
		Status: http.StatusText(answer.code), StatusCode: answer.code,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: answer.header,
		Body: io.NopCloser(&answer.body), ContentLength: int64(answer.body.Len()), Request: r,
	}, nil
}

// responseRecorder keeps an answer.
type responseRecorder struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

// Header returns the headers of the answer.
func (r *responseRecorder) Header() http.Header { return r.header }

// Write adds to the body.
func (r *responseRecorder) Write(b []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(b)
}

// WriteHeader counts the first time.
func (r *responseRecorder) WriteHeader(code int) {
	if r.code == 0 {
		r.code = code
	}
}
